// Maps field names to fields, and fields to kinds of events.
#include "goodput/events/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/ascii.h"
#include "base/time_units.h"
#include "goodput/events/rounding.h"

namespace stepscope::goodput {
namespace {

// In the order of Field.
constexpr auto kNames = std::to_array<std::string_view>({
    "job_name",
    "job_start_time",
    "job_end_time",
    "step_count",
    "step_start_time",
    "tpu_init_start_time",
    "tpu_init_end_time",
    "training_prep_start_time",
    "training_prep_end_time",
    "data_loading_start_time",
    "data_loading_end_time",
    "custom_badput_event_type",
    "custom_badput_event_start_time",
    "custom_badput_event_end_time",
    "active_slices",
    "total_slices",
    "available_slices",
    "elastic_slice_counts_timestamp",
    "elastic_wait_event_type",
    "elastic_wait_start_time",
    "elastic_wait_end_time",
    "elastic_reinit_start_time",
    "elastic_reinit_end_time",
    "step",
    "event_type",
    "directory",
    "wait_for_prev_start_time",
    "wait_for_prev_duration_secs",
    "checkpointer_blocking_start_time",
    "checkpointer_blocking_duration_secs",
    "get_old_steps_start_time",
    "get_old_steps_duration_secs",
    "checkpoint_manager_blocking_start_time",
    "checkpoint_manager_blocking_duration_secs",
    "checkpointer_start_time",
    "checkpointer_duration_secs",
    "checkpoint_manager_start_time",
    "checkpoint_manager_duration_secs",
    "broadcast_start_time",
    "broadcast_duration_secs",
    "event",
    "time",
    "time_ns",
    "monotonic_ns",
    "received_ns",
    "attempt",
    "writer",
    "sequence",
    "text",
    "requested",
    "allocated",
    "healthy",
    "tokens",
    "flops",
    "dropped",
    "spans_ns",
});
static_assert(kNames.size() == static_cast<size_t>(Field::kCount));

// A time alone that makes an event, in the order in which the reference library looks for them.
struct Form {
  Field time;
  EventKind kind;
  Field text = Field::kCount;
};
constexpr auto kForms = std::to_array<Form>({
    {Field::kStepStartTime, EventKind::kStepStart},
    {Field::kDataLoadingStartTime, EventKind::kDataLoadingBegin},
    {Field::kDataLoadingEndTime, EventKind::kDataLoadingEnd},
    {Field::kJobStartTime, EventKind::kJobStart},
    {Field::kJobEndTime, EventKind::kJobEnd},
    {Field::kTpuInitStartTime, EventKind::kAcceleratorInitBegin},
    {Field::kTpuInitEndTime, EventKind::kAcceleratorInitEnd},
    {Field::kTrainingPrepStartTime, EventKind::kTrainingPrepBegin},
    {Field::kTrainingPrepEndTime, EventKind::kTrainingPrepEnd},
    {Field::kCustomStartTime, EventKind::kCustomBegin, Field::kCustomType},
    {Field::kCustomEndTime, EventKind::kCustomEnd, Field::kCustomType},
    {Field::kElasticWaitStartTime, EventKind::kElasticWaitBegin, Field::kElasticWaitType},
    {Field::kElasticWaitEndTime, EventKind::kElasticWaitEnd, Field::kElasticWaitType},
    {Field::kElasticReinitStartTime, EventKind::kElasticReinitBegin},
    {Field::kElasticReinitEndTime, EventKind::kElasticReinitEnd},
    {Field::kSliceCountsTimestamp, EventKind::kElasticSlices},
});

constexpr double kLatest = 4.6e9;          // seconds: below 2^62 ns, beyond the year 2100
constexpr double kLargestStep = 9.007e15;  // below 2^53

// Seconds as nanoseconds, rounded to the nearest; unknown when out of range.
int64_t ToNs(double seconds) {
  if (!(std::abs(seconds) < kLatest)) return kUnknown;
  auto whole = static_cast<int64_t>(seconds);
  if (static_cast<double>(whole) > seconds) --whole;  // its floor
  const double rest = seconds - static_cast<double>(whole);
  return whole * kSecond + RoundToInteger(rest * kSecond);
}

// Takes a number, or nothing, off the front of `text`; false: it is out of range.
bool TakeNumber(std::string_view& text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) {
    value = kUnknown;
    return true;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() && std::abs(static_cast<double>(value)) < kLatest * kSecond;
}

// "start+duration" of each span, "-" for what is not known; no text: nothing is.
bool ParseSpans(std::string_view text, CheckpointTimes& times) {
  for (CheckpointTimes::Span* span : {&times.manager, &times.checkpointer, &times.wait_for_prev,
                                      &times.get_old_steps, &times.broadcast}) {
    if (text.empty()) return true;
    if (!TakeNumber(text, span->start)) return false;
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.starts_with('+')) {
      text.remove_prefix(1);
      if (!TakeNumber(text, span->duration)) return false;
      if (text.starts_with('-')) text.remove_prefix(1);
    }
    if (text.empty()) return true;
    if (!text.starts_with(',')) return false;
    text.remove_prefix(1);
  }
  return text.empty();
}

void Assign(std::string& to, std::string_view from) {
  if (to != from) to.assign(from);
}

// The time of the entry that is text.
std::optional<Field> TextTimeIn(const Entry& entry) {
  const auto is_text = [&](Field field) { return !entry.Text(field).empty(); };
  for (const Field field : {Field::kTime, Field::kTimeNs}) {
    if (is_text(field)) return field;
  }
  const auto form = std::ranges::find_if(kForms, is_text, &Form::time);
  return form == kForms.end() ? std::nullopt : std::optional(form->time);
}

EventKind CheckpointKind(const Entry& entry) {
  const std::string_view type = entry.Text(Field::kEventType);
  if (type == "save") return EventKind::kCheckpointSave;
  if (type == "restore") return EventKind::kCheckpointRestore;
  if (type == "emergency_restore") return EventKind::kCheckpointEmergencyRestore;
  return EventKind::kNone;
}

}  // namespace

