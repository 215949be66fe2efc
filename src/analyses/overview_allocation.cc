// Implements the finding about allocation.
#include "analyses/overview_allocation.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "analyses/overview_findings.h"
#include "base/saturate.h"
#include "report/humanize.h"

namespace stepscope::overview {
namespace {

constexpr Advice kKeepMemory{
    "let the allocator keep its memory: no torch.cuda.empty_cache() in the loop, constant shapes, "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; where memory is full, a smaller batch",
    "let the allocator keep its memory: constant shapes, TF_GPU_ALLOCATOR=cuda_malloc_async; where "
    "memory is full, a smaller batch",
    "let the allocator keep its memory: XLA_PYTHON_CLIENT_PREALLOCATE=true, and not "
    "XLA_PYTHON_CLIENT_ALLOCATOR=platform; where memory is full, a smaller batch"};

struct Calls {
  int64_t count = 0;
  int64_t time = 0;  // ns
};

// Of all ranks, by name, those within these steps.
std::map<StringId, Calls> CallsWithin(const std::vector<RankSteps>& ranks) {
  std::map<StringId, Calls> found;
  for (const RankSteps& own : ranks) {
    auto step = own.steps.begin();
    for (const Call& call : own.rank->host->calls) {
      if (call.role != CallRole::kAllocate) continue;
      while (step != own.steps.end() && step->window.end <= call.start) ++step;
      if (step == own.steps.end()) break;
      if (call.start < step->window.start) continue;
      Calls& same = found[call.name];
      ++same.count;
      same.time = AddSaturated(same.time, call.duration());
    }
  }
  return found;
}

// "; 52.0 calls of cudaMalloc and 52.0 of cudaFree per step": the two with the most time.
Phrase SayCalls(const Facts& facts, const std::vector<RankSteps>& ranks) {
  const auto calls = CallsWithin(ranks);
  std::vector<std::pair<StringId, Calls>> sorted(calls.begin(), calls.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& own) { return own.second.time; });
  const auto steps = static_cast<double>(std::max<int64_t>(StatisticsOfTotals(ranks).steps, 1));
  const auto each = [&](size_t i) {
    return HumanCount(static_cast<double>(sorted[i].second.count) / steps);
  };
  const auto name = [&](size_t i) { return std::string((*facts.names)[sorted[i].first]); };
  if (sorted.empty()) return {};
  if (sorted.size() == 1) return Say("; {count} calls of {name} per step", each(0), name(0));
  return Say("; {count} calls of {name} and {other_count} of {other} per step", each(0), name(0),
             each(1), name(1));
}

}  // namespace

void AddAllocationFinding(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  if (facts.devices.empty() || ranks.front().whole_recording) return;
  const StepBreakdown sum = SumOf(ranks);
  const int64_t time = sum.Of(StepPart::kAllocation);
  const double share = Share(time, sum.Total());
  if (share < kModerately) return;
  const StepStatistics total = StatisticsOfTotals(ranks);
  const auto steps = static_cast<double>(std::max<int64_t>(total.steps, 1));
  report.findings.push_back(
      {.message = Say("Allocating and freeing device memory takes {share} of step time.",
                      HumanRatio(share)),
       .because = Say("{time} of {total} per step while no device works",
                      HumanTime(static_cast<double>(time) / steps), HumanTime(total.mean)) +
                  SayCalls(facts, ranks),
       .hint = Say(kKeepMemory, facts),
       .impact = time / std::ssize(ranks),
       .table = "step_time",
       .cause = {CauseKind::kMemory},
       .nearness = Nearness::kCause,
       .extent = ExtentOf(ranks)});
}

}  // namespace stepscope::overview
