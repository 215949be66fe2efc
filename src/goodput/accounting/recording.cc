// Takes the events of one process: finds where its attempts begin and records their content.
#include "goodput/accounting/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/saturate.h"
#include "base/time_units.h"
#include "goodput/accounting/servers_clock.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kClockStep = kSecond / 2;
constexpr int64_t kSameMarker = kMinute;  // markers of several processes in one log
// Steps of a lower rank within this time are the same ones.
constexpr int64_t kNear = 10 * kMinute;
constexpr size_t kMostLongSteps = 100'000;
constexpr int64_t kFewSteps = 64;

// The latest time of the event, including the parts of a checkpoint.
int64_t LatestTime(const Event& event) {
  const CheckpointTimes& c = event.checkpoint;
  int64_t latest = event.time;
  for (const auto& span : {c.manager, c.checkpointer, c.wait_for_prev, c.get_old_steps}) {
    latest = std::max(latest, span.start);
  }
  return latest;
}

// Whether the reference library cannot have written the event.
bool IsOwn(const Event& event) {
  switch (event.kind) {
    case EventKind::kStepEnd:
    case EventKind::kHeartbeat:
    case EventKind::kResumeFrom:
    case EventKind::kCheckpointCommit:
    case EventKind::kProcessEnd:
    case EventKind::kCheckpointSaveBegin:
    case EventKind::kCheckpointRestoreBegin:
      return true;
    default:
      return !IsOfLog(event) || event.monotonic != kUnknown || !event.attempt.empty();
  }
}

}  // namespace

