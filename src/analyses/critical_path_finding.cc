// Words the finding of the critical path: what a path without its largest removable bound saves.
#include "analyses/critical_path_finding.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "analyses/slow_stage.h"
#include "base/saturate.h"
#include "facts/derived/collectives/exposed_waits.h"
#include "facts/derived/lateness/stages.h"
#include "report/humanize.h"

namespace stepscope {
namespace critical_path {
namespace {

constexpr double kMinShare = 0.05;  // of the span

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

Phrase HintFor(Bound bound, const Facts& facts) {
  switch (bound) {
    case Bound::kCpu:
      return Say(kRelieveHost, facts);
    case Bound::kLaunch:
      return Say(kLaunchLess, facts);
    case Bound::kDataLoading:
      return Say(kLoadAhead, facts);
    default:
      return TiedByMessages(facts) ? Phrase(kFillPipeline) : HideCommunication(facts);
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

// The share of exposed communication that is waiting for late ranks, 0..1.
double WaitShare(const Facts& facts) {
  int64_t exposed = 0;
  for (const DeviceFacts& device : facts.devices)
    exposed = AddSaturated(exposed, device.total.Exposed());
  const auto waits = static_cast<double>(ExposedWaits(facts).Total());
  return exposed == 0 ? 0 : std::min(waits / static_cast<double>(exposed), 1.0);
}

constexpr double kMostlyWaits = 0.5;

// The host's own time on the path is due to what devices wait for.
CauseKind CauseOf(Bound bound, const Facts& facts) {
  switch (bound) {
    case Bound::kLaunch:
      return CauseKind::kLaunch;
    case Bound::kDataLoading:
      return CauseKind::kInput;
    case Bound::kCommunication:
      // Stages of a pipeline wait for each other.
      return TiedByMessages(facts) || WaitShare(facts) > kMostlyWaits ? CauseKind::kWait
                                                                      : CauseKind::kCommunication;
    default:
      break;
  }
  return CauseOfIdle(facts);
}

// The time that a bound takes on all ranks' paths, and what removing it saves there.
struct Removal {
  Bound bound = Bound::kCpu;
  int64_t time = 0, saved = 0, span = 0;  // ns, sums over ranks
};

Removal RemovalOf(const MeasuredPaths& measured, Bound bound) {
  Removal sum{.bound = bound};
  for (const RankPath& rank : measured.ranks) {
    sum.time += rank.path.Time(bound);
    sum.span += rank.span();
    const auto answer = std::ranges::find(rank.outcomes, QuestionAbout(bound), &Outcome::change);
    if (answer != rank.outcomes.end()) sum.saved += rank.span() - answer->length;
  }
  return sum;
}

// "step 1 of rank 0", "the median step of 8 ranks".
Phrase SayAll(const MeasuredPaths& measured, const RankPath& shown) {
  if (measured.ranks.size() == 1) return SayWhere(shown);
  const bool same = std::ranges::all_of(measured.ranks, [&](const RankPath& rank) {
    return rank.chosen.covers == shown.chosen.covers;
  });
  return Say("{step} of {ranks}", same ? shown.chosen.covers : Phrase("the median step"),
             Plural(measured.ranks.size(), "rank"));
}

Phrase Because(const Facts& facts, const MeasuredPaths& measured, const RankPath& shown,
               const Contributions& sums, Bound bound) {
  std::pair<std::string_view, Contribution> most;
  for (const auto& [key, sum] : sums) {
    if (key.first == bound && sum.time > most.second.time) most = {key.second, sum};
  }
  const StringId kernel =
      bound == Bound::kCommunication ? facts.names->Find(most.first) : kNoString;
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  const auto answer = std::ranges::find(shown.outcomes, QuestionAbout(bound), &Outcome::change);
  Phrase text = measured.ranks.size() == 1 ? Phrase() : SayWhere(shown) + ": ";
  text += Say("{time} of {total} is {bound}", time(shown.path.Time(bound)), time(shown.span()),
              WordsOf(bound));
  if (!most.first.empty())
    text += "; " + Say("worst: {name}{module} ({segments}, {time})",
                       most.first.starts_with('(') ? Phrase(most.first)  // of nothing recorded
                                                   : Phrase::Name(std::string(most.first)),
                       kernel == kNoString ? Phrase() : InModule(facts, kernel),
                       Plural(static_cast<size_t>(most.second.count), "segment"),
                       time(most.second.time));
  if (answer != shown.outcomes.end())
    text += "; " + Say("span without it: {time}", time(answer->length));
  return text + SayPython(PythonOnPath(facts, shown, bound), 1);
}

}  // namespace

std::string_view WordsOf(Bound bound) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"compute", "communication", "device copies", "kernel launch", "kernel gaps", "host work",
       "data loading", "one-time work", "waiting calls", "no record"});
  static_assert(kWords.size() == static_cast<size_t>(Bound::kCount));
  return kWords[static_cast<size_t>(bound)];
}

Phrase SayWhere(const RankPath& path) {
  return Say("{what} of rank {rank}", path.chosen.covers, path.rank->rank);
}

void AddFinding(Report& report, const Facts& facts, const MeasuredPaths& measured,
                const Contributions& sums) {
  if (facts.MostKernelsMissing()) return;  // when devices were idle is unknown
  Removal worst = RemovalOf(measured, Bound::kCpu);
  for (const Bound b : {Bound::kLaunch, Bound::kDataLoading, Bound::kCommunication}) {
    const Removal other = RemovalOf(measured, b);
    if (other.time > worst.time) worst = other;
  }
  if (worst.span == 0) return;
  // Where communication is not mostly waiting, the rest is for late ranks, which are a finding.
  const double waits = worst.bound == Bound::kCommunication ? WaitShare(facts) : 0;
  const bool beyond = waits > 0.01 && waits <= kMostlyWaits;
  if (beyond) worst.saved = static_cast<int64_t>(static_cast<double>(worst.saved) * (1 - waits));
  const double share = static_cast<double>(worst.saved) / static_cast<double>(worst.span);
  if (share < kMinShare) return;
  const RankPath& shown = measured.ranks.front();
  const auto ranks = std::ssize(measured.ranks);
  report.findings.push_back(
      {.message = Say("{work} on the critical path{beyond} costs up to {share} of {where}.",
                      SayBound(worst.bound), beyond ? ", beyond wait time," : "", HumanRatio(share),
                      SayAll(measured, shown)),
       .because = Because(facts, measured, shown, sums, worst.bound),
       .hint = HintFor(worst.bound, facts),
       .impact = worst.saved / ranks,
       .table = "what_if",
       .cause = {CauseOf(worst.bound, facts)},
       // The share of the step of median length stands for that of all.
       .extent = {worst.span / ranks}});
}

}  // namespace critical_path
}  // namespace stepscope
