// Collects the metrics of live jobs.
#include "goodput/live/metrics.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kForgetAfter = kDay;

// The bounds of the step time histogram, ns.
constexpr auto kBounds = std::to_array<int64_t>(
    {kMillisecond, 5 * kMillisecond / 2, 5 * kMillisecond, 10 * kMillisecond, 25 * kMillisecond,
     50 * kMillisecond, 100 * kMillisecond, 250 * kMillisecond, 500 * kMillisecond, kSecond,
     2500 * kMillisecond, 5 * kSecond, 10 * kSecond, 25 * kSecond, 60 * kSecond, 120 * kSecond,
     300 * kSecond, 600 * kSecond, 1800 * kSecond});

using Type = MetricType;

struct Family {
  std::string_view name;
  Type type;
  std::string_view help;
};

enum Name : size_t {
  kSeconds,
  kElapsed,
  kRatio,
  kWindowRatio,
  kRunning,
  kAttempts,
  kDisruptions,
  kStep,
  kProductiveStep,
  kOpenStep,
  kLastStepTime,
  kIdealStepTime,
  kStepTime,
  kSilence,
  kCheckpointAge,
  kCheckpointSteps,
  kTokens,
  kFlops,
  kMfu,
  kEmfu,
  kModelFlops,
  kPeakFlops,
  kEvents,
  kOddEvents,
  kIngest,
  kDiskFree,
  kDiskSize,
  kRelayEvents,
  kRelayRestarts,
  kRelayLag,
  kRelayLagBytes,
  kRelayConfirmed,
  kDatabaseLag,
  kDatabaseLagEvents,
  kDatabaseConfirmed,
  kNames
};

// In the order of Name.
constexpr std::array<Family, kNames> kFamilies = {{
    {"seconds", Type::kGauge,
     "Time of the job by bucket; buckets add up to elapsed_seconds. A gauge, since a restart turns "
     "productive into wasted time: use delta(), not rate()."},
    {"elapsed_seconds", Type::kGauge,
     "Time from submission or start of the job to now or its end."},
    {"ratio", Type::kGauge, "Goodput of the whole job: productive time / elapsed time."},
    {"window_ratio", Type::kGauge, "Goodput of the last window."},
    {"running", Type::kGauge, "1 until the job ends, fails or stays silent for an hour, then 0."},
    {"attempts", Type::kGauge, "Attempts of the job."},
    {"disruptions", Type::kCounter,
     "Unplanned ends of attempts that were followed by another attempt."},
    {"step", Type::kGauge, "Last started step."},
    {"productive_step", Type::kGauge, "Last productive step."},
    {"open_step_seconds", Type::kGauge, "Time since the start of a running job's open step."},
    {"last_step_seconds", Type::kGauge, "Duration of the last step."},
    {"ideal_step_seconds", Type::kGauge, "Step time without disturbances."},
    {"step_seconds", Type::kHistogram, "Step times, without the first step of each attempt."},
    {"seconds_since_last_event", Type::kGauge, "Time since the last event, heartbeats included."},
    {"checkpoint_age_seconds", Type::kGauge, "Time since the last checkpoint of a running job."},
    {"checkpoint_age_steps", Type::kGauge, "Steps started since the last checkpoint."},
    {"tokens", Type::kCounter, "Trained tokens, as recorded."},
    {"flops", Type::kCounter, "Floating point operations, as recorded."},
    {"mfu", Type::kGauge, "MFU during steps: model FLOP/s / peak FLOP/s of the job's chips."},
    {"emfu", Type::kGauge,
     "EMFU during steps: model FLOP/s / bf16 peak of the job's chips, for any data type."},
    {"model_flops", Type::kCounter,
     "Model FLOPs: tokens x FLOPs per token, or as recorded. Their rate / peak_flops_per_second is "
     "the MFU of any time range."},
    {"peak_flops_per_second", Type::kGauge, "Peak FLOP/s of all chips of the job."},
    {"events", Type::kCounter, "Events of the job."},
    {"odd_events", Type::kCounter, "Events with an oddity, by its name."},
    {"ingest_events", Type::kCounter, "Events received over HTTP, by result."},
    {"disk_free_bytes", Type::kGauge,
     "Free space of the disk with the events; on a full disk events are lost."},
    {"disk_size_bytes", Type::kGauge, "Size of the disk with the events."},
    {"relay_events", Type::kCounter, "Events passed on to the next collector, by its answer."},
    {"relay_restarts", Type::kCounter,
     "How often the next collector had another store than before, and all was sent again."},
    {"relay_lag_seconds", Type::kGauge,
     "Time since all stored events were confirmed by the next collector, or since the start."},
    {"relay_lag_bytes", Type::kGauge,
     "Stored bytes of events that the next collector has not confirmed."},
    {"relay_confirmed_timestamp_seconds", Type::kGauge,
     "When the next collector last confirmed events, since 1970."},
    {"database_lag_seconds", Type::kGauge,
     "Time since the database took all stored events, or since the start."},
    {"database_lag_events", Type::kGauge,
     "Events stored since the database took all, or since the start."},
    {"database_confirmed_timestamp_seconds", Type::kGauge,
     "When the database last took all stored events, since 1970."},
}};

