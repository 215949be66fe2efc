// Sizes the collectives and the gap from the nominal compute time of a step.
#include "demo/plan.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace stepscope::demo {
namespace {

constexpr double kCommShare = 0.30;  // all-reduce time, over a step's nominal compute time
constexpr int64_t kLayersPerBucket = 3;
constexpr int64_t kMaxBuckets = 32;
constexpr int64_t kHostOverhead = 600'000;  // ns per step that the GPU waits for, gap or not
constexpr int64_t kLayerParameters = 12 * 2048 * 2048;
constexpr int64_t kOtherParameters = 50304 * 2048;

int64_t Scaled(int64_t value, double factor) {
  return std::llround(static_cast<double>(value) * factor);
}

// Buckets that are ready at even distances during the backward pass are hidden behind the rest of
// it, those that are ready at its end are exposed. All take equally long.
std::vector<Bucket> MakeBuckets(const DemoOptions& options, int64_t layers, int64_t total,
                                int64_t backward) {
  if (HasParallelGroups(options) && ReplicasOf(options) == 1) return {};
  const int64_t count = std::clamp(layers / kLayersPerBucket, int64_t{2}, kMaxBuckets);
  const double exposed = options.exposed_fraction;
  int64_t tail = Scaled(count, exposed);
  if (exposed > 0) tail = std::max<int64_t>(tail, 1);
  if (exposed < 1) tail = std::min(tail, count - 1);
  const int64_t hidden = count - tail;
  const int64_t parameters = layers * kLayerParameters + kOtherParameters;
  std::vector<Bucket> buckets;
  for (int64_t i = 0; i < count; ++i) {
    const bool is_hidden = i < hidden;
    const double share = is_hidden ? (1 - exposed) / static_cast<double>(hidden)
                                   : exposed / static_cast<double>(tail);
    buckets.push_back({.ready = is_hidden ? backward / (hidden + 1) * (i + 1) : kAfterBackward,
                       .duration = Scaled(total, share),
                       .elements = Scaled(parameters, share)});
  }
  return buckets;
}

// The nominal compute time of a step, or of a microbatch with all that a step has only once.
struct Nominal {
  int64_t backward = 0, all = 0;
};
Nominal NominalOf(const Script& script, bool parallel, int64_t layers) {
  const auto sum = [&](const Node& node) { return NominalCompute(node, layers); };
  if (!parallel) {
    const int64_t backward = sum(script.backward);
    return {backward, sum(script.opening) + backward + sum(script.closing)};
  }
  const int64_t backward = sum(script.stage_backward);
  return {backward, sum(script.stage_opening) + sum(script.stage_forward) + backward +
                        sum(script.stage_norm) + sum(script.stage_closing)};
}

}  // namespace

int64_t Plan::ClockOffset(int rank) const {
  constexpr uint64_t kStream = uint64_t{1} << 41;  // far from the other streams of random numbers
  const int64_t spread = options.clock_spread;
  const int host = rank / options.ranks_per_host;
  return Random(options.seed, kStream + static_cast<uint64_t>(host)).Below(2 * spread + 1) - spread;
}

Plan MakePlan(const DemoOptions& options) {
  const Script& script = TrainingStep();
  const bool parallel = HasParallelGroups(options);
  const int layers = std::max(1, options.layers / options.pipeline);
  const auto [backward, compute] = NominalOf(script, parallel, layers);
  const int64_t comm = Scaled(compute, kCommShare);
  const double slowest = options.slow_rank >= 0 ? options.slow_factor : 1.0;
  const int microbatches = parallel ? options.microbatches : 1;
  const int64_t step = Scaled(compute * microbatches, slowest) +
                       Scaled(comm, options.exposed_fraction) + kHostOverhead;
  const double gap = options.host_gap_fraction;
  return {.options = options,
          .script = &script,
          .buckets = MakeBuckets(options, layers, comm, backward),
          .host_gap = Scaled(step, gap / (1 - gap)),
          .slow_host_gap = Scaled(step, gap / (1 - gap) + options.slow_factor - 1),
          .layers = layers,
          .parallel = parallel};
}

}  // namespace stepscope::demo
