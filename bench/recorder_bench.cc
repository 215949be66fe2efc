// What recording an event costs the thread that trains, beside what storing the same 32 bytes costs
// at least: into a shared mapping of a file, and with write(2).
//   recorder_bench FOLDER
// One line of JSON, in ns by event. Rounds take turns; medians are of batches of 100 events. The
// `spaced` ones are single calls a millisecond apart with 4 MB touched in between, as a training
// loop makes them: caches and pages are cold then.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "stepscope/goodput_c.h"

namespace {

constexpr size_t kBatch = 100;
constexpr size_t kBatches = 2000;  // a round
constexpr int kRounds = 5;
constexpr int kSpaced = 2000;
constexpr size_t kRecordBytes = 32;
constexpr size_t kFileBytes = size_t{kRounds + 1} * kBatches * kBatch * kRecordBytes;

int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class Samples {
 public:
  // Calls `once` in batches and keeps what a call took in each.
  template <class Once>
  void Round(bool keep, Once once) {
    for (size_t batch = 0; batch < kBatches; ++batch) {
      const int64_t begin = Now();
      for (size_t k = 0; k < kBatch; ++k) once();
      if (keep) Add(static_cast<double>(Now() - begin) / kBatch);
    }
  }
  void Add(double ns) { ns_.push_back(ns); }
  double Quantile(double q) {
    std::ranges::sort(ns_);
    return ns_[static_cast<size_t>(q * static_cast<double>(ns_.size() - 1))];
  }

 private:
  std::vector<double> ns_;
};

stepscope_goodput* OpenRecorder(const std::string& folder) {
  stepscope_goodput_options options;
  stepscope_goodput_defaults(&options, sizeof options);
  options.directory = folder.c_str();
  options.job = "bench";
  options.segment_bytes = int64_t{64} << 20;
  return stepscope_goodput_open(&options);
}

int OpenFile(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

char* MapFile(int file) {
  if (posix_fallocate(file, 0, kFileBytes) != 0) return nullptr;
  void* mapped = mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}

// Single calls as a training loop makes them, less what reading the clock twice takes.
template <class Once>
Samples Spaced(Once once) {
  Samples samples, clock;
  for (int k = 0; k < kSpaced; ++k) {
    const int64_t begin = Now();
    clock.Add(static_cast<double>(Now() - begin));
  }
  const double clock_ns = clock.Quantile(0.5);
  std::vector<char> other(size_t{4} << 20);
  for (int k = 0; k < kSpaced; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (size_t at = 0; at < other.size(); at += 64) other[at] = static_cast<char>(k);
    const int64_t begin = Now();
    once();
    samples.Add(static_cast<double>(Now() - begin) - clock_ns);
  }
  return samples;
}

int Run(const std::string& folder) {
  stepscope_goodput* recorder = OpenRecorder(folder);
  const int mapped_file = OpenFile(folder + "/mapped"),
            written_file = OpenFile(folder + "/written");
  char* mapped = MapFile(mapped_file);
  if (recorder == nullptr || mapped == nullptr || written_file < 0) return 2;
  Samples event, store, write_call, clocks;
  std::array<char, kRecordBytes> record{};
  int64_t step = 0;
  ssize_t wrong = 0;
  for (int round = 0; round <= kRounds; ++round) {
    event.Round(round > 0, [&] { wrong += stepscope_goodput_step_start(recorder, step++); });
    store.Round(round > 0, [&] {
      record[0] = static_cast<char>(step++);
      std::memcpy(mapped, record.data(), kRecordBytes);
      mapped += kRecordBytes;
    });
    write_call.Round(round > 0, [&] {
      wrong += write(written_file, record.data(), kRecordBytes) - ssize_t{kRecordBytes};
    });
    clocks.Round(round > 0, [&] {
      timespec time{};
      clock_gettime(CLOCK_REALTIME, &time);
      clock_gettime(CLOCK_MONOTONIC, &time);
      record[1] = static_cast<char>(time.tv_nsec);
    });
  }
  Samples spaced = Spaced([&] { wrong += stepscope_goodput_step_start(recorder, step++); });
  Samples spaced_write = Spaced(
      [&] { wrong += write(written_file, record.data(), kRecordBytes) - ssize_t{kRecordBytes}; });
  const int64_t dropped = stepscope_goodput_dropped(recorder);
  stepscope_goodput_close(recorder);
  fmt::print(R"({{"event_ns": {:.1f}, "event_p99_ns": {:.1f}, "mapping_ns": {:.1f}, )"
             R"("write_ns": {:.1f}, "clocks_ns": {:.1f}, "spaced_ns": {:.0f}, )"
             R"("spaced_p99_ns": {:.0f}, "spaced_p999_ns": {:.0f}, "spaced_write_ns": {:.0f}, )"
             R"("dropped": {}}})"
             "\n",
             event.Quantile(0.5), event.Quantile(0.99), store.Quantile(0.5),
             write_call.Quantile(0.5), clocks.Quantile(0.5), spaced.Quantile(0.5),
             spaced.Quantile(0.99), spaced.Quantile(0.999), spaced_write.Quantile(0.5), dropped);
  return wrong == 0 && dropped == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return argc == 2 ? Run(argv[1]) : 2; }
