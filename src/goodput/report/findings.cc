// Finds the largest losses of a job and suggests what to try.
#include "goodput/report/findings.h"

#include <algorithm>

#include "base/time_units.h"
#include "goodput/report/report.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr double kMediumShare = 0.05, kHighShare = 0.10;
constexpr size_t kMostFindings = 3;
struct BadputAdvice {
  Bucket bucket;
  std::string_view message;  // before " is 12.0 % of counted time (3.4 h)."
  std::string_view hint;
};

constexpr auto kAdvice = std::to_array<BadputAdvice>({
    {Bucket::kElasticReinit, "Rebuilding after slice changes",
     "cache compiled programs per slice count; rebuild only what changed"},
    {Bucket::kElasticDown, "Waiting for lost slices",
     "keep a spare slice, or continue with fewer slices after a short wait"},
    {Bucket::kElasticUp, "Waiting for new slices",
     "add new slices at the next checkpoint instead of waiting for them"},
    {Bucket::kRestore, "Blocking checkpoint restore",
     "restore from a peer's memory or local disk; let one replica read and broadcast"},
    {Bucket::kSave, "Blocking checkpoint save",
     "save asynchronously: block only for the copy to host memory"},
    {Bucket::kAcceleratorInit, "Chip initialization",
     "preload the container image; restart in place and keep the processes"},
    {Bucket::kTrainingPrep, "Preparation before the first step",
     "cache what is equal at each start: traced program, data index, compilation"},
    {Bucket::kDataLoading, "Blocking data loading",
     "prefetch batches in the background with more workers; start during chip initialization"},
    {Bucket::kSlowStep, "Time of slow steps beyond the usual",
     "trace a slow step; record spans around what may run in it: saves, evaluation, data loading"},
    {Bucket::kStartup, "First-step excess over other steps",
     "keep a persistent compilation cache on storage that outlives the job "
     "(JAX_COMPILATION_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR)"},
    {Bucket::kQueued, "Waiting for resources",
     "reserve capacity, or request a shape that is available more often"},
    {Bucket::kAllocated, "Time from allocation to start",
     "preload the container image on the nodes"},
    {Bucket::kOther, "Time without a recorded cause",
     "record custom events around work before the first step and between attempts"},
});

const BadputAdvice* AdviceFor(Bucket bucket) {
  const auto found = std::ranges::find(kAdvice, bucket, &BadputAdvice::bucket);
  return found == kAdvice.end() ? nullptr : &*found;
}

Severity SeverityOf(double ratio) {
  return ratio >= kHighShare     ? Severity::kHigh
         : ratio >= kMediumShare ? Severity::kMedium
                                 : Severity::kLow;
}

// Sums over the disruptions in the window.
struct Costs {
  int64_t down = 0, detect = 0, queue = 0, launch = 0;
  int64_t by_two_clocks = 0;  // of `down`
  bool split = false;
};

Costs CostsOf(const Partition& p) {
  Costs costs;
  for (const Disruption& d : p.disruption_list) {
    costs.down += d.down;
    costs.by_two_clocks += d.by_two_clocks ? d.down : 0;
    costs.split = costs.split || d.queue;
    costs.detect += d.detect.value_or(0);
    costs.queue += d.queue.value_or(0);
    costs.launch += d.launch.value_or(0);
  }
  return costs;
}

// What disruptions of one kind lost.
struct LostSteps {
  int64_t times = 0, time = 0;
};

Phrase Sentence(const LostSteps& lost, std::string_view name) {
  const Phrase those = Plural(static_cast<size_t>(lost.times), name);
  if (lost.time == 0) return Say("{disruptions} lost nothing", those);
  const std::string time =
      HumanTime(static_cast<double>(lost.time) / static_cast<double>(lost.times));
  return lost.times == 1 ? Say("{disruption} lost {time} of steps", those, time)
                         : Say("{disruptions} lost {time} of steps each on average", those, time);
}

