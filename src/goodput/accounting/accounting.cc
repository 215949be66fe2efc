// Takes events: finds where attempts begin and records their content.
#include "goodput/accounting/accounting.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"
#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kMostLabels = 31;  // the last one holds all further types

// The latest time of the event, including the parts of a checkpoint.
int64_t LatestTime(const Event& event) {
  const CheckpointTimes& c = event.checkpoint;
  int64_t latest = event.time;
  for (const auto& span : {c.manager, c.checkpointer, c.wait_for_prev, c.get_old_steps}) {
    latest = std::max(latest, span.start);
  }
  return latest;
}

// Whether sums and differences of the event's times cannot overflow: times from 1970 to beyond
// 2100. Only checkpoints may lack their own time.
bool Fits(const Event& event) {
  constexpr int64_t kLatest = int64_t{1} << 62;
  constexpr int64_t kMost = int64_t{1} << 61;
  const auto is_time = [](int64_t t) { return t == kUnknown || (t >= 0 && t < kLatest); };
  const auto is_small = [](int64_t v) { return v == kUnknown || (v > -kMost && v < kMost); };
  const CheckpointTimes::Span& blocked = event.checkpoint.manager;
  const int64_t latest = IsCheckpoint(event.kind) ? LatestTime(event) : event.time;
  return latest != kUnknown && is_time(latest) && is_time(event.time) && is_time(blocked.start) &&
         is_small(blocked.duration) && is_small(event.step);
}

std::optional<Bucket> BucketOfSpan(EventKind end, const std::string& text) {
  switch (end) {
    case EventKind::kAcceleratorInitEnd:
      return Bucket::kAcceleratorInit;
    case EventKind::kTrainingPrepEnd:
      return Bucket::kTrainingPrep;
    case EventKind::kCustomEnd:
      return Bucket::kCustom;
    case EventKind::kElasticReinitEnd:
      return Bucket::kElasticReinit;
    case EventKind::kCheckpointSaveEnd:
      return Bucket::kSave;
    case EventKind::kCheckpointRestoreEnd:
      return Bucket::kRestore;
    case EventKind::kElasticWaitEnd:
      return Upper(text).contains("SCALE_UP") ? Bucket::kElasticUp : Bucket::kElasticDown;
    default:
      return std::nullopt;
  }
}

}  // namespace

void Accounting::OpenSpans::Open(const Event& begin) {
  if (begin.kind == EventKind::kCustomBegin) {
    custom[Upper(begin.text)] = begin.time;
  } else if (begin.kind == EventKind::kElasticWaitBegin) {
    waits[begin.text] = begin.time;
  } else {
    plain[static_cast<size_t>(begin.kind)] = begin.time;
  }
}

int64_t Accounting::OpenSpans::Close(const Event& end) {
  if (end.kind != EventKind::kCustomEnd && end.kind != EventKind::kElasticWaitEnd) {
    return std::exchange(plain[static_cast<size_t>(BeginOf(end.kind))], kUnknown);
  }
  const bool is_custom = end.kind == EventKind::kCustomEnd;
  auto& spans = is_custom ? custom : waits;
  const auto found = spans.find(is_custom ? Upper(end.text) : end.text);
  if (found == spans.end()) return kUnknown;
  const int64_t start = found->second;
  spans.erase(found);
  return start;
}

Attempt& Accounting::Begin(int64_t time, bool in_process) {
  Attempt attempt;
  if (!attempts_.empty() && time < attempts_.back().start) {
    note_counts_.Add(NoteKind::kClockBack);
    time = attempts_.back().start;
  }
  attempt.start = attempt.last = time;
  attempt.in_process = in_process;
  attempt.requested = std::exchange(requested_, kUnknown);
  attempt.allocated = std::exchange(allocated_, kUnknown);
  open_ = {};
  return attempts_.emplace_back(std::move(attempt));
}

Attempt& Accounting::AttemptOf(const Event& event) {
  if (!event.attempt.empty()) {
    const auto [known, is_new] = by_id_.try_emplace(event.attempt, attempts_.size());
    if (!is_new) return attempts_[known->second];
  } else if (!attempts_.empty()) {
    return attempts_.back();
  }
  if (event.kind != EventKind::kResumeFrom) note_counts_.Add(NoteKind::kNoJobStart);
  Attempt& begun = Begin(LatestTime(event));
  begun.id = event.attempt;
  return begun;
}