Field FieldNamed(std::string_view key) {
  const auto found = std::ranges::find(kNames, key);
  return static_cast<Field>(found - kNames.begin());
}

std::string_view FieldName(Field field) { return kNames[static_cast<size_t>(field)]; }

void EventMaker::Find(const Entry& entry, Field from, As as, int64_t& to) {
  to = kUnknown;
  if (from != Field::kCount && entry.HasNumber(from)) parts_.push_back({from, as, &to});
}

void EventMaker::FindIdentity(const Entry& entry) {
  Assign(event_.job, entry.Text(Field::kJobName));
  Assign(event_.attempt, entry.Text(Field::kAttempt));
  Assign(event_.writer, entry.Text(Field::kWriter));
  Find(entry, Field::kSequence, As::kLarge, event_.sequence);
  Find(entry, Field::kMonotonicNs, As::kLarge, event_.monotonic);
  Find(entry, Field::kReceivedNs, As::kLarge, event_.received);
}

void EventMaker::FindCounts(const Entry& entry, Field a, Field b, Field c) {
  Find(entry, a, As::kCount, event_.counts[0]);
  Find(entry, b, As::kCount, event_.counts[1]);
  Find(entry, c, As::kCount, event_.counts[2]);
}

void EventMaker::FindForm(const Entry& entry) {
  const auto form =
      std::ranges::find_if(kForms, [&](const Form& f) { return entry.HasNumber(f.time); });
  if (form == kForms.end()) {
    wrong_ = entry.empty()                   ? NoteKind::kNoEntry
             : TextTimeIn(entry).has_value() ? NoteKind::kTextTime
                                             : NoteKind::kUnknownKind;
    return;
  }
  kind_ = form->kind;
  Find(entry, form->time, As::kSeconds, event_.time);
  if (kind_ == EventKind::kStepStart) Find(entry, Field::kStepCount, As::kStep, event_.step);
  if (form->text != Field::kCount) Assign(event_.text, entry.Text(form->text));
  if (kind_ == EventKind::kElasticSlices) {
    FindCounts(entry, Field::kActiveSlices, Field::kTotalSlices, Field::kAvailableSlices);
  }
  if (entry.HasNumber(Field::kTimeNs)) Find(entry, Field::kTimeNs, As::kLarge, event_.time);
}

