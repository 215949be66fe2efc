// Writes traces of jobs on GPUs, as PyTorch does, kernel by kernel.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/scratch.h"

namespace stepscope::testing {

// Times in ms. Kernels are launched at the begin of the step, which waits for its device at its
// end: only devices and what they wait for decide how long it takes.
class GpuJob {
 public:
  explicit GpuJob(int ranks) : events_(static_cast<size_t>(ranks)) {}

  // Of all ranks. Kernels that follow are launched in it.
  void Step(int number, double start, double end) {
    for (int rank = 0; rank < static_cast<int>(events_.size()); ++rank) {
      Event(rank, "user_annotation", fmt::format("ProfilerStep#{}", number), start, end - start, 1);
      Event(rank, "cuda_runtime", "cudaDeviceSynchronize", start + 0.1, end - start - 0.11, 1);
    }
    launch_ = start;
  }

  // `args`: more members of its JSON object, each with a comma before it.
  void Kernel(int rank, std::string_view name, double start, double end, int stream,
              std::string_view args = "") {
    const int id = ++correlation_;
    launch_ += 0.002;
    Event(rank, "cuda_runtime", "cudaLaunchKernel", launch_, 0.001, 1,
          fmt::format(R"("correlation":{})", id));
    Event(rank, "kernel", name, start, end - start, stream,
          fmt::format(R"("device":0,"stream":{},"correlation":{}{})", stream, id, args));
  }

  // Arguments of kernels that communicate. A message: "send" and "Dst Rank", or "recv" and "Src
  // Rank".
  static std::string Message(std::string_view name, std::string_view other, int rank) {
    return fmt::format(
        R"(,"Collective name":"{}","Process Group Name":"pp","Process Group Ranks":"[0, 1]","Group size":2,"In msg nelems":9,"dtype":"Float","{}":{})",
        name, other, rank);
  }
  static std::string AllReduce(std::string_view group, const std::vector<int>& ranks,
                               int elements = 9) {
    return fmt::format(
        R"(,"Collective name":"allreduce","Process Group Name":"{}","Process Group Ranks":"[{}]","Group size":{},"In msg nelems":{},"Out msg nelems":{},"dtype":"Float")",
        group, fmt::join(ranks, ", "), ranks.size(), elements, elements);
  }

  std::string Of(size_t rank) const {
    return fmt::format(
        R"({{"schemaVersion":1,"distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},"traceEvents":[{}]}})",
        rank, events_.size(), events_[rank]);
  }

  // The paths of the files.
  std::vector<std::string> WriteTo(const ScratchFolder& folder) const {
    std::vector<std::string> paths;
    for (size_t rank = 0; rank < events_.size(); ++rank)
      paths.push_back(folder.Write(fmt::format("rank{}.json", rank), Of(rank)));
    return paths;
  }

 private:
  void Event(int rank, std::string_view category, std::string_view name, double start,
             double length, int track, std::string_view args = "") {
    std::string& events = events_[static_cast<size_t>(rank)];
    events += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        events.empty() ? "" : ",\n", category, name, track, 1e3 * start, 1e3 * length, args);
  }

  std::vector<std::string> events_;
  int correlation_ = 0;
  double launch_ = 0;
};

}  // namespace stepscope::testing