// Announced stops that lost nothing are no reason to save on the notice, and stops without a notice
// are not mended by it. Hangs are to be prevented, or found sooner.
Finding Wasted(const Partition& p, const Phrase& amount) {
  LostSteps announced, sudden, hung;
  for (const Disruption& d : p.disruption_list) {
    const bool hangs = d.hung > 0 && !d.ended_by.starts_with(kKilled);
    LostSteps& kind = hangs ? hung : d.announced ? announced : sudden;
    ++kind.times;
    kind.time += d.recompute;
  }
  constexpr std::string_view kOften = "save checkpoints more often, asynchronously if possible";
  Finding finding{.message = Say("Wasted progress is {amount}.", amount),
                  .table = p.disruptions > 0       ? "disruptions"
                           : p.attempts.size() > 1 ? "attempts"
                                                   : "buckets"};
  const bool last_hung = p.disruptions == 0 && p.At(Bucket::kHungStep) > 0 &&
                         !p.attempts.back().cause.starts_with(kKilled);
  if (p.disruption_list.empty() && !last_hung) {
    finding.because = p.state == "ended" ? "later attempts made these steps again"
                                         : "the job stopped in an open step";
    finding.hint = kOften;
    return finding;
  }
  const bool only_hung = hung.times > 0 && announced.times + sudden.times == 0;
  if (last_hung || only_hung || hung.time > announced.time + sudden.time) {
    finding.because = last_hung ? "the attempt hung" : Sentence(hung, "hung attempt");
    finding.hint = "capture the stacks of all ranks during the hang";
    return finding;
  }
  if (announced.times > 0 && sudden.times > 0) {
    finding.because =
        Sentence(announced, "announced disruption") + "; " + Sentence(sudden, "sudden disruption");
  } else {
    finding.because = announced.times > 0 ? Sentence(announced, "announced disruption")
                                          : Sentence(sudden, "disruption");
  }
  if (announced.times == 0) {  // whether there was a notice is unknown
    finding.hint = "save checkpoints more often, asynchronously if possible, and save on SIGTERM";
  } else if (announced.time == 0) {
    finding.hint = kOften;
  } else if (2 * announced.time > announced.time + sudden.time) {
    finding.hint = "save a checkpoint on the preemption notice";
  } else {
    finding.hint =
        "save checkpoints more often, asynchronously if possible, and save a checkpoint on the "
        "preemption notice";
  }
  return finding;
}

Finding Recovery(const Partition& p, const Phrase& amount) {
  const Costs costs = CostsOf(p);
  if (2 * p.suspended >= p.At(Bucket::kRecovery)) {
    return {.message = Say("Time between attempts is {amount}, mostly after planned ends.", amount),
            .because = Say("{time} of it followed planned ends",
                           HumanTime(static_cast<double>(p.suspended))),
            .hint = "if the pause was not paid for, leave it out with `exclusions`",
            .table = "attempts"};
  }
  const auto human = [](int64_t t) { return HumanTime(static_cast<double>(t)); };
  const std::string each = human(costs.down / std::max<int64_t>(1, p.disruptions));
  const Phrase those = Plural(static_cast<size_t>(p.disruptions), "disruption");
  Finding finding{.message = Say("Recovery is {amount}.", amount),
                  .because = p.disruptions == 1
                                 ? Say("{disruption} took {time} from the last event to the next "
                                       "start",
                                       those, each)
                                 : Say("{disruptions} took {time} each on average from the last "
                                       "event to the next start",
                                       those, each),
                  .hint =
                      "keep hot spares instead of waiting for new nodes; detect hangs by heartbeat "
                      "instead of timeout",
                  .table = p.disruptions > 0 ? "disruptions" : "attempts"};
  if (costs.by_two_clocks > 0) {
    finding.because += Say("; {time} of it by the clocks of two hosts, which nothing compares",
                           human(costs.by_two_clocks));
  }
  if (costs.split) {
    finding.because += Say(" (detect {detect}, queue {queue}, launch {launch})",
                           human(costs.detect), human(costs.queue), human(costs.launch));
    if (costs.queue > costs.detect + costs.launch) {
      finding.hint = "keep hot spares or a reservation; most of it is waiting for resources";
    } else if (costs.launch > costs.detect) {
      finding.hint = "preload container images, or restart in place; most of it is launch";
    } else {
      finding.hint = "shorten the timeouts; most of it is detection";
    }
  }
  return finding;
}

Finding Custom(const Partition& p, const Phrase& amount) {
  const Phrase event = Phrase::Name(p.custom.front().first);
  const auto time = static_cast<double>(p.custom.front().second);
  return {.message = Say("User-defined events are {amount}, mostly {event}.", amount, event),
          .because = Say("{event} took {time}", event, HumanTime(time)),
          .hint = Say("run {event} less often, on fewer samples, or on other chips", event),
          .table = "custom"};
}

