// Answers the reference library's queries from its scan.
#include "goodput/accounting/ml_goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/ascii.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Python's datetime holds microseconds; halves go to the even one.
double ToMicroseconds(double seconds) {
  const double whole = std::floor(seconds);
  return (whole * 1e6 + std::nearbyint((seconds - whole) * 1e6)) / 1e6;
}

// Fills in the shares and clears impossible buckets. The query with exclusions (`lenient`) checks
// nothing.
void Finish(MlAnswer& answer, bool lenient = false) {
  if (!answer.error.empty()) return;
  if (answer.total == 0) {
    answer.error =
        "ValueError: Total job time is zero, Goodput cannot be calculated. Please fix the logging "
        "entries.";
    return;
  }
  if (!lenient && (answer.productive < 0 || answer.productive > answer.total)) {
    answer.error =
        "ValueError: Productive training time is invalid. Please fix the logging entries.";
    return;
  }
  const auto plausible = [&](double& time) {
    if (time < 0 || time > answer.total) time = 0;
  };
  double sum = answer.productive;
  for (size_t b = 0; b < answer.badput.size(); ++b) {
    plausible(answer.badput[b]);
    if (b != static_cast<size_t>(Badput::kDataLoadingAsync)) sum += answer.badput[b];
  }
  for (auto& [type, time] : answer.custom) {
    plausible(time);
    sum += time;
  }
  answer.badput[static_cast<size_t>(Badput::kOther)] = std::max(0.0, answer.total - sum);
  answer.goodput_percent = 100 * answer.productive / answer.total;
}

double TotalTime(const MlScan& scan, double query_time) {
  if (!scan.first_job_start) return 0;
  return ToMicroseconds(scan.last_job_end.value_or(query_time)) -
         ToMicroseconds(*scan.first_job_start);
}

MlSpread Describe(std::vector<double> values) {
  MlSpread spread;
  if (values.empty()) return spread;
  for (const double v : values) spread.total += v;
  const auto count = static_cast<double>(values.size());
  spread.mean = spread.total / count;
  spread.least = std::ranges::min(values);
  spread.most = std::ranges::max(values);
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double v : values) squares += (v - spread.mean) * (v - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

}  // namespace

// Nearest to the exact quotient: an int64 as one double would be off by up to 128 ns.
double MlSeconds(int64_t ns) {
  const int64_t whole = ns / kSecond, rest = ns % kSecond;
  return static_cast<double>(whole) + Seconds(rest);
}

int64_t MlGoodput::LabelOf(const std::string& text) {
  const auto [known, is_new] =
      label_of_.try_emplace(Upper(text), static_cast<int64_t>(labels_.size()));
  if (is_new) labels_.push_back(known->first);
  return known->second;
}

void MlGoodput::Add(const Event& event) {
  MlRecord record{.kind = event.kind,
                  .time = event.time == kUnknown ? kNone : MlSeconds(event.time)};
  switch (event.kind) {
    case EventKind::kStepStart:
      record.what = event.step;
      break;
    case EventKind::kCustomBegin:
    case EventKind::kCustomEnd:
    case EventKind::kElasticWaitBegin:
    case EventKind::kElasticWaitEnd:
      record.what = LabelOf(event.text);
      break;
    case EventKind::kCheckpointSave:
    case EventKind::kCheckpointRestore:
    case EventKind::kCheckpointEmergencyRestore:
      record.what = static_cast<int64_t>(checkpoints_.size());
      checkpoints_.push_back(
          {event.kind, event.step, !event.text.starts_with("gs://"), event.checkpoint});
      break;
    case EventKind::kElasticSlices:
      record.what = static_cast<int64_t>(slices_.size());
      slices_.push_back(SliceCountOf(record.time, event));
      break;
    case EventKind::kJobStart:
    case EventKind::kJobEnd:
      break;
    default:
      if (event.kind < EventKind::kAcceleratorInitBegin) return;
      if (event.kind > EventKind::kElasticSlices) return;
  }
  log_.push_back(record);
}

MlAnswer MlGoodput::Whole(double query_time) const {
  const auto customs = MlScan::Customs(log_);
  MlScan scan(log_, customs, nullptr);
  MlAnswer answer = scan.Run(labels_);
  const double saves = Saves(MlTier::kBoth).manager.total;
  answer.badput[static_cast<size_t>(Badput::kCheckpointSave)] = saves;
  answer.badput[static_cast<size_t>(Badput::kCheckpointRestore)] =
      Measure(MlTier::kBoth, false).manager.total;
  if (answer.last_step) answer.productive -= saves;
  answer.total = TotalTime(scan, query_time);
  MeasureSlicesOfJob(scan, answer);
  Finish(answer);
  return answer;
}

