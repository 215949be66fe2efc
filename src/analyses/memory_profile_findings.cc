// Words the findings of peak memory: it is nearly full, it leaks, or it allows a larger batch.
#include "analyses/memory_profile_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/job/job_purpose.h"
#include "report/humanize.h"

namespace stepscope {
namespace memory_profile {
namespace {

constexpr double kMostlyReserved = 0.8;  // of the peak, allocated before the trace
constexpr double kWorthALarger = 1.5;    // batch factor
constexpr double kHasTime = 0.1;  // idle share of span below which a larger batch gains little

// " and 3 others"; empty if there are none.
Phrase Others(int64_t count) {
  if (count <= 1) return {};
  return count == 2 ? Phrase(" and one other") : Say(" and {count} others", count - 1);
}

constexpr AdviceByPurpose kHoldLess{
    {"checkpoint activations, shard parameters and optimizer state over ranks (FSDP, ZeRO), "
     "compute in 16 bit, or use a smaller batch with gradient accumulation",
     "recompute activations (tf.recompute_grad), compute in 16 bit (mixed_precision), or use a "
     "smaller batch with gradient accumulation",
     "recompute activations (jax.checkpoint), shard parameters and optimizer state over devices, "
     "compute in bfloat16, or use a smaller batch with gradient accumulation"},
    ForAll("quantize the weights or the KV cache, shard the model over more devices (tensor "
           "parallelism), or reserve less for the KV cache (shorter contexts, fewer sequences)"),
    ForAll("compute in 16 bit, shard the model over more devices, or use a smaller batch")};
constexpr AdviceByPurpose kKeepLess{
    {"find operators whose blocks accumulate (table never_freed); keep losses and metrics as "
     "numbers (.item(), .detach()), not as tensors with their graph",
     "find operators whose blocks accumulate (table never_freed); keep losses and metrics as "
     "numbers (.numpy()), not as tensors",
     "find operators whose blocks accumulate (table never_freed); keep losses and metrics as "
     "numbers (float()), not as arrays, and donate what a step replaces (donate_argnums)"},
    ForAll("find operators whose blocks accumulate (table never_freed): a cache of keys and "
           "values that grows with the context has a bound, outputs that are kept have none"),
    {"find operators whose blocks accumulate (table never_freed); keep results as numbers "
     "(.item()) or on the host (.cpu())",
     "find operators whose blocks accumulate (table never_freed); keep results as numbers "
     "(.numpy())",
     "find operators whose blocks accumulate (table never_freed); keep results as numbers "
     "(float()), and donate what a step replaces (donate_argnums)"}};
constexpr AdviceByPurpose kUseLargerBatch{
    ForAll("increase the batch size, and the learning rate with it, until about 90% is in use, or "
           "disable activation checkpointing"),
    ForAll("run more sequences at once, until about 90% is in use"),
    ForAll("increase the batch size until about 90% is in use")};

// Servers reserve most of a device for weights and the KV cache before the first request. What is
// reserved does not grow, so it is no sign that memory runs out.
bool IsReserved(const Facts& facts, const MemoryPeak& p) {
  if (PurposeOfJob(facts) == Purpose::kTraining) return false;
  const auto before = p.at_peak.find({kMemoryFromBefore, "", "", ""});
  return before != p.at_peak.end() &&
         static_cast<double>(before->second.bytes) >= kMostlyReserved * static_cast<double>(p.peak);
}

bool Leaks(const MemoryPeak& p, int64_t leak_bytes) {
  return p.growth.steps >= kStepsThatGrow && p.growth.each >= leak_bytes;
}

// Idle share of span; 0 without device activity.
double IdleRatio(const Facts& facts, const MemoryPeak& p) {
  const auto device = std::ranges::find_if(facts.devices, [&](const DeviceFacts& d) {
    return d.rank == p.rank && d.device == p.memory.device;
  });
  if (device == facts.devices.end() || device->total.Span() <= 0) return 0;
  return static_cast<double>(device->total.Idle()) / static_cast<double>(device->total.Span());
}

}  // namespace

Phrase Where(const MemoryPeak& p) {
  return p.memory.device < 0 ? Say("the host of rank {rank}", p.rank->rank)
                             : Say("rank {rank} device {device}", p.rank->rank, p.memory.device);
}

std::string Human(int64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

Phrase MostlyFor(const MemoryHoldings& holdings, int64_t whole) {
  const auto most = std::ranges::max_element(
      holdings, {}, [](const auto& holding) { return holding.second.bytes; });
  if (most == holdings.end() || whole <= 0) return {};
  const std::string& operation = most->first.operation;
  const double share = static_cast<double>(most->second.bytes) / static_cast<double>(whole);
  const Phrase what = operation == kMemoryFromBefore ? Phrase("allocated before the trace")
                      : operation.starts_with('(')   ? Phrase(operation)  // of no operator
                                                     : Phrase::Name(operation);
  return Say(", {share} {operation}", HumanRatio(share), what);
}

void AddFullFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  const auto is_full = [&](const MemoryPeak& p) {
    return p.Used() > kNearlyFull && !IsReserved(facts, p);
  };
  const auto fullest = std::ranges::find_if(peaks, is_full);
  if (fullest == peaks.end()) return;
  const MemoryPeak& p = *fullest;
  const auto full = std::ranges::count_if(peaks, is_full);
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message = Say("Peak memory of {where}{others} is {share} of capacity.", Where(p),
                      Others(full), HumanRatio(p.Used())),
       .because = Say("{bytes} vs capacity {capacity}{mostly}", Human(p.peak), Human(p.capacity),
                      MostlyFor(p.at_peak, p.peak)),
       .hint = Say(kHoldLess, facts),
       .table = "devices",
       .cause = {CauseKind::kMemory}});
}