// "; longest: step 100 of attempt 1, by 400 s; rank 1 gave no sign of life in it"
Phrase SaySlowest(const Partition& p) {
  const auto beyond = [](const AttemptAccount& a) { return a.slowest ? a.slowest->beyond : 0; };
  if (p.attempts.empty()) return {};
  const AttemptAccount& most = *std::ranges::max_element(p.attempts, {}, beyond);
  if (!most.slowest) return {};
  const SlowStep& slow = *most.slowest;
  Phrase said = Say("; longest: step {step} of attempt {attempt}, by {time}", slow.step,
                    &most - p.attempts.data() + 1, HumanTime(static_cast<double>(slow.beyond)));
  if (slow.silent.size() == 1)
    said += Say("; rank {rank} gave no sign of life in it", slow.silent.front());
  if (slow.silent.size() > 1)
    said += Say("; {count} ranks gave no sign of life in it, such as rank {rank}",
                slow.silent.size(), slow.silent.front());
  return said;
}

std::optional<Finding> Loss(const Partition& p, Bucket bucket, const Phrase& amount) {
  if (bucket == Bucket::kWasted) return Wasted(p, amount);
  if (bucket == Bucket::kRecovery) return Recovery(p, amount);
  if (bucket == Bucket::kCustom && !p.custom.empty()) return Custom(p, amount);
  const BadputAdvice* advice = AdviceFor(bucket);
  if (advice == nullptr) return std::nullopt;
  const auto attempts = std::ranges::count_if(p.attempts, [&](const AttemptAccount& a) {
    return a.times[static_cast<size_t>(bucket)] > 0;
  });
  Phrase where = Say("bucket {bucket}", BucketName(bucket));
  if (attempts > 0) where += ", " + Plural(static_cast<size_t>(attempts), "attempt");
  if (bucket == Bucket::kSlowStep) where += SaySlowest(p);
  return Finding{.message = Say("{loss} is {amount}.", advice->message, amount),
                 .because = std::move(where),
                 .hint = std::string(advice->hint),
                 .table = "buckets"};
}

// Finds data loading of which the log does not tell whether it blocks the steps around it.
std::optional<Finding> Loading(const Partition& p) {
  const int64_t stepping = p.At(Bucket::kProductive) + p.At(Bucket::kWasted);
  if (stepping == 0 || p.async_loading < stepping / 5) return std::nullopt;
  const double ratio =
      std::min(1.0, static_cast<double>(p.async_loading) / static_cast<double>(stepping));
  return Finding{
      .severity = Severity::kLow,
      .message = Say("Data loading is recorded in {share} of the time of steps; whether steps "
                     "wait for it is unknown.",
                     HumanRatio(ratio)),
      .because = "the log tells starts of steps only, and data loading may overlap them",
      .hint =
          "record ends of steps, or all with stepscope's recorder: then what blocks is told apart",
      .impact = 1,
      .table = "buckets"};
}

// ns that others may wait for it in its attempt.
int64_t WaitOf(const AttemptAccount& a) {
  if (!a.late_rank) return 0;
  const LateRank& late = *a.late_rank;
  return late.by() * std::min(late.steps, (a.end - a.start) / late.by());
}

// Finds a rank that others may wait for in each step.
std::optional<Finding> LateRankFinding(const Partition& p, int64_t counted) {
  if (p.attempts.empty()) return std::nullopt;
  const AttemptAccount& most = *std::ranges::max_element(p.attempts, {}, WaitOf);
  if (!most.late_rank || WaitOf(most) == 0) return std::nullopt;
  const LateRank& late = *most.late_rank;
  const double share =
      static_cast<double>(WaitOf(most)) / static_cast<double>(std::max<int64_t>(1, counted));
  if (share < kMinReported) return std::nullopt;
  const std::string by = HumanTime(static_cast<double>(late.by()));
  return Finding{
      .severity = Severity::kMedium,
      .message =
          late.longer > 0
              ? Say("Steps of rank {rank} last {time} longer than those of other ranks: it may be "
                    "a straggler.",
                    late.rank, by)
          : late.own_clock
              ? Say("Rank {rank} begins steps {time} later than other ranks: it may be a "
                    "straggler, or its host's clock ahead.",
                    late.rank, by)
              : Say("Rank {rank} begins steps {time} later than other ranks: it may be a "
                    "straggler.",
                    late.rank, by),
      .because = Say("of {time} from step to step in attempt {attempt}; at most {amount} if the "
                     "others wait for it (stages of a pipeline begin apart by design)",
                     HumanTime(static_cast<double>(late.step_time)), &most - p.attempts.data() + 1,
                     Amount(WaitOf(most), share)),
      .hint = Say("record traces of rank {rank} and of another rank for some steps, and look at "
                  "stragglers; check the load, clocks and data loading of its host",
                  late.rank),
      .impact = WaitOf(most),
      .table = "attempts"};
}