MlAnswer MlGoodput::Window(SecondsInterval window) const {
  MlGoodput inside;
  inside.labels_ = labels_;
  for (const MlRecord& r : log_) {
    if (std::isnan(r.time)) {
      MlAnswer answer;
      answer.error = "TypeError: 'NoneType' object cannot be interpreted as an integer";
      return answer;
    }
    if (!(r.time > window.first) || r.time > window.second) continue;
    inside.log_.push_back(r);
    const bool checkpoint = r.kind >= EventKind::kCheckpointSave;
    if (checkpoint) inside.checkpoints_.push_back(checkpoints_[static_cast<size_t>(r.what)]);
  }
  MlAnswer answer;
  if (inside.log_.empty()) {
    answer.error = "ValueError: No log entries found within the interval window.";
    return answer;
  }
  const double first =
      std::max(ToMicroseconds(window.first), ToMicroseconds(inside.log_.front().time));
  const double last =
      std::min(ToMicroseconds(window.second), ToMicroseconds(inside.log_.back().time));
  const auto customs = MlScan::Customs(inside.log_);
  MlScan scan(inside.log_, customs, nullptr);
  answer = scan.Run(labels_);
  const double saves = inside.Saves(MlTier::kBoth).manager.total;
  answer.badput[static_cast<size_t>(Badput::kCheckpointSave)] = saves;
  answer.badput[static_cast<size_t>(Badput::kCheckpointRestore)] =
      inside.Restores(MlTier::kBoth).manager.total;
  if (answer.last_step) answer.productive -= saves;
  answer.total = last - first;
  MeasureSlices(inside.log_, window, answer);
  Finish(answer);
  return answer;
}

MlAnswer MlGoodput::Excluding(std::vector<SecondsInterval> exclusions, double query_time) const {
  std::ranges::sort(exclusions);
  std::vector<SecondsInterval> merged;
  for (const SecondsInterval& e : exclusions) {
    if (!merged.empty() && e.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, e.second);
    } else if (e.second > e.first) {
      merged.push_back(e);
    }
  }
  const auto customs = MlScan::Customs(log_);
  MlScan scan(log_, customs, &merged);
  MlAnswer answer = scan.Run(labels_);
  answer.total = TotalTime(scan, query_time);
  if (answer.total <= answer.excluded) {
    return {.disruptions = answer.disruptions,
            .max_productive_step = answer.max_productive_step,
            .last_step = answer.last_step,
            .excluded = answer.excluded};
  }
  answer.total -= answer.excluded;
  MeasureSlicesOfJob(scan, answer);
  Finish(answer, true);
  return answer;
}

MlDeviation MlGoodput::StepDeviation(std::optional<double> ideal) const {
  std::vector<std::pair<int64_t, double>> steps;
  std::optional<MlRecord> before;
  for (const MlRecord& r : log_) {
    if (r.kind != EventKind::kStepStart) continue;
    if (before && before->what + 1 == r.what)
      steps.emplace_back(before->what, r.time - before->time);
    before = r;
  }
  // For a redone step the last time counts.
  std::ranges::stable_sort(steps, {}, &std::pair<int64_t, double>::first);
  std::vector<std::pair<int64_t, double>> last;
  for (const auto& s : steps) {
    if (!last.empty() && last.back().first == s.first) last.pop_back();
    last.push_back(s);
  }
  return DeviationOf(last, ideal);
}

MlDeviation MlGoodput::StepDeviation(const MlAnswer& answer, std::optional<double> ideal) const {
  if (!answer.step_times) return StepDeviation(ideal);
  return DeviationOf({answer.step_times->begin(), answer.step_times->end()}, ideal, true);
}

void MlGoodput::MeasureSlices(std::span<const MlRecord> log, SecondsInterval over,
                              MlAnswer& answer) const {
  std::vector<MlSliceCount> counts;
  for (const MlRecord& r : log) {
    if (r.kind == EventKind::kElasticSlices) counts.push_back(slices_[static_cast<size_t>(r.what)]);
  }
  answer.slices = MeanSlices(std::move(counts), over);
}

void MlGoodput::MeasureSlicesOfJob(const MlScan& scan, MlAnswer& answer) const {
  if (!scan.first_job_start) return;
  const double start = ToMicroseconds(*scan.first_job_start);
  MeasureSlices(log_, {start, start + answer.total}, answer);
}

MlCheckpoints MlGoodput::Measure(MlTier tier, bool saves) const {
  // The parts of one step in one tier: sums and counts, later means.
  struct Key {
    double sum[5] = {};
    int64_t count = 0;
    bool has[5] = {};
  };
  std::map<std::pair<int64_t, bool>, Key> keys;
  for (const Checkpoint& c : checkpoints_) {
    if (saves != (c.kind == EventKind::kCheckpointSave)) continue;
    const bool local = saves ? c.local : c.kind == EventKind::kCheckpointEmergencyRestore;
    if (tier != MlTier::kBoth && local != (tier == MlTier::kLocal)) continue;
    Key& key = keys[{c.step, c.local}];
    ++key.count;
    const CheckpointTimes& t = c.times;
    const int64_t parts[] = {t.manager.duration, t.checkpointer.duration, t.wait_for_prev.duration,
                             t.get_old_steps.duration, t.broadcast.duration};
    for (size_t p = 0; p < 5; ++p) {
      if (parts[p] == kUnknown) continue;
      key.sum[p] += MlSeconds(parts[p]);
      key.has[p] = true;
    }
  }
  const auto spread = [&](size_t part) {
    std::vector<double> means;
    for (const auto& [at, key] : keys) {
      if (key.has[part]) means.push_back(key.sum[part] / static_cast<double>(key.count));
    }
    return Describe(std::move(means));
  };
  return {spread(0), spread(1), spread(2), spread(3), spread(4)};
}

MlCheckpoints MlGoodput::Saves(MlTier tier) const { return Measure(tier, true); }
MlCheckpoints MlGoodput::Restores(MlTier tier) const { return Measure(tier, false); }

}  // namespace stepscope::goodput
