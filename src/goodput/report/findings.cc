// What cost the most, and what to try.
#include <fmt/format.h>

#include <algorithm>

#include "goodput/report/report.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr double kWorthSaying = 0.02;  // of the time counted
constexpr double kMedium = 0.05, kHigh = 0.10;
constexpr size_t kMost = 3;
constexpr int64_t kMinute = 60'000'000'000;

struct Advice {
  Bucket bucket;
  std::string_view message;  // behind "12 % of the time (3.4 h) "
  std::string_view hint;
};

constexpr auto kAdvice = std::to_array<Advice>({
    {Bucket::kElasticReinit, "went into rebuilding after slices came or went",
     "keep compiled programs for each number of slices, and rebuild only what changed"},
    {Bucket::kElasticDown, "went into waiting for lost slices",
     "keep a spare slice, or let the job go on with fewer after a short wait"},
    {Bucket::kElasticUp, "went into waiting for new slices",
     "take new slices in at the next checkpoint instead of waiting for them"},
    {Bucket::kRestore, "was blocked on reading checkpoints",
     "restore from the memory or the local disk of a peer, and let one replica read and broadcast"},
    {Bucket::kSave, "was blocked on writing checkpoints",
     "save asynchronously: block for the copy to host memory only, and write in the background"},
    {Bucket::kAcceleratorInit, "went into starting the accelerators",
     "preload the container image and keep the processes: restart in place instead of anew"},
    {Bucket::kTrainingPrep, "went into preparing before the first step",
     "cache what is the same at each start: the traced program, the data index, the compilation"},
    {Bucket::kDataLoading, "went into loading data before first steps",
     "start loading while the accelerators start, and save the state of the data pipeline"},
    {Bucket::kStartup, "went into first steps that take longer than the others",
     "keep a persistent compilation cache on storage that outlives the job "
     "(JAX_COMPILATION_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR)"},
    {Bucket::kQueued, "went into waiting for resources",
     "reserve capacity, or ask for a shape that is free more often"},
    {Bucket::kAllocated, "had chips allocated that had not started",
     "preload the container image on the nodes"},
    {Bucket::kOther, "belongs to nothing the job told about",
     "record it: custom events around what runs before the first step and between attempts"},
});

Severity SeverityOf(double ratio) {
  return ratio >= kHigh ? Severity::kHigh : ratio >= kMedium ? Severity::kMedium : Severity::kLow;
}

std::string Amount(int64_t time, double ratio) {
  return fmt::format("{} of the time ({})", HumanRatio(ratio),
                     HumanTime(static_cast<double>(time)));
}

// Sums over the disruptions of the window.
struct Costs {
  int64_t down = 0, detect = 0, queue = 0, launch = 0, announced = 0;
  bool split = false;
};

Costs CostsOf(const Partition& p) {
  Costs costs;
  for (const Disruption& d : p.disruption_list) {
    costs.down += d.down;
    costs.announced += d.announced ? 1 : 0;
    costs.split = costs.split || d.queue;
    costs.detect += d.detect.value_or(0);
    costs.queue += d.queue.value_or(0);
    costs.launch += d.launch.value_or(0);
  }
  return costs;
}

Finding Wasted(const Partition& p, const std::string& amount) {
  const auto lost = p.disruptions > 0 ? p.At(Bucket::kWasted) / p.disruptions : 0;
  const bool told = CostsOf(p).announced > 0;
  return {.message = amount + " went into steps that had to be made again",
          .because = fmt::format(
              "{} lost {} of progress{}", Plural(static_cast<size_t>(p.disruptions), "disruption"),
              HumanTime(static_cast<double>(lost)), p.disruptions == 1 ? "" : " each on average"),
          .hint = told ? "save a checkpoint on the preemption notice: some stops were announced"
                       : "checkpoint more often, at best asynchronously, and save on SIGTERM",
          .table = p.disruptions > 0 ? "disruptions" : "attempts"};
}

