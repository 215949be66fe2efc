// Reads the calls of a rank as columns, and puts them on the wall clock.
#include "memory_snapshot/host_trace.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "ingest/clock_base.h"
#include "ingest/places.h"
#include "stepscope/session.h"

namespace stepscope::memory {
namespace {

constexpr std::string_view kModule = "nn.Module: ";

// The texts of a column with a dictionary, by row.
class Texts {
 public:
  explicit Texts(const ColumnData& column) : column_(column) {}

  int32_t Code(int64_t row) const {
    if (column_.IsNull(row)) return -1;
    switch (column_.type) {
      case ColumnType::kInt8:
        return column_.values.As<int8_t>()[row];
      case ColumnType::kInt16:
        return column_.values.As<int16_t>()[row];
      case ColumnType::kInt32:
        return column_.values.As<int32_t>()[row];
      default:
        return -1;
    }
  }
  std::string_view Text(int32_t code) const {
    if (code < 0 || column_.dictionary == nullptr) return "";
    const auto* offsets = column_.dictionary->values.As<int64_t>();
    return {column_.dictionary->text.As<char>() + offsets[code],
            static_cast<size_t>(offsets[code + 1] - offsets[code])};
  }
  std::string_view operator()(int64_t row) const { return Text(Code(row)); }

 private:
  const ColumnData& column_;
};

// What has no name of an operator or a module is left out.
void AddCall(std::string_view name, bool python, HostCall call, HostTrace& trace) {
  if (python && !name.starts_with(kModule)) return;
  if (python) name.remove_prefix(kModule.size());
  call.name = trace.names.Intern(name);
  call.module = python;
  trace.calls.push_back(call);
}

Result<void> ReadCalls(const Session& session, int64_t base, HostTrace& trace,
                       const std::stop_token& stop) {
  const auto events = session.ReadEvents(trace.rank, 0, stop);
  if (!events) return std::unexpected(events.error());
  const auto read = events->Get({"name", "kind", "start", "end", "process", "thread"},
                                {.kinds = {"operator", "python"}}, stop);
  if (!read) return std::unexpected(read.error());
  const auto& columns = read->columns;
  const Texts name(columns[0]), kind(columns[1]), process(columns[4]), thread(columns[5]);
  std::map<std::pair<int32_t, int32_t>, uint32_t> threads;
  for (int64_t row = 0; row < read->rows; ++row) {
    if (columns[2].IsNull(row) || columns[3].IsNull(row)) continue;
    const std::pair of{process.Code(row), thread.Code(row)};
    const auto at = threads.try_emplace(of, static_cast<uint32_t>(threads.size())).first;
    const HostCall call{.start = columns[2].values.As<int64_t>()[row] + base,
                        .end = columns[3].values.As<int64_t>()[row] + base,
                        .thread = at->second};
    if (call.start < kEarliestOnClock) {
      trace.says_when = false;
      trace.calls.clear();
      return {};
    }
    AddCall(name(row), kind(row) == "python", call, trace);
  }
  // Of calls that begin at once the longer one is around the other.
  std::ranges::stable_sort(trace.calls, [](const HostCall& a, const HostCall& b) {
    return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
  });
  return {};
}

// The first file of the rank says from when its times count.
int64_t BaseOf(const Session& session, int64_t rank, const Places& places) {
  for (const InputFile& file : session.run().files)
    if (file.rank == rank) return ClockBaseOf(file.path, places);
  return 0;
}

void FindExtent(HostTrace& trace) {
  trace.begin = INT64_MAX;
  const auto widen = [&](int64_t start, int64_t end) {
    trace.begin = std::min(trace.begin, start);
    trace.end = std::max(trace.end, end);
  };
  for (const HostCall& call : trace.calls) widen(call.start, call.end);
  for (const StepSpan& step : trace.steps) widen(1000 * step.start, 1000 * step.end);
  if (trace.end == 0) trace.begin = 0;
}

}  // namespace

Result<HostTrace> ReadHostTrace(const std::string& path, int64_t device,
                                const TraceOptions& options) {
  const std::vector<std::string> paths = {path};
  const auto session = Session::Open(paths, {.analyses = {"steps"},
                                             .keep_traces = true,
                                             .storage = options.storage,
                                             .stop = options.stop});
  if (!session) return std::unexpected(session.error());
  const auto ranks = session->RecordedRanks();
  const bool one = ranks.size() == 1;
  if (ranks.empty() || (!one && std::ranges::find(ranks, device) == ranks.end()))
    return std::unexpected(Error{"none of the traces is of the rank of this device", path,
                                 "give the trace of the process that wrote the snapshot"});
  HostTrace trace{.rank = one ? ranks.front() : device, .only_rank = one};
  trace.names.Intern("");
  const Places places(options.storage);
  if (auto done = ReadCalls(*session, BaseOf(*session, trace.rank, places), trace, options.stop);
      !done)
    return std::unexpected(done.error());
  for (const TracedStep& step : session->StepsOnClock())
    if (step.rank == trace.rank)
      trace.steps.push_back({step.number, step.start / 1000, step.end / 1000});
  std::ranges::stable_sort(trace.steps, {}, &StepSpan::start);
  FindExtent(trace);
  return trace;
}

}  // namespace stepscope::memory