void Accounting::Add(const Event& event) {
  if (!Fits(event)) return note_counts_.Add(NoteKind::kOutOfRange);
  if (event.time != kUnknown) newest_ = std::max(newest_, event.time);
  switch (event.kind) {
    case EventKind::kNone:
    case EventKind::kCount:
    case EventKind::kLabel:
      return;
    case EventKind::kActivity:
      tokens_ = AddSaturated(tokens_, std::max<int64_t>(0, event.counts[0]));
      billion_flops_ = AddSaturated(billion_flops_, std::max<int64_t>(0, event.counts[1]));
      return;
    case EventKind::kDropped:
      return note_counts_.Add(NoteKind::kDropped, std::max<int64_t>(1, event.counts[0]));
    case EventKind::kJobStart:
      return AddJobStart(event);
    case EventKind::kJobSubmitted:
      if (attempts_.empty() && submitted_ == kUnknown) submitted_ = event.time;
      if (!attempts_.empty() && requested_ == kUnknown) requested_ = event.time;
      return;
    case EventKind::kResources:
      scheduling_.Add(event);
      return AddResources(event);
    case EventKind::kElasticSlices:
      if (event.counts[1] > 0 && event.counts[0] >= 0 && event.counts[2] >= 0) {
        const auto all = static_cast<double>(event.counts[1]);
        slices_.push_back({event.time, static_cast<double>(event.counts[0]) / all,
                           static_cast<double>(event.counts[2]) / all});
      }
      break;
    default:
      break;
  }
  AddToAttempt(event, AttemptOf(event));
}

void Accounting::AddToAttempt(const Event& event, Attempt& attempt) {
  switch (event.kind) {
    case EventKind::kStepStart:
      return AddStep(event, attempt);
    case EventKind::kStepEnd:
      return AddStepEnd(event, attempt);
    case EventKind::kJobEnd:
      return AddJobEnd(event, attempt);
    case EventKind::kCheckpointSave:
    case EventKind::kCheckpointRestore:
    case EventKind::kCheckpointEmergencyRestore:
      return AddCheckpoint(event, attempt);
    case EventKind::kResumeFrom:
      if (!attempt.steps.empty() && IsCurrent(attempt)) Begin(attempt.last, true);
      return;
    case EventKind::kPreemptionNotice:
      if (attempt.notice == kUnknown) attempt.notice_text = event.text;
      attempt.notice = event.time;
      break;
    case EventKind::kCheckpointCommit:
      attempt.saved = std::max(attempt.saved, event.step);
      break;
    case EventKind::kHeartbeat:
    case EventKind::kSpareSwap:
      break;
    default:
      if (BeginOf(event.kind) != EventKind::kNone) return AddSpanEnd(event, attempt);
      if (IsCurrent(attempt)) open_.Open(event);
      return;
  }
  attempt.last = std::max(attempt.last, event.time);
}

void Accounting::AddJobStart(const Event& event) {
  if (!event.attempt.empty() && !by_id_.try_emplace(event.attempt, attempts_.size()).second) {
    return note_counts_.Add(NoteKind::kDuplicate);
  }
  Begin(event.time).id = event.attempt;
}

void Accounting::AddJobEnd(const Event& event, Attempt& attempt) {
  Attempt* ended = &attempt;
  if (event.time < attempt.start) {
    note_counts_.Add(NoteKind::kEndBeforeStart);
    if (ended == attempts_.data()) return;
    --ended;
    if (event.time < ended->last) return;
  }
  ended->end = event.time;
  ended->last = std::max(ended->last, event.time);
}

// Whether the step falls among recorded ones by time and by number.
bool Accounting::IsLate(const Event& event, const Attempt& attempt) {
  if (event.time > attempt.steps.last().time) return false;
  const auto [before, after] = attempt.steps.Around(event.step);
  if (after && after->step == event.step) return std::abs(after->time - event.time) < kSecond;
  return (!before || before->time <= event.time) && (!after || event.time <= after->time);
}

void Accounting::AddStep(const Event& event, Attempt& attempt) {
  if (attempt.steps.empty() || event.step > attempt.steps.last().step) {
    return AppendStep(event, attempt);
  }
  const StepTime& last = attempt.steps.last();
  if (event.step == last.step && std::abs(event.time - last.time) < kSecond) {
    return note_counts_.Add(NoteKind::kSecondWriter);
  }
  if (!IsCurrent(attempt) || IsLate(event, attempt)) return note_counts_.Add(NoteKind::kLateStep);
  Attempt& again = Begin(attempt.last, true);
  AppendStep(event, again);
}

void Accounting::AppendStep(const Event& event, Attempt& attempt) {
  if (attempt.end != kUnknown && event.time > attempt.end) {
    note_counts_.Add(NoteKind::kAfterEnd);
    attempt.end = kUnknown;
  }
  StepTimes& steps = attempt.steps;
  const int64_t earliest = steps.empty() ? attempt.start : steps.last().time;
  if (event.time < earliest) note_counts_.Add(NoteKind::kClockBack);
  const int64_t time = std::max(event.time, earliest);
  if (!steps.empty() && time > earliest) {
    ++attempt.lasting_steps;
    const int64_t made = event.step - steps.last().step;
    if (steps.size() == 1) {
      attempt.first_lasts = true;  // it may include compilation, so it is no reference for others
    } else {
      step_clock_.Add(std::max<int64_t>(1, (time - earliest) / std::max<int64_t>(1, made)));
    }
  }
  steps.Append(event.step, time);
  attempt.step_end = kUnknown;
  attempt.last = std::max(attempt.last, time);
  requested_ = allocated_ = kUnknown;
}