Finding Recovery(const Partition& p, const std::string& amount) {
  const Costs costs = CostsOf(p);
  if (2 * p.suspended >= p.At(Bucket::kRecovery)) {
    return {.message = amount + " lies between attempts, mostly after planned ends",
            .because = fmt::format("{} of it followed an end that was planned",
                                   HumanTime(static_cast<double>(p.suspended))),
            .hint = "if nobody paid for the pause, leave it out with `exclusions`",
            .table = "attempts"};
  }
  const int64_t each = costs.down / std::max<int64_t>(1, p.disruptions);
  Finding finding{.message = amount + " the job was down between attempts",
                  .because = fmt::format("{} took {} {}from the last sign of life",
                                         Plural(static_cast<size_t>(p.disruptions), "disruption"),
                                         HumanTime(static_cast<double>(each)),
                                         p.disruptions == 1 ? "" : "each on average "),
                  .hint =
                      "keep hot spares, so that nobody waits for a new node, and let the hang be "
                      "noticed by a heartbeat instead of a timeout",
                  .table = p.disruptions > 0 ? "disruptions" : "attempts"};
  if (costs.split) {
    const auto human = [](int64_t t) { return HumanTime(static_cast<double>(t)); };
    finding.because += fmt::format(" (until noticed {}, queued {}, launching {})",
                                   human(costs.detect), human(costs.queue), human(costs.launch));
    if (costs.queue > costs.detect + costs.launch) {
      finding.hint = "keep hot spares or a reservation: most of it is waiting for resources";
    } else if (costs.launch > costs.detect) {
      finding.hint = "preload container images, or restart in place: most of it is launching";
    } else {
      finding.hint = "shorten the timeouts: most of it passes before anybody notices";
    }
  }
  return finding;
}

Finding Custom(const Partition& p, const std::string& amount) {
  const auto& [type, time] = p.custom.front();
  return {
      .message = amount + " went into events of your own, most of it into " + type,
      .because = fmt::format("{} took {}", type, HumanTime(static_cast<double>(time))),
      .hint = fmt::format("run {} less often, on fewer samples, or beside the training on other "
                          "chips",
                          type),
      .table = "custom"};
}

std::optional<Finding> Loss(const Partition& p, Bucket bucket, const std::string& amount) {
  if (bucket == Bucket::kWasted) return Wasted(p, amount);
  if (bucket == Bucket::kRecovery) return Recovery(p, amount);
  if (bucket == Bucket::kCustom && !p.custom.empty()) return Custom(p, amount);
  const auto advice = std::ranges::find(kAdvice, bucket, &Advice::bucket);
  if (advice == kAdvice.end()) return std::nullopt;
  return Finding{.message = fmt::format("{} {}", amount, advice->message),
                 .because = fmt::format("bucket {}, {}", BucketName(bucket),
                                        Plural(p.attempts.size(), "attempt")),
                 .hint = std::string(advice->hint),
                 .table = "buckets"};
}

// A running job whose open step is far beyond what steps take.
std::optional<Finding> Hang(const Partition& p, const StepClock& clock) {
  const int64_t open = p.At(Bucket::kInProgress);
  const auto ideal = clock.ideal();
  if (!p.running || !ideal || open < kMinute || open / 10 < *ideal) return std::nullopt;
  return Finding{.severity = Severity::kHigh,
                 .message = fmt::format("The open step has lasted for {}: the job seems to hang",
                                        HumanTime(static_cast<double>(open))),
                 .because = fmt::format("steps take {} when nothing disturbs",
                                        HumanTime(static_cast<double>(*ideal))),
                 .hint = "look at the stacks of all ranks, and restart from the last checkpoint",
                 .impact = open,
                 .table = "buckets"};
}

// Attempts in a row that died before they made a step.
std::optional<Finding> CrashLoop(const Partition& p) {
  int64_t times = 0, cost = 0;
  for (const Disruption& d : p.disruption_list) {
    if (!d.made_no_step) continue;
    ++times;
    cost += d.cost();
  }
  if (times < 2) return std::nullopt;
  return Finding{
      .severity = Severity::kHigh,
      .message = fmt::format("{} attempts died before they made a step", times),
      .because = fmt::format("together they cost {}", HumanTime(static_cast<double>(cost))),
      .hint =
          "check nodes before they are given to the job, and leave out those on which "
          "starts failed",
      .impact = cost,
      .table = "disruptions"};
}

}  // namespace

std::vector<Finding> FindLosses(const Partition& p, const StepClock& clock) {
  std::vector<Finding> findings;
  const int64_t counted = p.total() - p.At(Bucket::kExcluded);
  for (size_t b = 0; b < kBuckets && counted > 0; ++b) {
    const double ratio = static_cast<double>(p.times[b]) / static_cast<double>(counted);
    if (ratio < kWorthSaying) continue;
    auto finding = Loss(p, static_cast<Bucket>(b), Amount(p.times[b], ratio));
    if (!finding) continue;
    finding->severity = SeverityOf(ratio);
    finding->impact = p.times[b];
    findings.push_back(std::move(*finding));
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::impact);
  if (findings.size() > kMost) findings.resize(kMost);
  for (auto more : {Hang(p, clock), CrashLoop(p)}) {
    if (more) findings.push_back(std::move(*more));
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::impact);
  return findings;
}

}  // namespace stepscope::goodput
