// Words the finding of the critical path: what a path without its largest removable bound saves.
#include "analyses/critical_path_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {
namespace critical_path {
namespace {

constexpr double kWorthSaying = 0.05;  // of the span

constexpr std::string_view kRelieveHostTensorFlow =
    "reduce host work: tf.function with jit_compile=True, several steps per call "
    "(steps_per_execution), fewer .numpy() calls; table contributors names the operators";
constexpr std::string_view kRelieveHostJax =
    "reduce host work: jit the whole step, scan over several steps in one program, fewer "
    "conversions to NumPy; table contributors names the operators";
constexpr AdviceByPurpose kRelieveHost{
    {"reduce host work: torch.compile, fused optimizers (foreach=True, fused=True), fewer .item() "
     "and .cpu() calls; table contributors names the operators",
     kRelieveHostTensorFlow, kRelieveHostJax},
    {"reduce host work: torch.compile, CUDA graphs of the steps, scheduling and sampling "
     "that overlap with the device, fewer .item() and .cpu() calls; table contributors names the "
     "operators",
     kRelieveHostTensorFlow, kRelieveHostJax},
    {"reduce host work: torch.compile, fewer .item() and .cpu() calls; table contributors names "
     "the operators",
     kRelieveHostTensorFlow, kRelieveHostJax}};
constexpr Advice kLaunchLess{
    "launch fewer kernels: CUDA graphs (torch.compile mode=\"reduce-overhead\"), fused kernels, a "
    "larger batch",
    "launch fewer kernels: tf.function with jit_compile=True, which fuses them, or a larger batch",
    "launch fewer kernels: jit the whole step, XLA command buffers "
    "(--xla_gpu_enable_command_buffer in XLA_FLAGS), a larger batch"};
constexpr std::string_view kOverlapInXla =
    "overlap communication in XLA: the latency hiding scheduler "
    "(--xla_gpu_enable_latency_hiding_scheduler=true in XLA_FLAGS), or a sharding that sends less";
constexpr std::string_view kSendLess =
    "communicate less per token: tensor parallelism over fewer devices, replicas instead of "
    "shards, or larger batches; for small messages, a custom all-reduce of the server";
constexpr AdviceByPurpose kHideCommunication{
    {"start communication earlier, so that it overlaps with compute: smaller gradient buckets "
     "(bucket_cap_mb), FSDP prefetching (forward_prefetch, backward_prefetch), asynchronous "
     "collectives (async_op=True)",
     "start communication earlier, so that it overlaps with compute: smaller gradient packs "
     "(CommunicationOptions(bytes_per_pack=...)), and NCCL for collectives",
     kOverlapInXla},
    {kSendLess, kSendLess, kOverlapInXla},
    {"start communication earlier, so that it overlaps with compute: asynchronous collectives "
     "(async_op=True), or communicate less",
     "start communication earlier, so that it overlaps with compute, and use NCCL for collectives",
     kOverlapInXla}};

std::string_view SayBound(Bound bound) {
  switch (bound) {
    case Bound::kCpu:
      return "Host work";
    case Bound::kLaunch:
      return "Kernel launch";
    case Bound::kDataLoading:
      return "Data loading";
    default:
      return "Communication";
  }
}

std::string HintFor(Bound bound, const Facts& facts) {
  switch (bound) {
    case Bound::kCpu:
      return Say(kRelieveHost, facts);
    case Bound::kLaunch:
      return Say(kLaunchLess, facts);
    case Bound::kDataLoading:
      return Say(kLoadAhead, facts);
    default:
      return Say(kHideCommunication, facts);
  }
}

// What Python did in the path's segments of one bound.
FrameTimes PythonOnPath(const Facts& facts, const RankPath& shown, Bound bound) {
  FrameTimes times(facts);
  if (!shown.rank->host->HasFrames()) return times;
  std::map<uint32_t, std::vector<Interval>> windows;  // by thread
  for (const Segment& segment : shown.path.segments) {
    if (segment.edge.bound == bound && segment.edge.thread != kNowhere)
      windows[segment.edge.thread].push_back({segment.start, segment.end});
  }
  for (auto& [thread, segments] : windows)
    times.Add(*shown.rank, thread, UnionOf(std::move(segments)));
  return times;
}

// The host's own time on the path is due to what devices wait for.
CauseKind CauseOf(Bound bound, const Facts& facts) {
  switch (bound) {
    case Bound::kLaunch:
      return CauseKind::kLaunch;
    case Bound::kDataLoading:
      return CauseKind::kInput;
    case Bound::kCommunication:
      return CauseKind::kCommunication;
    default:
      break;
  }
  return CauseOfIdle(facts);
}

}  // namespace

std::string SayWhere(const RankPath& path) {
  return fmt::format("{} of rank {}", path.chosen.covers, path.rank->rank);
}

void AddFinding(Report& report, const Facts& facts, const RankPath& shown,
                const Contributions& sums) {
  if (facts.MostKernelsMissing()) return;  // when devices were idle is unknown
  Bound worst = Bound::kCpu;
  for (const Bound b : {Bound::kLaunch, Bound::kDataLoading, Bound::kCommunication}) {
    if (shown.path.Time(b) > shown.path.Time(worst)) worst = b;
  }
  const auto answer = std::ranges::find(shown.outcomes, QuestionAbout(worst), &Outcome::change);
  if (answer == shown.outcomes.end() || shown.span() == 0) return;
  const int64_t saved = shown.span() - answer->length;
  const double share = static_cast<double>(saved) / static_cast<double>(shown.span());
  if (share < kWorthSaying) return;
  std::pair<std::string_view, Contribution> most;
  for (const auto& [key, sum] : sums) {
    if (key.first == worst && sum.time > most.second.time) most = {key.second, sum};
  }
  const StringId kernel =
      worst == Bound::kCommunication ? facts.names->Find(most.first) : kNoString;
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  report.findings.push_back(
      {.message = fmt::format("{} on the critical path costs up to {} of {}.", SayBound(worst),
                              HumanRatio(share), SayWhere(shown)),
       .because = fmt::format("{} of {} is {}; worst: {}{} ({}, {}); span without it: {}",
                              time(shown.path.Time(worst)), time(shown.span()), BoundName(worst),
                              most.first, kernel == kNoString ? "" : InModule(facts, kernel),
                              Plural(static_cast<size_t>(most.second.count), "segment"),
                              time(most.second.time), time(answer->length)) +
                  SayPython(PythonOnPath(facts, shown, worst), 1),
       .hint = HintFor(worst, facts),
       .impact = saved,
       .table = "what_if",
       .cause = {CauseOf(worst, facts)},
       .extent = {shown.span()}});
}

}  // namespace critical_path
}  // namespace stepscope