// Of the first that the entry names at all, null or not: that is the order Orbax writes them in.
void EventMaker::FindFirstTime(const Entry& entry, std::initializer_list<Field> fields) {
  const auto first = std::ranges::find_if(fields, [&](Field field) { return entry.HasKey(field); });
  if (first != fields.end()) Find(entry, *first, As::kSeconds, event_.time);
}

void EventMaker::FindCheckpoint(const Entry& entry) {
  Find(entry, Field::kStep, As::kStep, event_.step);
  Assign(event_.text, entry.Text(Field::kDirectory));
  const auto span = [&](CheckpointTimes::Span& to, Field start, Field duration) {
    Find(entry, start, As::kSeconds, to.start);
    Find(entry, duration, As::kSeconds, to.duration);
  };
  CheckpointTimes& c = event_.checkpoint;
  if (kind_ == EventKind::kCheckpointSave) {
    span(c.manager, Field::kManagerBlockingStart, Field::kManagerBlockingDuration);
    span(c.checkpointer, Field::kCheckpointerBlockingStart, Field::kCheckpointerBlockingDuration);
    span(c.wait_for_prev, Field::kWaitForPrevStart, Field::kWaitForPrevDuration);
    span(c.get_old_steps, Field::kGetOldStepsStart, Field::kGetOldStepsDuration);
    FindFirstTime(entry, {Field::kWaitForPrevStart, Field::kCheckpointerBlockingStart,
                          Field::kGetOldStepsStart, Field::kManagerBlockingStart});
  } else {
    span(c.manager, Field::kManagerStart, Field::kManagerDuration);
    span(c.checkpointer, Field::kCheckpointerStart, Field::kCheckpointerDuration);
    span(c.broadcast, Field::kBroadcastStart, Field::kBroadcastDuration);
    FindFirstTime(entry, {Field::kCheckpointerStart, Field::kManagerStart, Field::kBroadcastStart});
  }
}

void EventMaker::FindOwn(const Entry& entry) {
  const bool exact = entry.HasNumber(Field::kTimeNs);
  Find(entry, exact ? Field::kTimeNs : Field::kTime, exact ? As::kLarge : As::kSeconds,
       event_.time);
  Find(entry, entry.HasNumber(Field::kStep) ? Field::kStep : Field::kStepCount, As::kStep,
       event_.step);
  Assign(event_.text, entry.Text(Field::kText));
  if (kind_ == EventKind::kResources) {
    FindCounts(entry, Field::kRequested, Field::kAllocated, Field::kHealthy);
  } else if (kind_ == EventKind::kActivity) {
    Find(entry, Field::kTokens, As::kCount, event_.counts[0]);
    Find(entry, Field::kFlops, As::kBillions, event_.counts[1]);
  } else if (IsCheckpoint(kind_)) {
    if (!ParseSpans(entry.Text(Field::kSpansNs), event_.checkpoint)) wrong_ = NoteKind::kOutOfRange;
  } else if (kind_ == EventKind::kDropped) {
    FindCounts(entry, Field::kDropped, Field::kCount, Field::kCount);
  } else if (kind_ == EventKind::kElasticSlices) {
    FindCounts(entry, Field::kActiveSlices, Field::kTotalSlices, Field::kAvailableSlices);
  }
}

