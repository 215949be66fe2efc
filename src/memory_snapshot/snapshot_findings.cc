// Judges: a failed allocation, what grows, what holds most, and fragmentation.
#include "memory_snapshot/snapshot_findings.h"

#include <algorithm>
#include <string>

#include "memory_snapshot/snapshot_tables.h"
#include "report/humanize.h"

namespace stepscope::memory {
namespace {

constexpr double kMuchUnused = 0.15;  // of what is reserved, in blocks of which none is half of it
constexpr double kMostOfPeak = 0.5;   // of one category: worth advice
constexpr const char* kKeepLess = "look for a list or a graph that keeps these tensors";

std::string Bytes(int64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

// What would have let it fit.
Phrase AdviseFailure(const Replay& replay) {
  const Oom& oom = replay.ooms.back();
  if (!oom.last || !replay.possible) return "dump the snapshot when it fails; see docs/memory.md";
  const int64_t there = replay.unused_at_end + oom.device_free;
  if (there >= oom.wanted && replay.largest_free < oom.wanted)
    return Say(
        "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; {there} were unused in pieces",
        Bytes(there));
  if (there >= oom.wanted)
    return "free blocks are of another stream or pool; allocate on one stream";
  // What the device has free adds nothing to a block of a segment that cannot grow.
  const int64_t fits = replay.expandable ? there : std::max(replay.largest_free, oom.device_free);
  return Say("need at least {less} less memory: a smaller batch, or recompute activations",
             Bytes(oom.wanted - fits));
}

}  // namespace

Phrase SayFailure(const Replay& replay) {
  const Oom& oom = replay.ooms.back();
  const Phrase failed =
      Say("An allocation of {wanted} failed on device {device}, which had {free} free.",
          Bytes(oom.wanted), replay.device, Bytes(oom.device_free));
  if (!oom.last || !replay.possible) return failed;
  return failed + " " +
         Say("Of {reserved} reserved, {unused} were unused; the largest free block has {block}.",
             Bytes(oom.reserved), Bytes(replay.unused_at_end), Bytes(replay.largest_free));
}

void AddGrowing(const Sites& sites, const std::vector<Growing>& growing, Report& report) {
  for (const Growing& one : growing)
    report.findings.push_back(
        {.severity = Severity::kMedium,
         .message = Say("Memory allocated at {site} grows throughout the recording.",
                        Phrase::Name(SiteText(sites, one.site))),
         .because = Say("{first} after the first eighth, {last} at the end; it may be a leak",
                        Bytes(one.first), Bytes(one.last)),
         .hint = kKeepLess,
         .table = "growth"});
}

void AddLeaks(const Sites& sites, const std::vector<Leak>& leaks, int64_t peak, Report& report) {
  constexpr size_t kMostFindings = 5;
  constexpr int64_t kMany = 1000;   // steps, in which much of the peak is added:
  constexpr int64_t kMuchOver = 4;  // the peak over this
  for (size_t i = 0; i < leaks.size() && i < kMostFindings; ++i) {
    const Leak& leak = leaks[i];
    report.findings.push_back(
        {.severity = leak.Each() >= peak / kMuchOver / kMany ? Severity::kMedium : Severity::kLow,
         .message = Say("Memory allocated at {site} grows by {each} per step.",
                        Phrase::Name(SiteText(sites, leak.site)), Bytes(leak.Each())),
         .because = Say("it rises in {grown} of {steps} steps, from {first} to {last}, and adds "
                        "{more} in 1000 steps at this rate; it may be a leak",
                        leak.grown, leak.steps, Bytes(leak.first), Bytes(leak.last),
                        HumanBytes(static_cast<double>(leak.Each()) * kMany)),
         .hint = kKeepLess,
         .table = "leaks",
         .cause = {.kind = CauseKind::kMemory}});
  }
}

namespace {

const char* AdviceFor(Category category) {
  switch (category) {
    case Category::kForward:
      return "recompute activations (torch.utils.checkpoint), or use a smaller batch";
    case Category::kBackward:
      return "free gradients early (zero_grad(set_to_none=True)), or shard them (FSDP)";
    case Category::kOptimizer:
      return "shard the optimizer's state (FSDP, ZeroRedundancyOptimizer)";
    case Category::kCommunication:
      return "use smaller buckets (bucket_cap_mb)";
    default:
      return "";
  }
}

// Where memory ran out, what holds most of it is what to make smaller.
void AddLargestCategory(const Replay& replay, const Sites& sites, Report& report) {
  if (!replay.possible || replay.peak <= 0 || replay.ooms.empty()) return;
  const auto holders = HoldersBy(By::kCategory, sites, replay);
  if (holders.empty() || holders.front().category == Category::kUnknown) return;
  const double share =
      static_cast<double>(holders.front().amount.bytes) / static_cast<double>(replay.peak);
  if (share < kMostOfPeak) return;
  report.findings.push_back(
      {.severity = Severity::kLow,
       .message = Say("{share} of peak requested memory is of one category: {category}.",
                      HumanRatio(share), Phrase(CategoryName(holders.front().category))),
       .because = Say("{bytes} of {peak}", Bytes(holders.front().amount.bytes), Bytes(replay.peak)),
       .hint = AdviceFor(holders.front().category),
       .table = "categories",
       .cause = {.kind = CauseKind::kMemory}});
}

}  // namespace

void AddFindings(const Replay& replay, const Sites& sites, Report& report) {
  const Cause cause{.kind = CauseKind::kMemory};
  if (!replay.ooms.empty())
    report.findings.push_back(
        {.severity = Severity::kHigh,
         .message = SayFailure(replay),
         .because = Say("{site} wanted it",
                        Phrase::Name(SiteText(sites, sites.places[replay.ooms.back().stack].site))),
         .hint = AdviseFailure(replay),
         .table = "out_of_memory",
         .cause = cause});
  AddLargestCategory(replay, sites, report);
  const double unused = replay.reserved_at_end > 0 ? static_cast<double>(replay.unused_at_end) /
                                                         static_cast<double>(replay.reserved_at_end)
                                                   : 0;
  if (replay.ooms.empty() && unused >= kMuchUnused &&
      replay.largest_free < replay.unused_at_end / 2)
    report.findings.push_back(
        {.severity = Severity::kLow,
         .message =
             Say("{share} of reserved memory is unused at the end, in pieces.", HumanRatio(unused)),
         .because = Say("{unused} of {reserved}; the largest free block has {block}",
                        Bytes(replay.unused_at_end), Bytes(replay.reserved_at_end),
                        Bytes(replay.largest_free)),
         .hint = "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True where memory runs out",
         .table = "segments"});
}

}  // namespace stepscope::memory
