// Reads events.
#include "session/read_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "events/recorded.h"
#include "ingest/trace_reader.h"
#include "session/execution_traces.h"
#include "session/partials.h"
#include "session/redact_run.h"

namespace stepscope {
namespace {

constexpr size_t kMostEvents = INT32_MAX;

bool IsRecorded(const LoadedRun& run, size_t r) {
  return run.files[r] && !run.ranks[r].memory_only;
}

// Of which of run.ranks there is a recording of this rank, in the order of its windows.
std::vector<size_t> RecordingsOf(const LoadedRun& run, int64_t rank) {
  std::vector<size_t> recordings;
  for (size_t r = 0; r < run.ranks.size(); ++r) {
    if (run.ranks[r].rank == rank && IsRecorded(run, r)) recordings.push_back(r);
  }
  return recordings;
}

std::vector<EventStep> StepsOf(const LoadedRun& run, const std::vector<size_t>& recordings) {
  std::vector<EventStep> steps;
  for (const size_t r : recordings) {
    for (const Step& step : run.ranks[r].steps)
      steps.push_back({step.number, step.start, step.end});
  }
  std::ranges::stable_sort(steps, {}, &EventStep::start);
  return steps;
}

std::span<const RankActivity> OfRank(const std::vector<RankActivity>& ranks, int64_t rank) {
  return std::ranges::equal_range(ranks, rank, {}, &RankActivity::rank);
}

using Read = std::shared_ptr<const Trace>;

Result<Read> ReadOne(const LoadedRun& run, size_t r, std::atomic<int>& spare) {
  if (run.traces[r]) return run.traces[r];
  const InputFile& file = run.info.files[*run.files[r]];
  ReadFailure failure;
  auto source = OpenAgain(file, run.places, nullptr, &failure);
  if (!source) return std::unexpected(source.error());
  auto trace =
      ReadTrace(std::move(*source),
                {.keep = Wanted::All(), .spare_threads = &spare, .part = run.parts[*run.files[r]]});
  StopIfAsked();
  if (const auto failed = failure.Get()) return std::unexpected(*failed);
  if (!trace) return std::unexpected(Error{trace.error().what, file.path, trace.error().hint});
  if (const auto at = run.execution_traces.find(file.path); at != run.execution_traces.end())
    JoinAgain(at->second, run.places, *trace);
  if (run.redactor) RedactTrace(*trace, *run.redactor);
  return std::make_shared<const Trace>(std::move(*trace));
}

Result<EventTable> ReadAll(const LoadedRun& run, int64_t rank,
                           const std::vector<size_t>& recordings, int threads) {
  const auto processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<int> spare = (threads > 0 ? threads : processors) - 1;
  std::vector<Read> traces;
  size_t events = 0;
  for (const size_t r : recordings) {
    auto trace = ReadOne(run, r, spare);
    if (!trace) return std::unexpected(trace.error());
    events += (*trace)->size();
    traces.push_back(std::move(*trace));
  }
  if (events > kMostEvents) {
    return std::unexpected(Error{"rank " + std::to_string(rank) + " has more than 2^31 events", "",
                                 "open one of its files alone"});
  }
  return EventsOf(rank, std::move(traces), StepsOf(run, recordings));
}

}  // namespace

std::vector<int64_t> RecordedRanksOf(const LoadedRun& run) {
  std::set<int64_t> ranks;
  for (size_t r = 0; r < run.ranks.size(); ++r) {
    if (IsRecorded(run, r)) ranks.insert(run.ranks[r].rank);
  }
  return {ranks.begin(), ranks.end()};
}

Result<EventTable> ReadEventsOf(const LoadedRun& run, int64_t rank, int threads,
                                std::stop_token stop) {
  const std::vector<size_t> recordings = RecordingsOf(run, rank);
  if (recordings.empty()) {
    return std::unexpected(
        Error{"there is no recording of rank " + std::to_string(rank), "`rank`",
              fmt::format("ranks in the traces: {}", fmt::join(RecordedRanksOf(run), ", "))});
  }
  if (const auto checked = CheckHasEvents(OfRank(run.ranks, rank), run.sources); !checked)
    return std::unexpected(checked.error());
  try {
    const StopScope scope(std::move(stop));
    return ReadAll(run, rank, recordings, threads);
  } catch (const Stopped&) {
    return std::unexpected(Error{"reading events was canceled", "", ""});
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error{"cannot read the events: out of memory", "", "open fewer files"});
  }
}

}  // namespace stepscope