// The event with the times of a clock that never steps.
// NOLINTBEGIN(bugprone-return-const-ref-from-parameter): callers keep the event
const Event& Recording::OnOneClock(const Event& event, JobTotals& job) {
  if (event.monotonic != kUnknown && event.time != kUnknown && !writer_.empty()) {
    const int64_t offset = event.time - event.monotonic;
    if (!clock_) {
      clock_ = offset;
      if (const std::string clock = name_.clock(); !clock.empty()) {
        clock_ = job.clocks.try_emplace(clock, offset).first->second;
      }
    }
    const int64_t off = offset - *clock_;
    if (std::abs(off - stepped_) > kClockStep) {
      job.note_counts.Add(NoteKind::kClockStep, 1,
                          Say("{time} s on {host}", fmt::format("{:+.1f}", Seconds(off - stepped_)),
                              Phrase::Name(name_.host.empty() ? writer_ : name_.host)));
      stepped_ = off;
    }
  }
  if (std::abs(stepped_) <= kClockStep) return event;
  job.moved = event;
  MoveBack(job.moved, stepped_);
  return job.moved;
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

void Recording::Add(const Event& recorded, JobTotals& job) {
  const Event& event = OnOneClock(recorded, job);
  recorder_ = recorder_ || IsOwn(event);
  if (event.kind == EventKind::kJobStart) {
    AddJobStart(event, job);
  } else {
    AddToAttempt(event, AttemptOf(event, job), job);
  }
  TakeLater(event.time, newest_);
}

Attempt& Recording::Begin(int64_t time, JobTotals& job, bool in_process) {
  Attempt attempt;
  if (!attempts_.empty() && time < attempts_.back().start) {
    job.note_counts.Add(NoteKind::kClockBack);
    time = attempts_.back().start;
  }
  attempt.start = attempt.last = time;
  attempt.in_process = in_process;
  return attempts_.emplace_back(std::move(attempt));
}

Attempt& Recording::AttemptOf(const Event& event, JobTotals& job) {
  if (!event.attempt.empty()) {
    const auto [known, is_new] = by_id_.try_emplace(event.attempt, attempts_.size());
    if (!is_new) return attempts_[known->second];
  } else if (!attempts_.empty()) {
    return attempts_.back();
  }
  // Of several processes, one tells the start of the job.
  const bool expected = event.kind == EventKind::kResumeFrom || !writer_.empty();
  if (!expected) job.note_counts.Add(NoteKind::kNoJobStart);
  Attempt& begun = Begin(LatestTime(event), job);
  begun.id = event.attempt;
  return begun;
}

void Recording::AddToAttempt(const Event& event, Attempt& attempt, JobTotals& job) {
  const bool of_others = IsCheckpoint(event.kind) || event.kind == EventKind::kPreemptionNotice ||
                         event.kind == EventKind::kSpareSwap ||
                         event.kind == EventKind::kElasticSlices;
  attempt.lives = attempt.lives || !of_others;
  const Interval silence{attempt.last, std::max(event.time, attempt.last)};
  if (silence.end - silence.start > attempt.silence.end - attempt.silence.start) {
    attempt.silence = silence;
  }
  switch (event.kind) {
    case EventKind::kStepStart:
      return AddStep(event, attempt, job);
    case EventKind::kStepEnd:
      return AddStepEnd(event, attempt);
    case EventKind::kJobEnd:
      return AddJobEnd(event, attempt, job);
    case EventKind::kCheckpointSave:
    case EventKind::kCheckpointRestore:
    case EventKind::kCheckpointEmergencyRestore:
      return AddCheckpoint(event, attempt, job);
    case EventKind::kResumeFrom:
      return AddResume(event, attempt, job);
    case EventKind::kPreemptionNotice:
      if (!attempt.notice) attempt.notice_text = event.text;
      attempt.notice = event.time;
      break;
    case EventKind::kProcessEnd:
      attempt.left = event.time;
      attempt.last_word = event.text;
      break;
    case EventKind::kCheckpointCommit:
      attempt.TakeSaved(event.step);
      break;
    case EventKind::kHeartbeat:
    case EventKind::kSpareSwap:
      break;
    default:
      if (BeginOf(event.kind) != EventKind::kNone) return AddSpanEnd(event, attempt, job);
      if (event.kind == EventKind::kCustomBegin && job.HasRoom()) {
        job.LabelOf(Upper(event.text));
      }
      if (IsCurrent(attempt)) attempt.open.Open(event);
      // A process that begins a span is alive; slices change also while a job is dying.
      if (recorder_ && event.kind != EventKind::kElasticWaitBegin &&
          event.kind != EventKind::kElasticSlices) {
        break;
      }
      return;
  }
  attempt.last = std::max(attempt.last, event.time);
}

void Recording::AddJobStart(const Event& event, JobTotals& job) {
  if (!writer_.empty() && !attempts_.empty()) {
    Attempt& current = attempts_.back();
    const bool same = current.id == event.attempt;
    if (same && current.steps.empty() && !current.started) {
      current.started = current.lives = true;
      current.last = std::max(current.last, event.time);
      return;
    }
    if (same && event.time <= current.last) return job.note_counts.Add(NoteKind::kDuplicate);
  }
  if (!event.attempt.empty()) {
    const auto [known, is_new] = by_id_.try_emplace(event.attempt, attempts_.size());
    if (!is_new) {
      const Attempt& before = attempts_[known->second];
      const bool again = IsCurrent(before) && !before.steps.empty() &&
                         event.time > before.steps.last().time && event.time >= before.last;
      if (!again) return job.note_counts.Add(NoteKind::kDuplicate);
      if (writer_.empty()) job.note_counts.Add(NoteKind::kRepeatedAttempt);
      known->second = attempts_.size();
    }
  }
  Attempt& begun = Begin(event.time, job);
  begun.id = event.attempt;
  begun.started = begun.lives = true;
}

void Recording::AddJobEnd(const Event& event, Attempt& attempt, JobTotals& job) {
  Attempt* ended = &attempt;
  if (event.time < attempt.start) {
    job.note_counts.Add(NoteKind::kEndBeforeStart);
    if (ended == attempts_.data()) return;
    --ended;
    if (event.time < ended->last) return;
  }
  ended->end = event.time;
  ended->last = std::max(ended->last, event.time);
}

void Recording::AddResume(const Event& event, Attempt& attempt, JobTotals& job) {
  if (attempt.steps.empty() || !IsCurrent(attempt)) {
    attempt.resumed = event.time;
    return;
  }
  // Told just after the step that it is about.
  const bool late = attempt.resumed == std::nullopt && event.step == attempt.told.step &&
                    attempt.steps.size() == 1 && event.time - attempt.told.time < kSameMarker;
  if (late) {
    attempt.resumed = event.time;
    return;
  }
  // Several processes in one log: each tells where it resumes.
  const bool again = attempt.resumed && event.time - *attempt.resumed < kSameMarker &&
                     writer_.empty() && attempt.steps.first().step == event.step;
  if (again) return job.note_counts.Add(NoteKind::kSecondWriter);
  Attempt& begun = Begin(attempt.last, job, true);
  begun.resumed = event.time;
  begun.id = event.attempt;
  if (!event.attempt.empty()) by_id_[event.attempt] = attempts_.size() - 1;
}

// Whether the step falls among recorded ones by time and by number.
bool Recording::IsLate(StepTime step, const Attempt& attempt) const {
  if (step.time > attempt.told.time) return false;
  const auto [before, after] = attempt.steps.Around(step.step);
  if (after && after->step == step.step) return std::abs(after->time - step.time) < kSecond;
  return (!before || before->time <= step.time) && (!after || step.time <= after->time);
}

// A program that goes back to a checkpoint says so, or does not go back to its first step.
bool Recording::CountsAnew(const Event& event, const Attempt& attempt) const {
  const bool is_first = event.step <= std::max<int64_t>(1, attempt.steps.first().step);
  return !writer_.empty() && is_first && event.time > attempt.told.time;
}

void Recording::AddStep(const Event& event, Attempt& attempt, JobTotals& job) {
  if (event.step == kUnknown) {
    attempt.last = std::max(attempt.last, event.time);
    return job.note_counts.Add(NoteKind::kStepWithoutNumber);
  }
  const StepTime told{AddSaturated(event.step, attempt.counted_on), event.time};
  if (attempt.steps.empty() || told.step > attempt.told.step) {
    return AppendStep(told, attempt, job);
  }
  if (told.step == attempt.told.step && std::abs(told.time - attempt.told.time) < kSecond) {
    return job.note_counts.Add(NoteKind::kSecondWriter);
  }
  if (!IsCurrent(attempt) || IsLate(told, attempt)) {
    return job.note_counts.Add(NoteKind::kLateStep);
  }
  if (told.step == attempt.told.step && !writer_.empty()) {
    attempt.last = std::max(attempt.last, event.time);
    return job.note_counts.Add(NoteKind::kPartOfStep);
  }
  if (CountsAnew(event, attempt)) {
    job.note_counts.Add(NoteKind::kStepsCountedAnew);
    const int64_t next = AddSaturated(attempt.told.step, 1);
    attempt.counted_on = SubtractSaturated(next, event.step);
    return AppendStep({next, event.time}, attempt, job);
  }
  Attempt& again = Begin(attempt.last, job, true);
  again.id = event.attempt;
  if (!event.attempt.empty()) by_id_[event.attempt] = attempts_.size() - 1;
  AppendStep({event.step, event.time}, again, job);
}

bool Recording::TellsSteps() const {
  return !thin_ &&
         std::ranges::any_of(attempts_, [](const Attempt& a) { return !a.steps.empty(); });
}

// Whether no lower rank tells steps at this time.
bool Recording::Leads(int64_t time, JobTotals& job) {
  const auto covers = [&](const Recording* r) {
    return r != this && r->name_.rank < name_.rank && !r->thin_ &&
           std::ranges::any_of(
               r->attempts_,
               [&](const Attempt& a) {
                 return !a.steps.empty() && a.steps.first().time <= time + kNear &&
                        time <= a.told.time + kNear;
               });
  };
  if (senior_ != nullptr && covers(senior_)) return false;
  const int64_t steps = attempts_.back().steps.size();
  if (senior_ == nullptr && !thin_ && steps > 8 && steps % 64 != 0) return true;
  const auto found = std::ranges::find_if(job.leaders, covers);
  senior_ = found == job.leaders.end() ? nullptr : *found;
  return senior_ == nullptr;
}

// The step before `next` is over: keeps the time between, and the step if it was long.
void Recording::FinishStep(Attempt& attempt, int64_t next, int64_t made) {
  const int64_t start = attempt.steps.last().time;
  int64_t end = next;
  if (attempt.step_end && *attempt.step_end < next) {
    const int64_t between = next - *attempt.step_end;
    const bool calls_only = between < kMillisecond && between < (*attempt.step_end - start) / 1000;
    if (!calls_only) {
      end = *attempt.step_end;
      attempt.overlays.Add(end, next, Bucket::kOther);
    }
  }
  const int64_t blocked = std::exchange(attempt.blocked, 0);
  if (end <= start) return;
  ++attempt.lasting_steps;
  // The first step may include compilation, so it is no reference for others.
  if (attempt.steps.size() == 1) {
    attempt.first_lasts = true;
    return;
  }
  const int64_t net = std::max<int64_t>(1, end - start - blocked);
  made = std::max<int64_t>(1, made);
  if (usual_.steps() < kFewSteps) {
    // A few may all be slow: compares with the fastest one, and keeps the first ones anyway.
    const int64_t each = net / made;
    fastest_ = usual_.steps() == 0 ? each : std::min(fastest_, each);
    estimate_ = usual_.steps() < kFewSteps / 8 ? 0 : fastest_;
  } else if (usual_.steps() >= 2 * estimated_at_) {
    estimate_ = usual_.median().value_or(0);
    estimated_at_ = usual_.steps();
  }
  const bool is_long = net / made > 3 * estimate_ && net > kSecond;
  if (is_long && attempt.long_steps.size() < kMostLongSteps) {
    attempt.long_steps.push_back({start, end, made});
  }
  step_clock_.Add(std::max<int64_t>(1, (end - start) / made));
  usual_.Add(std::max<int64_t>(1, net / made));
}

void Recording::Fit() {
  step_clock_.Fit();
  usual_.Fit();
  attempts_.shrink_to_fit();
}

void Recording::BecomeThin(JobTotals& job) {
  thin_ = true;
  step_clock_ = usual_ = {};
  std::erase(job.leaders, this);
}

void Recording::AppendStep(StepTime step, Attempt& attempt, JobTotals& job) {
  if (attempt.end && step.time > *attempt.end) {
    job.note_counts.Add(NoteKind::kAfterEnd);
    attempt.end.reset();
  }
  StepTimes& steps = attempt.steps;
  const int64_t earliest = steps.empty() ? attempt.start : attempt.told.time;
  if (step.time < earliest) job.note_counts.Add(NoteKind::kClockBack);
  const int64_t time = std::max(step.time, earliest);
  const bool leads = Leads(time, job);
  const bool listed = std::ranges::find(job.leaders, this) != job.leaders.end();
  if (leads && !listed) job.leaders.push_back(this);
  if (!leads && !thin_) BecomeThin(job);
  const bool was_thin = thin_;
  if (leads) thin_ = false;  // the log of the lower rank broke off
  const bool keep = !thin_ || steps.size() <= kSampledSteps || time - steps.last().time >= kNear;
  if (keep) {
    if (!steps.empty() && time > steps.last().time && !was_thin) {
      FinishStep(attempt, time, step.step - steps.last().step);
    }
    attempt.blocked = 0;
    steps.Append(step.step, time);
    ++job.kept;
  }
  attempt.told = {step.step, time};
  attempt.step_end.reset();
  attempt.last = std::max(attempt.last, time);
}

void Recording::AddStepEnd(const Event& event, Attempt& attempt) {
  attempt.last = std::max(attempt.last, event.time);
  if (attempt.steps.empty() || attempt.told.step != AddSaturated(event.step, attempt.counted_on))
    return;
  if (!attempt.step_end && attempt.told.step != attempt.steps.first().step) {
    const int64_t lasts = std::max<int64_t>(0, event.time - attempt.told.time);
    attempt.ended_time = AddSaturated(attempt.ended_time, lasts);
    ++attempt.ended_steps;
  }
  attempt.step_end = std::max(event.time, attempt.told.time);
}

}  // namespace stepscope::goodput