// Bucket names in lower case.
std::string_view BucketLabel(Bucket bucket) {
  static const auto kLabels = [] {
    std::array<std::string, kBuckets> labels;
    for (size_t b = 0; b < kBuckets; ++b) labels[b] = Lower(BucketName(static_cast<Bucket>(b)));
    return labels;
  }();
  return kLabels[static_cast<size_t>(bucket)];
}

// Collects the points of one job after another.
class Collector {
 public:
  Collector() {
    for (size_t k = 0; k < kNames; ++k) {
      families_[k] = {kFamilies[k].name, kFamilies[k].type, kFamilies[k].help, {}, {}};
    }
  }

  void StartJob(const std::string& name, int64_t since) {
    job_ = &name;
    since_ = since;
  }
  void StartServer(std::optional<int64_t> since) {
    job_ = nullptr;
    since_ = since;
  }

  void Add(Name name, double number, std::string_view key = {}, std::string_view value = {}) {
    families_[name].points.push_back({job_, key, value, number, since_});
  }
  void Add(Name name, const std::optional<double>& number) {
    if (number) Add(name, *number);
  }
  void AddTime(Name name, const std::optional<int64_t>& ns) {
    if (ns) Add(name, Seconds(*ns));
  }
  void AddSince(Name name, int64_t time, int64_t now) {
    Add(name, Seconds(std::max<int64_t>(0, now - time)));
  }
  void AddHistogram(Name name, HistogramCounts counts, double sum) {
    Add(name, sum);
    families_[name].histograms.push_back(std::move(counts));
  }
  std::string_view Keep(std::string text) { return metrics_.texts.emplace_back(std::move(text)); }

  Metrics Take() {
    for (MetricFamily& family : families_) {
      if (!family.points.empty()) metrics_.families.push_back(std::move(family));
    }
    for (const int64_t bound : kBounds) metrics_.bounds.push_back(Seconds(bound));
    return std::move(metrics_);
  }

 private:
  std::array<MetricFamily, kNames> families_;
  Metrics metrics_;
  const std::string* job_ = nullptr;
  std::optional<int64_t> since_;
};

void AddDisruptions(Collector& out, const Partition& p) {
  int64_t announced = 0, in_process = 0, unannounced = 0;
  for (const Disruption& d : p.disruption_list) {
    ++(d.announced ? announced : d.in_process ? in_process : unannounced);
  }
  out.Add(kDisruptions, static_cast<double>(announced), "kind", "announced");
  out.Add(kDisruptions, static_cast<double>(in_process), "kind", "in_process");
  out.Add(kDisruptions, static_cast<double>(unannounced), "kind", "unannounced");
}

void AddStepTimes(Collector& out, const StepClock& clock) {
  out.AddTime(kLastStepTime, clock.last());
  out.AddTime(kIdealStepTime, clock.ideal());
  HistogramCounts counts{.all = clock.steps()};
  for (const int64_t bound : kBounds) counts.up_to.push_back(clock.StepsUpTo(bound));
  out.AddHistogram(kStepTime, std::move(counts), Seconds(clock.sum()));
}

void AddUse(Collector& out, const MetricsOptions& options, const Accounting& accounting,
            const Partition& p) {
  if (!options.program) return;
  const auto use = UseOf(*options.program, accounting, p);
  if (!use) return;
  out.Add(kMfu, use->mfu);
  out.Add(kEmfu, use->emfu);
  out.Add(kModelFlops, use->flops);
  out.Add(kPeakFlops, use->peak_flops);
}

