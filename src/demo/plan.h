// Derives the plan of a synthetic job from its options: duration and start of collectives, host
// delays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "demo/groups.h"
#include "demo/script.h"
#include "stepscope/demo.h"

namespace stepscope::demo {

// Some gradients that are reduced together.
struct Bucket {
  // The collective is launched when so much nominal compute of the backward pass is behind;
  // kAfterBackward when only its end makes the last gradient of the bucket ready.
  int64_t ready = 0;
  int64_t duration = 0;  // ns from the moment when all ranks have started
  int64_t elements = 0;
};

inline constexpr int64_t kAfterBackward = INT64_MAX;

struct Plan {
  DemoOptions options;
  const Script* script = nullptr;
  std::vector<Bucket> buckets;  // in the order they are launched
  int64_t host_gap = 0;         // ns per step
  int64_t slow_host_gap = 0;    // on the slow host
  int layers = 0;               // of each rank
  bool parallel = false;        // HasParallelGroups(options)

  // Whether compute of this rank's device takes `slow_factor` as long in this step.
  bool IsSlow(int rank, int device, int64_t step) const {
    const bool is_it = options.slow_device < 0 || device == options.slow_device;
    const bool other =
        std::ranges::find(options.other_slow_ranks, rank) != options.other_slow_ranks.end();
    return (rank == options.slow_rank || other) && is_it && step >= options.slow_since;
  }
  // In which group the bucket is reduced.
  int GroupOf(size_t bucket) const {
    if (parallel) return ParallelGroupOf(bucket);
    return HasRails(options) && bucket + 1 < buckets.size() ? kRail : kWorld;
  }
  // ns that a bucket takes, of a rail among the ranks of this place in their hosts.
  int64_t DurationOf(size_t bucket, int place) const {
    const bool slow = GroupOf(bucket) == kRail && place == options.slow_link;
    const auto time = static_cast<double>(buckets[bucket].duration);
    return slow ? static_cast<int64_t>(time * options.slow_factor) : buckets[bucket].duration;
  }
  // ns that the rank's device waits for its host in a step.
  int64_t HostGap(int rank) const {
    const bool slow = options.slow_host >= 0 && rank / options.ranks_per_host == options.slow_host;
    return slow ? slow_host_gap : host_gap;
  }
  // Experts are reduced last, among those that have the same ones.
  int ParallelGroupOf(size_t bucket) const {
    const bool of_experts =
        options.expert_groups > 1 && ReplicasOf(options) > options.expert_groups;
    return of_experts && bucket + 1 == buckets.size() ? kExpertDataGroup : kDataGroup;
  }
  // ns that the clock of this rank's host is ahead of the true time.
  int64_t ClockOffset(int rank) const;
};

// REQUIRES: options that ValidateOptions accepts.
Plan MakePlan(const DemoOptions& options);

}  // namespace stepscope::demo
