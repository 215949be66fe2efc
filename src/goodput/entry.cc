// The names of the fields, and which fields make which event.
#include "goodput/entry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/ascii.h"
#include "goodput/rounding.h"

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
  const double whole = std::floor(seconds);
  return static_cast<int64_t>(whole) * 1'000'000'000 + RoundToInteger((seconds - whole) * 1e9);
}

bool IsCheckpoint(EventKind kind) {
  return kind >= EventKind::kCheckpointSave && kind <= EventKind::kCheckpointEmergencyRestore;
}

// Takes a number, or nothing, off the front of `text`; false: it is out of range.
bool TakeNumber(std::string_view& text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) {
    value = kUnknown;
    return true;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() && std::abs(static_cast<double>(value)) < kLatest * 1e9;
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

// Fills an event from an entry. Anything out of range makes the whole entry unusable.
class Filler {
 public:
  Filler(const Entry& entry, Event& event) : entry_(entry), event_(event) {}

  int64_t Time(Field field) {
    if (!entry_.HasNumber(field)) return kUnknown;
    const int64_t ns = ToNs(entry_.Number(field));
    if (ns == kUnknown) fits_ = false;
    return ns;
  }

  int64_t Integer(Field field) {
    if (!entry_.HasNumber(field)) return kUnknown;
    if (!(std::abs(entry_.Number(field)) < kLargestStep)) fits_ = false;
    return entry_.Integer(field);
  }

  // Exact nanoseconds, and numbers of events.
  int64_t Large(Field field) {
    if (!entry_.HasNumber(field)) return kUnknown;
    if (!(std::abs(entry_.Number(field)) < kLatest * 1e9)) fits_ = false;
    return entry_.Integer(field);
  }

  void Identity() {
    Assign(event_.job, entry_.Text(Field::kJobName));
    Assign(event_.attempt, entry_.Text(Field::kAttempt));
    Assign(event_.writer, entry_.Text(Field::kWriter));
    event_.sequence = Large(Field::kSequence);
    event_.monotonic = Large(Field::kMonotonicNs);
  }

  void FromForm(const Form& form) {
    event_.kind = form.kind;
    event_.time = Time(form.time);
    if (form.kind == EventKind::kStepStart) event_.step = Integer(Field::kStepCount);
    if (form.text != Field::kCount) Assign(event_.text, entry_.Text(form.text));
    if (form.kind == EventKind::kElasticSlices) {
      Counts(Field::kActiveSlices, Field::kTotalSlices, Field::kAvailableSlices);
    }
    if (entry_.HasNumber(Field::kTimeNs)) event_.time = Large(Field::kTimeNs);
  }

  void Checkpoint(EventKind kind) {
    event_.kind = kind;
    event_.step = Integer(Field::kStep);
    Assign(event_.text, entry_.Text(Field::kDirectory));
    const auto span = [&](Field start, Field duration) {
      return CheckpointTimes::Span{Time(start), Time(duration)};
    };
    CheckpointTimes& c = event_.checkpoint;
    if (kind == EventKind::kCheckpointSave) {
      c.manager = span(Field::kManagerBlockingStart, Field::kManagerBlockingDuration);
      c.checkpointer =
          span(Field::kCheckpointerBlockingStart, Field::kCheckpointerBlockingDuration);
      c.wait_for_prev = span(Field::kWaitForPrevStart, Field::kWaitForPrevDuration);
      c.get_old_steps = span(Field::kGetOldStepsStart, Field::kGetOldStepsDuration);
      event_.time = FirstTime({c.wait_for_prev, c.checkpointer, c.get_old_steps, c.manager},
                              {Field::kWaitForPrevStart, Field::kCheckpointerBlockingStart,
                               Field::kGetOldStepsStart, Field::kManagerBlockingStart});
    } else {
      c.manager = span(Field::kManagerStart, Field::kManagerDuration);
      c.checkpointer = span(Field::kCheckpointerStart, Field::kCheckpointerDuration);
      c.broadcast = span(Field::kBroadcastStart, Field::kBroadcastDuration);
      event_.time = FirstTime(
          {c.checkpointer, c.manager, c.broadcast, {}},
          {Field::kCheckpointerStart, Field::kManagerStart, Field::kBroadcastStart, Field::kCount});
    }
  }

  void Own(EventKind kind) {
    event_.kind = kind;
    event_.time = entry_.HasNumber(Field::kTimeNs) ? Large(Field::kTimeNs) : Time(Field::kTime);
    event_.step = Integer(entry_.HasNumber(Field::kStep) ? Field::kStep : Field::kStepCount);
    Assign(event_.text, entry_.Text(Field::kText));
    if (kind == EventKind::kResources) {
      Counts(Field::kRequested, Field::kAllocated, Field::kHealthy);
    } else if (kind == EventKind::kWork) {
      event_.counts[0] = CountOf(Field::kTokens);
      if (const double flops = entry_.Number(Field::kFlops); entry_.HasNumber(Field::kFlops)) {
        fits_ = fits_ && std::abs(flops) < 9.2e27;
        if (fits_) event_.counts[1] = std::llround(flops / 1e9);
      }
    } else if (IsCheckpoint(kind)) {
      fits_ = fits_ && ParseSpans(entry_.Text(Field::kSpansNs), event_.checkpoint);
    } else if (kind == EventKind::kDropped) {
      Counts(Field::kDropped, Field::kCount, Field::kCount);
    } else if (kind == EventKind::kElasticSlices) {
      Counts(Field::kActiveSlices, Field::kTotalSlices, Field::kAvailableSlices);
    }
  }

  bool fits() const { return fits_; }

 private:
  static void Assign(std::string& to, std::string_view from) {
    if (to != from) to.assign(from);
  }

  int64_t CountOf(Field field) {
    if (field == Field::kCount || !entry_.HasNumber(field)) return kUnknown;
    if (!(std::abs(entry_.Number(field)) < 9.2e18)) fits_ = false;
    return entry_.Integer(field);
  }

  void Counts(Field a, Field b, Field c) {
    event_.counts[0] = CountOf(a);
    event_.counts[1] = CountOf(b);
    event_.counts[2] = CountOf(c);
  }

  // Of the first that the entry names at all, null or not: that is the order Orbax writes them in.
  int64_t FirstTime(const std::array<CheckpointTimes::Span, 4>& spans,
                    const std::array<Field, 4>& fields) const {
    for (size_t k = 0; k < spans.size(); ++k) {
      if (fields[k] != Field::kCount && entry_.HasKey(fields[k])) return spans[k].start;
    }
    return kUnknown;
  }

  const Entry& entry_;
  Event& event_;
  bool fits_ = true;
};

EventKind CheckpointKind(const Entry& entry) {
  const std::string_view type = entry.Text(Field::kEventType);
  if (type == "save") return EventKind::kCheckpointSave;
  if (type == "restore") return EventKind::kCheckpointRestore;
  if (type == "emergency_restore") return EventKind::kCheckpointEmergencyRestore;
  return EventKind::kNone;
}

void Reset(Event& event) {
  if (event.kind == EventKind::kNone || IsCheckpoint(event.kind)) event.checkpoint = {};
  event.kind = EventKind::kNone;
  event.time = event.step = kUnknown;
  std::ranges::fill(event.counts, kUnknown);
  event.text.clear();
}

// Fills `event`, or says what is wrong with the entry.
std::optional<Oddity> Fill(const Entry& entry, Event& event) {
  Filler filler(entry, event);
  filler.Identity();
  if (const EventKind kind = CheckpointKind(entry); kind != EventKind::kNone) {
    filler.Checkpoint(kind);
    if (!filler.fits()) return Oddity::kOutOfRange;
    return std::nullopt;
  }
  if (const std::string_view name = entry.Text(Field::kEvent); !name.empty()) {
    const EventKind kind = EventKindNamed(name);
    if (kind == EventKind::kNone) return Oddity::kUnknownKind;
    filler.Own(kind);
  } else {
    const auto form =
        std::ranges::find_if(kForms, [&](const Form& f) { return entry.HasNumber(f.time); });
    if (form == kForms.end()) return entry.empty() ? Oddity::kNoEntry : Oddity::kUnknownKind;
    filler.FromForm(*form);
  }
  if (!filler.fits()) return Oddity::kOutOfRange;
  if (event.time == kUnknown && !IsCheckpoint(event.kind)) return Oddity::kNoEntry;
  const bool step_wanted = event.kind == EventKind::kStepStart ||
                           event.kind == EventKind::kStepEnd ||
                           event.kind == EventKind::kResumeFrom;
  if (step_wanted && event.step == kUnknown) return Oddity::kNoEntry;
  return std::nullopt;
}

}  // namespace

Field FieldNamed(std::string_view key) {
  const auto found = std::ranges::find(kNames, key);
  return static_cast<Field>(found - kNames.begin());
}

std::string_view FieldName(Field field) { return kNames[static_cast<size_t>(field)]; }

void ToEvent(const Entry& entry, Event& event, Oddities& oddities) {
  Reset(event);
  if (const auto wrong = Fill(entry, event)) {
    oddities.Add(*wrong);
    event.kind = EventKind::kNone;
  }
}

}  // namespace stepscope::goodput
