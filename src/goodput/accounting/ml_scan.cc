// Scans the log: segments of steps between disruptions, pairs of starts and ends, and the rest.
#include "goodput/accounting/ml_scan.h"

#include <algorithm>
#include <cmath>

namespace stepscope::goodput {
namespace {

double Overlap(double start, double end, const SecondsInterval& other) {
  return std::max(0.0, std::min(end, other.second) - std::max(start, other.first));
}

bool IsElastic(EventKind kind) {
  return kind >= EventKind::kElasticWaitBegin && kind <= EventKind::kElasticSlices;
}

}  // namespace

MlScan::MlScan(std::span<const MlRecord> log, std::span<const MlCustom> customs,
               const std::vector<SecondsInterval>* exclusions)
    : log_(log), customs_(customs), exclusions_(exclusions) {
  for (const MlCustom& c : customs_) longest_custom_ = std::max(longest_custom_, c.end - c.start);
  if (exclusions_ != nullptr) answer_.step_times.emplace();
}

std::vector<MlCustom> MlScan::Customs(std::span<const MlRecord> log) {
  std::map<int64_t, double> open;
  std::vector<MlCustom> customs;
  for (const MlRecord& r : log) {
    if (r.kind == EventKind::kCustomBegin) open[r.what] = r.time;
    if (r.kind != EventKind::kCustomEnd) continue;
    const auto begun = open.find(r.what);
    if (begun == open.end()) continue;
    if (begun->second < r.time) {
      customs.push_back({begun->second, r.time, static_cast<size_t>(r.what)});
    }
    open.erase(begun);
  }
  std::ranges::sort(customs, {}, &MlCustom::start);
  return customs;
}

bool MlScan::Segment::Contains(int64_t step) const {
  if (!ascending) return seen.contains(step);
  const auto found = std::ranges::lower_bound(steps, step, {}, &std::pair<int64_t, double>::first);
  return found != steps.end() && found->first == step;
}

void MlScan::Segment::Append(int64_t step, double time) {
  if (ascending && !steps.empty() && step < steps.back().first) {
    ascending = false;
    for (const auto& known : steps) seen.insert(known.first);
  }
  if (!ascending) seen.insert(step);
  steps.emplace_back(step, time);
}

std::pair<int64_t, double> MlScan::Segment::Largest() const {
  return *std::ranges::max_element(steps, {}, &std::pair<int64_t, double>::first);
}

double MlScan::Excluded(double start, double end) {
  double excluded = 0;
  if (exclusions_ != nullptr) {
    for (const SecondsInterval& e : *exclusions_) excluded += Overlap(start, end, e);
  }
  answer_.excluded += excluded;
  return excluded;
}

double MlScan::Kept(double start, double end) { return end - start - Excluded(start, end); }

// Time of custom events in a step: of those inside it, or with exclusions of all overlap.
double MlScan::TakeCustoms(double start, double end) {
  const double from = exclusions_ == nullptr ? start : start - longest_custom_;
  double taken = 0;
  for (auto c = std::ranges::lower_bound(customs_, from, {}, &MlCustom::start);
       c != customs_.end() && c->start <= end && looks_ < kMostLooks; ++c, ++looks_) {
    const bool inside = c->start >= start && c->end <= end;
    const double time = exclusions_ != nullptr ? Overlap(start, end, {c->start, c->end})
                        : inside               ? c->end - c->start
                                               : 0;
    if (time <= 0) continue;
    by_label_[c->label] += time;
    used_label_[c->label] = true;
    taken += time;
  }
  return taken;
}

void MlScan::CloseSegment(int64_t resume) {
  if (segment_.steps.empty()) return;
  // The last segment gives the last productive step, even if it has none; with exclusions the
  // greatest does.
  std::optional<int64_t>& most = answer_.max_productive_step;
  if (exclusions_ == nullptr) most = 0;
  if (exclusions_ == nullptr && resume == 0) return;  // nothing at all is booked then
  const int64_t smallest =
      std::ranges::min_element(segment_.steps, {}, &std::pair<int64_t, double>::first)->first;
  std::optional<double> first;
  std::optional<int64_t> last_kept;
  double rest = 0, productive = 0;
  int64_t others = 0;
  for (size_t k = 1; k < segment_.steps.size(); ++k) {
    const auto [before, start] = segment_.steps[k - 1];
    const auto [step, end] = segment_.steps[k];
    const double excluded = Excluded(start, end);
    if (step > resume) {
      const double lost = end - start - excluded;
      Bucket(Badput::kWasted) += exclusions_ == nullptr ? lost : std::max(0.0, lost);
    } else if (step - 1 == before) {
      const double time = std::max(0.0, end - start - TakeCustoms(start, end) - excluded);
      productive += time;
      if (answer_.step_times) (*answer_.step_times)[before] = time;
      if (before == smallest) {
        first = time;
      } else {
        rest += time;
        ++others;
      }
      last_kept = before;
    }
  }
  if (last_kept)
    most = std::max(exclusions_ == nullptr ? *last_kept : most.value_or(0), *last_kept);
  if (others > 0 && first) {
    const double excess = std::max(0.0, *first - rest / static_cast<double>(others));
    Bucket(Badput::kProgramStartup) += excess;
    productive -= excess;
    if (answer_.step_times) (*answer_.step_times)[smallest] -= excess;
  }
  answer_.productive += productive;
}

void MlScan::TakeStep(int64_t step, double time) {
  if (!segment_.Contains(step)) return segment_.Append(step, time);
  ++answer_.disruptions;
  const double last_time = segment_.steps.back().second;
  CloseSegment(step);
  if (exclusions_ == nullptr && pending_load_) {
    Bucket(Badput::kDataLoadingSync) += *pending_load_;
    pending_load_.reset();
  }
  next_load_blocks_ = true;
  if (job_start_ && *job_start_ > last_time) {
    Bucket(Badput::kRecovery) += Kept(last_time, *job_start_);
  }
  segment_ = {};
  segment_.Append(step, time);
}

void MlScan::TakeLoading(double duration) {
  loading_ += duration;
  pending_load_ = duration;
  if (next_load_blocks_) Bucket(Badput::kDataLoadingSync) += duration;
  next_load_blocks_ = false;
}

void MlScan::TakeSpan(const MlRecord& record) {
  const EventKind begin = BeginOf(record.kind);
  if (begin == EventKind::kNone) {
    open_[{record.kind, record.what}] = record.time;
    return;
  }
  const auto begun = open_.find({begin, record.what});
  if (begun == open_.end()) return;
  const double start = begun->second;
  open_.erase(begun);
  switch (begin) {
    case EventKind::kAcceleratorInitBegin:
      Bucket(Badput::kTpuInitialization) += Kept(start, record.time);
      init_and_prep_[0].emplace_back(start, record.time);
      return;
    case EventKind::kTrainingPrepBegin:
      Bucket(Badput::kTrainingPrep) += Kept(start, record.time);
      init_and_prep_[1].emplace_back(start, record.time);
      return;
    case EventKind::kDataLoadingBegin:
      return TakeLoading(Kept(start, record.time));
    case EventKind::kElasticReinitBegin:
      Bucket(Badput::kElasticReinit) += Kept(start, record.time);
      reinits_.emplace_back(start, record.time);
      return;
    default:
      return;
  }
}

MlAnswer MlScan::Run(const std::vector<std::string>& labels) {
  by_label_.assign(labels.size(), 0);
  used_label_.assign(labels.size(), false);
  for (const MlRecord& r : log_) {
    if (IsElastic(r.kind)) {
      // The query that takes exclusions knows nothing of slices.
      if (exclusions_ != nullptr) continue;
      answer_.elastic = true;
    }
    if (r.kind == EventKind::kStepStart) {
      TakeStep(r.what, r.time);
      answer_.last_step = r.what;
    } else if (r.kind == EventKind::kJobStart) {
      job_start_ = r.time;
      if (!first_job_start) first_job_start = r.time;
    } else if (r.kind == EventKind::kJobEnd) {
      last_job_end = r.time;
    } else if (r.kind == EventKind::kElasticWaitBegin) {
      open_[{r.kind, r.what}] = r.time;
    } else if (r.kind == EventKind::kElasticWaitEnd) {
      const auto begun = open_.find({EventKind::kElasticWaitBegin, r.what});
      if (begun == open_.end()) continue;
      const bool up = labels[static_cast<size_t>(r.what)].contains("SCALE_UP");
      Bucket(up ? Badput::kElasticScaleUp : Badput::kElasticSliceDown) +=
          Kept(begun->second, r.time);
      open_.erase(begun);
    } else {
      TakeSpan(r);
    }
  }
  for (size_t k = 0; k < 2; ++k) {
    for (const auto& [start, end] : init_and_prep_[k]) {
      double within = 0;
      for (const SecondsInterval& reinit : reinits_) within += Overlap(start, end, reinit);
      answer_.badput[k] -= within;
    }
  }
  Bucket(Badput::kDataLoadingAsync) = loading_ - Bucket(Badput::kDataLoadingSync);
  if (!segment_.steps.empty()) {
    const auto [step, time] = segment_.Largest();
    CloseSegment(step);
    if (last_job_end) {
      const double tail = Kept(time, *last_job_end);
      answer_.productive += exclusions_ == nullptr ? tail : std::max(0.0, tail);
      answer_.max_productive_step = step;
    }
  }
  if (looks_ >= kMostLooks) answer_.error = "nothing in time: too many custom events overlap steps";
  for (size_t l = 0; l < labels.size(); ++l) {
    if (used_label_[l]) answer_.custom[labels[l]] = by_label_[l];
  }
  return std::move(answer_);
}

}  // namespace stepscope::goodput