void Accounting::AddStepEnd(const Event& event, Attempt& attempt) {
  attempt.last = std::max(attempt.last, event.time);
  if (attempt.steps.empty() || attempt.steps.last().step != event.step) return;
  attempt.step_end = std::max(event.time, attempt.steps.last().time);
}

void Accounting::Lay(Attempt& attempt, int64_t start, int64_t end, Bucket bucket, uint8_t label) {
  if (end < start) return note_counts_.Add(NoteKind::kNegativeDuration);
  if (end > start) attempt.overlays.Add(start, end, bucket, label);
}

void Accounting::AddSpanEnd(const Event& event, Attempt& attempt) {
  const int64_t start = IsCurrent(attempt) ? open_.Close(event) : kUnknown;
  if (start == kUnknown) return note_counts_.Add(NoteKind::kEndWithoutBegin);
  if (event.kind == EventKind::kDataLoadingEnd) {
    if (attempt.steps.empty()) {
      Lay(attempt, start, event.time, Bucket::kDataLoading);
    } else if (event.time >= start) {
      attempt.async_loading = AddSaturated(attempt.async_loading, event.time - start);
    }
  } else if (const auto bucket = BucketOfSpan(event.kind, event.text)) {
    const uint8_t label = bucket == Bucket::kCustom ? LabelOf(Upper(event.text)) : uint8_t{0};
    if (event.kind == EventKind::kCheckpointSaveEnd) {
      ++saves_;
      attempt.saved = std::max(attempt.saved, event.step);
    }
    Lay(attempt, start, event.time, *bucket, label);
  }
  // Slices change while a job is dying too, so a returning slice alone does not prove it alive.
  if (event.kind != EventKind::kElasticWaitEnd) attempt.last = std::max(attempt.last, event.time);
}

void Accounting::AddCheckpoint(const Event& event, Attempt& attempt) {
  const auto [start, duration] = event.checkpoint.manager;
  if (start == kUnknown || duration == kUnknown || duration == 0) return;
  const bool is_save = event.kind == EventKind::kCheckpointSave;
  if (is_save) {
    ++saves_;
    attempt.saved = std::max(attempt.saved, event.step);
  }
  Lay(attempt, start, start + duration, is_save ? Bucket::kSave : Bucket::kRestore);
  attempt.last = std::max(attempt.last, start + duration);
}

void Accounting::AddResources(const Event& event) {
  const int64_t requested = event.counts[0], allocated = event.counts[1];
  if (allocated > 0 && allocated >= requested) {
    if (allocated_ == kUnknown) allocated_ = event.time;
  } else if (requested > 0 && requested_ == kUnknown) {
    requested_ = event.time;
  }
}

namespace {

void Earliest(int64_t time, int64_t& of) {
  if (of == kUnknown || time < of) of = time;
}

void AddLateNotice(const Event& event, Attempt& attempt) {
  if (attempt.notice == kUnknown || event.time <= attempt.notice) attempt.notice_text = event.text;
  attempt.notice = std::max(attempt.notice, event.time);
  attempt.last = std::max(attempt.last, event.time);
}

}  // namespace

void Accounting::AddLate(const Event& event) {
  if (!Fits(event)) return note_counts_.Add(NoteKind::kOutOfRange);
  newest_ = std::max(newest_, event.time);
  const auto next = std::ranges::lower_bound(attempts_, event.time, {}, &Attempt::start);
  const bool first = next == attempts_.begin();
  if (event.kind == EventKind::kPreemptionNotice) {
    return first ? note_counts_.Add(NoteKind::kNoJobStart) : AddLateNotice(event, *std::prev(next));
  }
  if (event.kind == EventKind::kResources) scheduling_.Add(event);
  if (event.kind == EventKind::kJobSubmitted && first) return Earliest(event.time, submitted_);
  // A later step showed that the previous attempt went on.
  const bool went_on =
      !first && !std::prev(next)->steps.empty() && std::prev(next)->steps.last().time >= event.time;
  if (went_on) return;
  const bool is_last = next == attempts_.end();
  const int64_t requested = event.counts[0], allocated = event.counts[1];
  if (event.kind == EventKind::kResources && allocated > 0 && allocated >= requested) {
    Earliest(event.time, is_last ? allocated_ : next->allocated);
  } else if (event.kind == EventKind::kJobSubmitted || requested > 0) {
    Earliest(event.time, is_last ? requested_ : next->requested);
  }
}

uint8_t Accounting::LabelOf(std::string type) {
  if (type.empty()) type = "UNKNOWN";
  const auto found = std::ranges::find(labels_, type);
  if (found != labels_.end()) return static_cast<uint8_t>(found - labels_.begin());
  if (labels_.size() + 1 >= kMostLabels) {
    note_counts_.Add(NoteKind::kManyCustomTypes);
    if (labels_.size() < kMostLabels) labels_.emplace_back("(more types)");
    return kMostLabels - 1;
  }
  labels_.push_back(std::move(type));
  return static_cast<uint8_t>(labels_.size() - 1);
}

}  // namespace stepscope::goodput
