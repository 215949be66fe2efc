// Finds the largest losses of a job and suggests what to try.
#include <fmt/format.h>

#include <algorithm>

#include "base/time_units.h"
#include "goodput/report/report.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr double kMinReported = 0.02;  // share of counted time
constexpr double kMediumShare = 0.05, kHighShare = 0.10;
constexpr size_t kMostFindings = 3;
constexpr std::string_view kWatch =
    "set a watchdog or a shorter timeout of collectives (NCCL: TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC, "
    "init_process_group(timeout=...)), and record the stacks of all ranks";
constexpr std::string_view kException = "exception ";  // how a process tells that one ended it

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

std::string Amount(int64_t time, double ratio) {
  return fmt::format("{} of counted time ({})", HumanRatio(ratio),
                     HumanTime(static_cast<double>(time)));
}

// Sums over the disruptions in the window.
struct Costs {
  int64_t down = 0, detect = 0, queue = 0, launch = 0;
  bool split = false;
};

Costs CostsOf(const Partition& p) {
  Costs costs;
  for (const Disruption& d : p.disruption_list) {
    costs.down += d.down;
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

std::string Sentence(const LostSteps& lost, std::string_view name) {
  if (lost.time == 0) {
    return fmt::format("{} lost nothing", Plural(static_cast<size_t>(lost.times), name));
  }
  return fmt::format("{} lost {} of steps{}", Plural(static_cast<size_t>(lost.times), name),
                     HumanTime(static_cast<double>(lost.time) / static_cast<double>(lost.times)),
                     lost.times == 1 ? "" : " each on average");
}

// Announced stops that lost nothing are no reason to save on the notice, and stops without a notice
// are not mended by it. Hangs are to be prevented, or found sooner.
Finding Wasted(const Partition& p, const std::string& amount) {
  LostSteps announced, sudden, hung;
  for (const Disruption& d : p.disruption_list) {
    LostSteps& kind = d.hung > 0 ? hung : d.announced ? announced : sudden;
    ++kind.times;
    kind.time += d.recompute;
  }
  constexpr std::string_view kOnNotice = "save a checkpoint on the preemption notice";
  constexpr std::string_view kOften = "save checkpoints more often, asynchronously if possible";
  Finding finding{.message = "Wasted progress is " + amount + ".",
                  .table = p.disruptions > 0       ? "disruptions"
                           : p.attempts.size() > 1 ? "attempts"
                                                   : "buckets"};
  const bool last_hung = p.disruptions == 0 && p.At(Bucket::kHungStep) > 0;
  if (p.disruption_list.empty() && !last_hung) {
    finding.because = p.state == "ended" ? "later attempts made these steps again"
                                         : "the job stopped in an open step";
    finding.hint = kOften;
    return finding;
  }
  const bool only_hung = hung.times > 0 && announced.times + sudden.times == 0;
  if (last_hung || only_hung || hung.time > announced.time + sudden.time) {
    finding.because = last_hung ? "the attempt hung" : Sentence(hung, "hung attempt");
    finding.hint = "find what hangs: the stacks of all ranks at the time tell";
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
    finding.hint = fmt::format("{}, and save on SIGTERM", kOften);
  } else if (announced.time == 0) {
    finding.hint = kOften;
  } else if (2 * announced.time > announced.time + sudden.time) {
    finding.hint = kOnNotice;
  } else {
    finding.hint = fmt::format("{}, and {}", kOften, kOnNotice);
  }
  return finding;
}

Finding Recovery(const Partition& p, const std::string& amount) {
  const Costs costs = CostsOf(p);
  if (2 * p.suspended >= p.At(Bucket::kRecovery)) {
    return {.message = "Time between attempts is " + amount + ", mostly after planned ends.",
            .because = fmt::format("{} of it followed planned ends",
                                   HumanTime(static_cast<double>(p.suspended))),
            .hint = "if the pause was not paid for, leave it out with `exclusions`",
            .table = "attempts"};
  }
  const int64_t each = costs.down / std::max<int64_t>(1, p.disruptions);
  Finding finding{.message = "Recovery is " + amount + ".",
                  .because = fmt::format("{} took {} {}from the last event to the next start",
                                         Plural(static_cast<size_t>(p.disruptions), "disruption"),
                                         HumanTime(static_cast<double>(each)),
                                         p.disruptions == 1 ? "" : "each on average "),
                  .hint =
                      "keep hot spares instead of waiting for new nodes; detect hangs by heartbeat "
                      "instead of timeout",
                  .table = p.disruptions > 0 ? "disruptions" : "attempts"};
  if (costs.split) {
    const auto human = [](int64_t t) { return HumanTime(static_cast<double>(t)); };
    finding.because += fmt::format(" (detect {}, queue {}, launch {})", human(costs.detect),
                                   human(costs.queue), human(costs.launch));
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

Finding Custom(const Partition& p, const std::string& amount) {
  const auto& [type, time] = p.custom.front();
  return {.message = "User-defined events are " + amount + ", mostly " + type + ".",
          .because = fmt::format("{} took {}", type, HumanTime(static_cast<double>(time))),
          .hint = fmt::format("run {} less often, on fewer samples, or on other chips", type),
          .table = "custom"};
}

std::optional<Finding> Loss(const Partition& p, Bucket bucket, const std::string& amount) {
  if (bucket == Bucket::kWasted) return Wasted(p, amount);
  if (bucket == Bucket::kRecovery) return Recovery(p, amount);
  if (bucket == Bucket::kCustom && !p.custom.empty()) return Custom(p, amount);
  const BadputAdvice* advice = AdviceFor(bucket);
  if (advice == nullptr) return std::nullopt;
  return Finding{.message = fmt::format("{} is {}.", advice->message, amount),
                 .because = fmt::format("bucket {}, {}", BucketName(bucket),
                                        Plural(p.attempts.size(), "attempt")),
                 .hint = std::string(advice->hint),
                 .table = "buckets"};
}

// Finds steps in which attempts ended long after they began.
std::optional<Finding> Hung(const Partition& p, int64_t counted) {
  const int64_t hung = p.At(Bucket::kHungStep);
  const double ratio =
      static_cast<double>(hung) / static_cast<double>(std::max<int64_t>(1, counted));
  if (hung == 0 || (ratio < kMinReported && hung < kMinute)) return std::nullopt;
  size_t hangs = 0;
  const AttemptAccount* longest = nullptr;
  for (const AttemptAccount& a : p.attempts) {
    const auto time = [](const AttemptAccount& of) {
      return of.times[static_cast<size_t>(Bucket::kHungStep)];
    };
    if (time(a) == 0) continue;
    ++hangs;
    if (longest == nullptr || time(a) > time(*longest)) longest = &a;
  }
  std::string where;
  if (longest != nullptr && longest->last_step) {
    where = fmt::format(
        "attempt {} ended in step {} after {}", longest - p.attempts.data() + 1,
        *longest->last_step,
        HumanTime(static_cast<double>(longest->times[static_cast<size_t>(Bucket::kHungStep)])));
    if (!longest->behind.empty()) where += ", in which " + longest->behind;
  }
  return Finding{.severity = Severity::kHigh,
                 .message = fmt::format("Hung steps are {}.", Amount(hung, ratio)),
                 .because = fmt::format("{}{}{}", Plural(hangs, "attempt"),
                                        hangs == 1 ? " hung" : " hung; the longest: ",
                                        hangs == 1 ? ": " + where : where),
                 .hint = std::string(kWatch),
                 .impact = hung,
                 .table = "buckets"};
}

// The attempt that ended, by no exception, longest after the begin of a span without an end.
const AttemptAccount* HungInSpan(const Partition& p) {
  constexpr int64_t kLong = 10 * kMinute;
  const AttemptAccount* longest = nullptr;
  for (const AttemptAccount& a : p.attempts) {
    if (a.ended || a.open_time < kLong || a.cause.starts_with(kException)) continue;
    if (longest == nullptr || a.open_time > longest->open_time) longest = &a;
  }
  return longest;
}

Finding SpanFinding(const Partition& p, const AttemptAccount& a) {
  const BadputAdvice* advice = AdviceFor(a.open_bucket);
  const std::string_view what = !a.open_type.empty() ? std::string_view(a.open_type)
                                : advice == nullptr  ? BucketName(a.open_bucket)
                                                     : advice->message;
  return {.severity = Severity::kHigh,
          .message = fmt::format("{} did not end for {}: it may have hung.", what,
                                 HumanTime(static_cast<double>(a.open_time))),
          .because = fmt::format("attempt {} ended in it{}{}", &a - p.attempts.data() + 1,
                                 a.cause.empty() ? "" : ": ", a.cause),
          .hint = std::string(kWatch),
          .impact = a.open_time,
          .table = "attempts"};
}

// Finds data loading of which the log does not tell whether it blocks the steps around it.
std::optional<Finding> Loading(const Partition& p) {
  const int64_t stepping = p.At(Bucket::kProductive) + p.At(Bucket::kWasted);
  if (stepping == 0 || p.async_loading < stepping / 5) return std::nullopt;
  const double ratio =
      std::min(1.0, static_cast<double>(p.async_loading) / static_cast<double>(stepping));
  return Finding{
      .severity = Severity::kLow,
      .message = fmt::format("Data loading is recorded in {} of the time of steps; whether steps "
                             "wait for it is unknown.",
                             HumanRatio(ratio)),
      .because = "the log tells starts of steps only, and data loading may overlap them",
      .hint =
          "record ends of steps, or all with stepscope's recorder: then what blocks is told apart",
      .impact = 1,
      .table = "buckets"};
}

// Finds two jobs of one name, of which one is counted.
std::optional<Finding> OtherJob(const Partition& p) {
  if (p.other_jobs == 0) return std::nullopt;
  return Finding{
      .severity = Severity::kHigh,
      .message = "Two jobs record under this name at the same time; only one is counted.",
      .because = fmt::format(
          "{} of the other job {}, such as {}",
          p.other_jobs == 1 ? "1 process" : fmt::format("{} processes", p.other_jobs),
          p.other_jobs == 1 ? "tells steps of its own" : "tell steps of their own", p.other_job),
      .hint = "give each job a name of its own",
      .impact = std::max<int64_t>(1, p.total() - p.At(Bucket::kExcluded)),
      .table = "buckets"};
}

// Finds several attempts that ended before their first step.
std::optional<Finding> CrashLoop(const Partition& p) {
  int64_t times = 0, cost = 0;
  std::string_view cause;
  for (const Disruption& d : p.disruption_list) {
    if (!d.made_no_step) continue;
    ++times;
    cost += d.cost();
    cause = d.ended_by;
  }
  if (times < 2) return std::nullopt;
  const bool by_exception = cause.starts_with(kException);
  return Finding{
      .severity = Severity::kHigh,
      .message = fmt::format("{} attempts ended before their first step.", times),
      .because = fmt::format("they cost {} in total{}{}", HumanTime(static_cast<double>(cost)),
                             cause.empty() ? "" : "; the last one: ", cause),
      .hint = by_exception ? "mend what the exception names: another start meets it again"
                           : "check nodes before the job starts; exclude nodes on which starts "
                             "failed",
      .impact = cost,
      .table = "disruptions"};
}

// Finds the last attempts that all ended in one step by one exception.
std::optional<Finding> SameEnd(const Partition& p) {
  constexpr size_t kFewest = 3;
  if (p.attempts.empty()) return std::nullopt;
  const AttemptAccount& last = p.attempts.back();
  if (!last.cause.starts_with(kException) || !last.last_step) return std::nullopt;
  const auto is_same = [&](const AttemptAccount& a) {
    return a.cause == last.cause && a.last_step == last.last_step;
  };
  size_t first = p.attempts.size();
  while (first > 0 && is_same(p.attempts[first - 1])) --first;
  const size_t times = p.attempts.size() - first;
  if (times < kFewest) return std::nullopt;
  int64_t cost = 1;
  for (const Disruption& d : p.disruption_list) {
    if (d.attempt >= first) cost += d.cost();
  }
  return Finding{
      .severity = Severity::kHigh,
      .message = fmt::format("{} attempts in a row ended in step {}: {}.", times, *last.last_step,
                             last.cause),
      .because = fmt::format("they cost {} in total", HumanTime(static_cast<double>(cost))),
      .hint = "mend the program or the data of this step: another start meets it again",
      .impact = cost,
      .table = "disruptions"};
}

}  // namespace

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
  const AttemptAccount* hung = HungInSpan(p);
  for (size_t b = 0; b < kBuckets && counted > 0; ++b) {
    const double ratio = static_cast<double>(p.times[b]) / static_cast<double>(counted);
    if (ratio < kMinReported) continue;
    // What hung is nothing to make faster.
    const bool is_hang = hung != nullptr && b == static_cast<size_t>(hung->open_bucket);
    if (is_hang && hung->open_time > p.times[b] / 2) continue;
    auto finding = Loss(p, static_cast<Bucket>(b), Amount(p.times[b], ratio));
    if (!finding) continue;
    finding->severity = SeverityOf(ratio);
    finding->impact = p.times[b];
    findings.push_back(std::move(*finding));
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::impact);
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  if (hung != nullptr) findings.push_back(SpanFinding(p, *hung));
  for (auto more :
       {FindHang(p, clock), Hung(p, counted), CrashLoop(p), SameEnd(p), OtherJob(p), Loading(p)}) {
    if (more) findings.push_back(std::move(*more));
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::impact);
  return findings;
}

}  // namespace stepscope::goodput