bool AddLeakFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks,
                    int64_t leak_bytes) {
  const auto leaks = [&](const MemoryPeak& p) { return Leaks(p, leak_bytes); };
  const auto first = std::ranges::find_if(peaks, leaks);
  if (first == peaks.end()) return false;
  const MemoryPeak& p = *first;
  const int64_t each = p.growth.each;
  Phrase because =
      Say("at least {bytes} more is in use at the end of each of the last {count} steps",
          Human(each), p.growth.steps);
  if (const auto headroom = p.Headroom(); headroom && each > 0) {
    because +=
        Say("; headroom for {steps} more", Plural(static_cast<size_t>(*headroom / each), "step"));
  }
  int64_t kept = 0;
  for (const auto& [purpose, holding] : p.never_freed) kept = AddSaturated(kept, holding.bytes);
  if (kept > 0) {
    because +=
        Say("; steps never freed {bytes}{mostly}", Human(kept), MostlyFor(p.never_freed, kept));
  }
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message = Say("Memory of {where}{others} grows in each step: a leak, or an unbounded "
                      "cache.",
                      Where(p), Others(std::ranges::count_if(peaks, leaks))),
       .because = std::move(because),
       .hint = Say(kKeepLess, facts),
       .table = "steps",
       .cause = {CauseKind::kMemory},
       .nearness = Nearness::kCause});
  return true;
}

void AddBatchFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  const MemoryPeak* tightest = nullptr;
  double least = 0;
  for (const MemoryPeak& p : peaks) {
    if (p.memory.device < 0) continue;
    if (!p.KnowsHeadroom() || p.growth.steps >= kStepsThatGrow) return;
    const auto factor = p.BatchFactor(kNearlyFull);
    if (!factor) continue;  // nothing is freed within steps
    if (tightest != nullptr && *factor >= least) continue;
    tightest = &p;
    least = *factor;
  }
  if (tightest == nullptr || least < kWorthALarger) return;
  const MemoryPeak& p = *tightest;
  const double idle = IdleRatio(facts, p);
  if (idle < kHasTime) return;
  report.findings.push_back(
      {.severity = Severity::kLow,
       .message = Say("Memory allows a batch {times} times as large.",
                      least > 10 ? "more than 10" : fmt::format("{:.1f}", least)),
       .because = Say("the fullest device, {where}, uses {bytes} of {capacity} at its peak; "
                      "{freed} of that is freed in each step; it idles for {share} of span",
                      Where(p), Human(p.peak), Human(p.capacity), Human(p.peak - p.persistent),
                      HumanRatio(idle)),
       .hint = Say(kUseLargerBatch, facts),
       .table = "devices"});
}

}  // namespace memory_profile
}  // namespace stepscope
