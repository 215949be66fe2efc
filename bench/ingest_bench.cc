// Reads traces with every event and field kept, and says what that costs:
//   ingest_bench FILE...
// One line of JSON per file: events, bytes of columns per event, CPU seconds, peak resident bytes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>

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

bool Measure(const std::string& path) {
  auto source = stepscope::ByteSource::Open(path);
  if (!source) {
    fmt::print(stderr, "{}: {}\n", path, source.error().what);
    return false;
  }
  const double before = CpuSeconds();
  std::atomic<int> spare_threads = 1;
  const auto trace = stepscope::ReadTrace(std::move(*source), {.spare_threads = &spare_threads});
  if (!trace) {
    fmt::print(stderr, "{}: {}\n", path, trace.error().what);
    return false;
  }
  const auto events = static_cast<double>(trace->size());
  fmt::print(R"({{"events": {}, "bytes_per_event": {:.1f}, "cpu_s": {:.4f}, "peak_bytes": {}}})"
             "\n",
             trace->size(), static_cast<double>(trace->ColumnBytes()) / events,
             CpuSeconds() - before, PeakBytes());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) good = Measure(argv[i]) && good;
  return good ? 0 : 2;
}