void EventMaker::FindParts(const Entry& entry) {
  parts_.clear();
  wrong_.reset();
  FindIdentity(entry);
  if (kind_ = CheckpointKind(entry); kind_ != EventKind::kNone) return FindCheckpoint(entry);
  const std::string_view name = entry.Text(Field::kEvent);
  if (name.empty()) return FindForm(entry);
  kind_ = EventKindNamed(name);
  if (kind_ == EventKind::kNone) {
    wrong_ = NoteKind::kUnknownKind;
  } else if (!entry.HasNumber(Field::kTime) && !entry.HasNumber(Field::kTimeNs) &&
             TextTimeIn(entry)) {
    wrong_ = NoteKind::kTextTime;
  } else {
    FindOwn(entry);
  }
}

bool EventMaker::Fits(const Entry& entry, const Part& part) const {
  const double number = entry.Number(part.from);
  switch (part.as) {
    case As::kSeconds:
      return std::abs(number) < kLatest;
    case As::kBillions:
      return std::abs(number) < 9.2e27;
    case As::kStep:
      return std::abs(number) < kLargestStep;
    case As::kLarge:
      return std::abs(number) < kLatest * kSecond;
    case As::kCount:
      break;
  }
  return std::abs(number) < 9.2e18;
}

// False: one of them is out of range, which makes the whole entry unusable.
bool EventMaker::TakeParts(const Entry& entry) {
  for (const Part& part : parts_) {
    if (!Fits(entry, part)) return false;
    if (part.as == As::kSeconds) {
      *part.to = ToNs(entry.Number(part.from));
    } else if (part.as == As::kBillions) {
      *part.to = std::llround(entry.Number(part.from) / 1e9);
    } else {
      *part.to = entry.Integer(part.from);
    }
  }
  return true;
}

// What is wrong with them.
std::optional<NoteKind> EventMaker::TakeNumbers(const Entry& entry) {
  if (!TakeParts(entry)) return NoteKind::kOutOfRange;
  if (event_.time == kUnknown && !IsCheckpoint(kind_)) return NoteKind::kNoEntry;
  const bool step_wanted = kind_ == EventKind::kStepStart || kind_ == EventKind::kStepEnd ||
                           kind_ == EventKind::kResumeFrom;
  if (step_wanted && event_.step == kUnknown) return NoteKind::kNoEntry;
  return std::nullopt;
}

void EventMaker::MakeAgain(const Entry& entry, Notes& note_counts) {
  const std::optional<NoteKind> wrong = wrong_ ? wrong_ : TakeNumbers(entry);
  event_.kind = wrong ? EventKind::kNone : kind_;
  if (wrong) NoteWrong(entry, *wrong, note_counts);
}

// With the first value that is wrong, so that it can be found.
void EventMaker::NoteWrong(const Entry& entry, NoteKind wrong, Notes& note_counts) const {
  constexpr size_t kLongest = 40;
  Phrase detail;
  if (!note_counts.Detail(wrong).empty()) return note_counts.Add(wrong);
  if (wrong == NoteKind::kTextTime) {
    const Field field = TextTimeIn(entry).value_or(Field::kTime);
    detail = fmt::format("{} \"{}\"", FieldName(field), entry.Text(field).substr(0, kLongest));
  } else if (wrong == NoteKind::kOutOfRange) {
    const auto part = std::ranges::find_if(parts_, [&](const Part& p) { return !Fits(entry, p); });
    if (part == parts_.end()) return note_counts.Add(wrong);
    detail = fmt::format("{} {:.17g}", FieldName(part->from), entry.Number(part->from));
    if (part->as == As::kSeconds) detail += ", where seconds since 1970 are expected";
  }
  note_counts.Add(wrong, 1, detail);
}

void EventMaker::Make(const Entry& entry, Notes& note_counts) {
  event_.time = event_.step = kUnknown;
  std::ranges::fill(event_.counts, kUnknown);
  event_.text.clear();
  if (IsCheckpoint(kind_)) event_.checkpoint = {};
  FindParts(entry);
  MakeAgain(entry, note_counts);
}

}  // namespace stepscope::goodput
