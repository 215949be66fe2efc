// Reads the changes of a job that people ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

// Some work of a rank.
enum class WorkPart : uint8_t {
  kAll,
  kCompute,   // of its devices: kernels and copies
  kHost,      // operators, calls, and the host between them
  kKernel,    // those whose name has a pattern
  kOperator,  // operators and calls whose name has a pattern
  kBefore,    // the host in none, before these
};

struct JobChange {
  enum class Target : uint8_t {
    kRanks,         // work of ranks, or of the ranks of a host
    kKernel,        // kernels and copies of all ranks
    kOperator,      // the host within operators, and what it launches there
    kPython,        // the host within functions of Python's
    kLink,          // transfers
    kHidden,        // communication takes no time, but ranks still wait for one another
    kCollectives,   // members do not wait for one another
    kInput,         // nobody waits for data
    kHostGaps,      // the host takes no time, as if all were launched at once
    kBuckets,       // fewer, larger reductions of gradients
    kMicrobatches,  // of a pipeline
  };
  enum class To : uint8_t { kFactor, kPeers, kBefore };

  Target target = Target::kKernel;
  std::vector<int64_t> ranks;    // of kRanks: their numbers
  std::string host;              // of kRanks, instead of numbers: the name of a machine
  std::optional<int64_t> stage;  // of kRanks, instead of numbers: of a pipeline
  WorkPart part = WorkPart::kAll;
  // base/word_pattern.h; of kLink and kHidden: of groups or of what they are for, as "tp"; empty
  // for all.
  std::string pattern;
  To to = To::kFactor;
  double factor = 1;  // of time; of kBuckets: of their size
  int64_t count = 0;  // of kMicrobatches
  int64_t step = 0;   // of kBefore: the median of the rank's own steps before this number
  std::string text;   // as it was written
};

// What people write; also how the answers of `whatif` name changes.
inline constexpr std::string_view kChangeForms =
    "rank 9: all = median of ranks; rank 8,9: compute x0.7; rank 3: host = before step 7; "
    "host node4: kernel *gemm* = median of ranks; kernel *gemm*: x0.7; kernel *gemm*: gone; "
    "operator aten::linear: x0.5; python tokenize: gone; link: x2; link tp: x2; communication: "
    "hidden; "
    "collectives: no wait; input: no wait; host gaps: none; stage 2: compute x0.8; "
    "microbatches: 16; buckets: x4";

// Reads changes separated by ';', to be made together. A link that is twice as fast is "x2"; a
// kernel that takes half as long "x0.5". Factors are at most 1000.
Result<std::vector<JobChange>> ReadJobChanges(std::string_view text);

}  // namespace stepscope
