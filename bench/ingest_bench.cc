// Reads traces and says what that costs, with every event and field kept, or only what the analyses
// need:
//   ingest_bench [--needed] FILE...
// One line of JSON per file: events, bytes of columns per event, CPU seconds, peak resident bytes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>
#include <string_view>

#include "analyses/all.h"
#include "facts/activity/rank_activity.h"
#include "facts/activity/rank_activity_builder.h"
#include "ingest/trace_reader.h"

namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// As Session does.
stepscope::ReadOptions Needed() {
  stepscope::Wanted keep;
  for (const stepscope::Analysis* analysis : stepscope::kAllAnalyses) keep = keep | analysis->needs;
  return {.keep = keep};
}

bool Measure(const std::string& path, bool needed) {
  auto source = stepscope::ByteSource::Open(path);
  if (!source) {
    fmt::print(stderr, "{}: {}\n", path, source.error().what);
    return false;
  }
  const double before = CpuSeconds();
  std::atomic<int> spare_threads = 1;
  stepscope::ReadOptions options = needed ? Needed() : stepscope::ReadOptions{};
  options.spare_threads = &spare_threads;
  auto trace = stepscope::ReadTrace(std::move(*source), options);
  if (!trace) {
    fmt::print(stderr, "{}: {}\n", path, trace.error().what);
    return false;
  }
  if (needed) stepscope::BuildRankActivity(*trace);
  const auto events = static_cast<double>(trace->size());
  fmt::print(R"({{"events": {}, "bytes_per_event": {:.1f}, "cpu_s": {:.4f}, "peak_bytes": {}}})"
             "\n",
             trace->size(), static_cast<double>(trace->ColumnBytes()) / events,
             CpuSeconds() - before, PeakBytes());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool needed = argc > 1 && std::string_view(argv[1]) == "--needed";
  bool good = argc > (needed ? 2 : 1);
  for (int i = needed ? 2 : 1; i < argc; ++i) good = Measure(argv[i], needed) && good;
  return good ? 0 : 2;
}