void AddPartition(Collector& out, LiveJob& job, const MetricsOptions& options, int64_t now) {
  const Partition p = job.At(now);
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    if (bucket == Bucket::kExcluded) continue;
    out.Add(kSeconds, Seconds(p.times[b]), "bucket", BucketLabel(bucket));
  }
  out.Add(kElapsed, Seconds(p.total()));
  out.Add(kRatio, p.goodput());
  for (const auto& [name, size] : kLiveWindows) {
    if (const auto recent = job.GoodputOfLast(size, now)) {
      out.Add(kWindowRatio, *recent, "window", name);
    }
  }
  out.Add(kRunning, p.running ? 1 : 0);
  out.Add(kAttempts, static_cast<double>(p.attempts.size()));
  AddDisruptions(out, p);
  AddUse(out, options, job.accounting(), p);
  if (p.max_productive_step) out.Add(kProductiveStep, static_cast<double>(*p.max_productive_step));
  if (p.open_since) out.AddSince(kOpenStep, *p.open_since, now);
  if (!p.running || !job.checkpoint_time) return;
  out.AddSince(kCheckpointAge, *job.checkpoint_time, now);
  if (!job.checkpoint_step || !job.step) return;
  out.Add(kCheckpointSteps, std::max(0.0, static_cast<double>(*job.step) -
                                              static_cast<double>(*job.checkpoint_step)));
}

void AddJob(Collector& out, const std::string& name, LiveJob& job, const MetricsOptions& options,
            int64_t now) {
  if (!job.first || !job.latest || now - *job.latest > kForgetAfter) return;
  out.StartJob(name, *job.first);
  const Accounting& accounting = job.accounting();
  if (!accounting.empty()) AddPartition(out, job, options, now);
  AddStepTimes(out, accounting.step_clock());
  if (job.step) out.Add(kStep, static_cast<double>(*job.step));
  out.AddSince(kSilence, *job.latest, now);
  if (accounting.tokens() > 0) out.Add(kTokens, static_cast<double>(accounting.tokens()));
  if (accounting.billion_flops() > 0) {
    out.Add(kFlops, static_cast<double>(accounting.billion_flops()) * 1e9);
  }
  out.Add(kEvents, static_cast<double>(job.events()));
  for (Note& note : job.note_counts().List()) {
    out.Add(kOddEvents, static_cast<double>(note.count), "why", out.Keep(std::move(note.name)));
  }
}

void AddIngest(Collector& out, const IngestCounts& counts, std::optional<int64_t> since) {
  out.StartServer(since);
  const auto add = [&](std::string_view result, int64_t count) {
    out.Add(kIngest, static_cast<double>(count), "result", result);
  };
  add("stored", counts.stored);
  add("duplicate", counts.duplicates);
  add("unnumbered", counts.unnumbered);
  add("unreadable", counts.unreadable);
  add("no_room", counts.no_room);
}

void AddRelay(Collector& out, const RelayState& relay, std::optional<int64_t> since) {
  out.StartServer(since);
  const auto add = [&](std::string_view result, int64_t count) {
    out.Add(kRelayEvents, static_cast<double>(count), "result", result);
  };
  add("stored", relay.progress.stored);
  add("duplicate", relay.progress.duplicates);
  add("unreadable", relay.progress.refused);
  out.Add(kRelayRestarts, static_cast<double>(relay.progress.restarts));
  out.Add(kRelayLag, Seconds(relay.lag));
  out.Add(kRelayLagBytes, static_cast<double>(relay.lag_bytes));
  out.AddTime(kRelayConfirmed, relay.confirmed);
}

void AddDatabase(Collector& out, const DatabaseState& database, std::optional<int64_t> since) {
  out.StartServer(since);
  out.Add(kDatabaseLag, Seconds(database.lag));
  out.Add(kDatabaseLagEvents, static_cast<double>(database.events));
  out.AddTime(kDatabaseConfirmed, database.confirmed);
}

}  // namespace

Metrics CollectMetrics(std::map<std::string, LiveJob>& jobs, const MetricsOptions& options,
                       int64_t now) {
  Collector out;
  const std::string prefix = options.team.empty() ? "" : options.team + "/";
  for (auto& [name, job] : jobs) {
    if (name.starts_with(prefix)) AddJob(out, name, job, options, now);
  }
  if (options.disk) {
    out.StartServer(options.serving_since);
    out.Add(kDiskFree, options.disk->free);
    out.Add(kDiskSize, options.disk->size);
  }
  if (options.ingest != nullptr) AddIngest(out, *options.ingest, options.serving_since);
  if (options.relay) AddRelay(out, *options.relay, options.serving_since);
  if (options.database) AddDatabase(out, *options.database, options.serving_since);
  return out.Take();
}

}  // namespace stepscope::goodput