// Finds two jobs of one name, of which one is counted.
std::optional<Finding> OtherJob(const Partition& p) {
  if (p.other_jobs == 0) return std::nullopt;
  return Finding{
      .severity = Severity::kHigh,
      .message = "Two jobs record under this name at the same time; only one is counted.",
      .because = p.other_jobs == 1
                     ? Say("1 process of the other job tells steps of its own, such as {process}",
                           Phrase::Name(p.other_job))
                     : Say("{count} processes of the other job tell steps of their own, such as "
                           "{process}",
                           p.other_jobs, Phrase::Name(p.other_job)),
      .hint = "give each job a name of its own",
      .impact = std::max<int64_t>(1, p.total() - p.At(Bucket::kExcluded)),
      .table = "buckets"};
}

// Finds jobs that took the name of one that had ended.
std::optional<Finding> NextJob(const Partition& p) {
  const auto next = std::ranges::find(p.attempts, true, &AttemptAccount::new_job);
  if (next == p.attempts.end()) return std::nullopt;
  const auto jobs = 1 + std::ranges::count(p.attempts, true, &AttemptAccount::new_job);
  return Finding{
      .severity = Severity::kHigh,
      .message =
          Say("{count} jobs record under this name, one after the other; the time between them is "
              "excluded.",
              jobs),
      .because = Say("attempt {attempt} begins at step {step} again, after a planned end",
                     next - p.attempts.begin() + 1, next->first_step.value_or(0)),
      .hint = "give each job a name of its own",
      .impact = std::max<int64_t>(1, p.total() - p.At(Bucket::kExcluded)),
      .table = "attempts"};
}

}  // namespace

Phrase Amount(int64_t time, double ratio) {
  return Say("{share} of counted time ({time})", HumanRatio(ratio),
             HumanTime(static_cast<double>(time)));
}

std::string_view LossName(Bucket bucket) {
  const BadputAdvice* advice = AdviceFor(bucket);
  return advice == nullptr ? BucketName(bucket) : advice->message;
}

std::string_view HintFor(Bucket bucket) {
  if (const BadputAdvice* advice = AdviceFor(bucket)) return advice->hint;
  if (bucket == Bucket::kWasted) return "save checkpoints more often, and on the preemption notice";
  if (bucket == Bucket::kRecovery) return "keep hot spares; detect hangs by heartbeat";
  if (bucket == Bucket::kCustom) return "run these events less often, or on other chips";
  return "see 'goodput analyze' of the worst jobs";
}

std::vector<Finding> FindLosses(const Partition& p, const StepClock& clock) {
  std::vector<Finding> findings;
  const int64_t counted = p.total() - p.At(Bucket::kExcluded);
  for (size_t b = 0; b < kBuckets && counted > 0; ++b) {
    const double ratio = static_cast<double>(p.times[b]) / static_cast<double>(counted);
    if (ratio < kMinReported) continue;
    if (OnlyOfFailedStarts(p, static_cast<Bucket>(b))) continue;
    if (MostlyFailed(p, clock, static_cast<Bucket>(b))) continue;
    auto finding = Loss(p, static_cast<Bucket>(b), Amount(p.times[b], ratio));
    if (!finding) continue;
    finding->severity = SeverityOf(ratio);
    finding->impact = p.times[b];
    findings.push_back(std::move(*finding));
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::impact);
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  if (const AttemptAccount* hung = HungInSpan(p)) findings.push_back(SpanFinding(p, *hung));
  if (const AttemptAccount* idle = HungAfterSteps(p, clock)) {
    findings.push_back(NoStepFinding(p, *idle));
  }
  for (auto more : {FindHang(p, clock), HungSteps(p, counted), FailedStart(p), FailedStarts(p),
                    SameEnd(p), OtherJob(p), NextJob(p), LateRankFinding(p, counted), Loading(p)}) {
    if (more) findings.push_back(std::move(*more));
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::impact);
  return findings;
}

}  // namespace stepscope::goodput
