// Holds one log entry as flat fields, and turns it into an event.
//
// The fields are those of the reference library's entries (ml-goodput-measurement 0.2) and of
// Orbax's structured log. Stepscope's own form covers the rest:
//
//   {"job_name": "j", "event": "heartbeat", "time": 1780000010.5}
//
// with `event` a name of EventKind, the time in seconds (`time`) or exactly (`time_ns`), and where
// they are known `attempt`, `writer`, `sequence`, `monotonic_ns`, `step`, `text`, and the counts of
// the kind. Of checkpoints `spans_ns` has start and duration of each part, in the order of
// CheckpointTimes and exactly: "1780000000000000000+250000000,-,-,-,-". The identity may stand in
// entries of the reference's forms too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/notes.h"
#include "goodput/events/rounding.h"

namespace stepscope::goodput {

enum class Field : uint8_t {
  kJobName,
  kJobStartTime,
  kJobEndTime,
  kStepCount,
  kStepStartTime,
  kTpuInitStartTime,
  kTpuInitEndTime,
  kTrainingPrepStartTime,
  kTrainingPrepEndTime,
  kDataLoadingStartTime,
  kDataLoadingEndTime,
  kCustomType,
  kCustomStartTime,
  kCustomEndTime,
  kActiveSlices,
  kTotalSlices,
  kAvailableSlices,
  kSliceCountsTimestamp,
  kElasticWaitType,
  kElasticWaitStartTime,
  kElasticWaitEndTime,
  kElasticReinitStartTime,
  kElasticReinitEndTime,
  kStep,
  kEventType,
  kDirectory,
  kWaitForPrevStart,
  kWaitForPrevDuration,
  kCheckpointerBlockingStart,
  kCheckpointerBlockingDuration,
  kGetOldStepsStart,
  kGetOldStepsDuration,
  kManagerBlockingStart,
  kManagerBlockingDuration,
  kCheckpointerStart,
  kCheckpointerDuration,
  kManagerStart,
  kManagerDuration,
  kBroadcastStart,
  kBroadcastDuration,
  kEvent,
  kTime,
  kTimeNs,
  kMonotonicNs,
  kReceivedNs,
  kAttempt,
  kWriter,
  kSequence,
  kText,
  kRequested,
  kAllocated,
  kHealthy,
  kTokens,
  kFlops,
  kDropped,
  kSpansNs,
  kCount  // also: an unknown field
};

// The field of that JSON key; kCount if unknown.
Field FieldNamed(std::string_view key);
std::string_view FieldName(Field field);

// The fields of one entry. Texts are views of the parsed input.
class Entry {
 public:
  void Clear() { numbers_ = integers_ = texts_ = nulls_ = 0; }
  bool empty() const { return (numbers_ | texts_ | nulls_) == 0; }

  // A repeated key counts with its last value.
  void SetInteger(Field field, int64_t integer) {
    Unset(field);
    numbers_ |= Bit(field);
    integers_ |= Bit(field);
    values_[Index(field)].number = static_cast<double>(integer);
    values_[Index(field)].integer = integer;
  }
  void SetNumber(Field field, double value) {
    Unset(field);
    numbers_ |= Bit(field);
    values_[Index(field)].number = value;
  }
  void SetText(Field field, std::string_view text) {
    Unset(field);
    texts_ |= Bit(field);
    values_[Index(field)].text = text;
  }
  void SetNull(Field field) {
    Unset(field);
    nulls_ |= Bit(field);
  }

  // REQUIRES: HasNumber(field).
  void ChangeNumber(Field field, bool whole, int64_t integer, double value) {
    integers_ = whole ? integers_ | Bit(field) : integers_ & ~Bit(field);
    values_[Index(field)].number = whole ? static_cast<double>(integer) : value;
    values_[Index(field)].integer = integer;
  }

  // Redirects the texts, views of the bytes at `from`, to a copy of them at `to`.
  void MoveTexts(const char* from, const char* to) {
    for (uint64_t left = texts_; left != 0; left &= left - 1) {
      std::string_view& text = values_[static_cast<size_t>(std::countr_zero(left))].text;
      text = {to + (text.data() - from), text.size()};
    }
  }

  bool HasNumber(Field field) const { return (numbers_ & Bit(field)) != 0; }
  bool HasKey(Field field) const { return ((numbers_ | texts_ | nulls_) & Bit(field)) != 0; }
  double Number(Field field) const { return values_[Index(field)].number; }
  // The number as an integer: exact if it was written as one, else rounded.
  int64_t Integer(Field field) const {
    const Value& value = values_[Index(field)];
    if ((integers_ & Bit(field)) != 0) return value.integer;
    return RoundToInteger(std::clamp(value.number, -9.2e18, 9.2e18));
  }
  std::string_view Text(Field field) const {
    return (texts_ & Bit(field)) != 0 ? values_[Index(field)].text : std::string_view();
  }

 private:
  struct Value {
    double number = 0;
    int64_t integer = 0;
    std::string_view text;
  };
  static_assert(static_cast<size_t>(Field::kCount) <= 64);

  static size_t Index(Field field) { return static_cast<size_t>(field); }
  static uint64_t Bit(Field field) { return uint64_t{1} << Index(field); }
  void Unset(Field field) {
    numbers_ &= ~Bit(field);
    integers_ &= ~Bit(field);
    texts_ &= ~Bit(field);
    nulls_ &= ~Bit(field);
  }

  uint64_t numbers_ = 0, texts_ = 0, nulls_ = 0;
  uint64_t integers_ = 0;  // which of the numbers were written as integers
  std::array<Value, static_cast<size_t>(Field::kCount)> values_;
};

// Turns entries into events. Reuses one `event`, which nothing else may change.
//
// The event's time is the entry's first time, as in the reference library. In Orbax's entries it
// may be null; then it is unknown.
class EventMaker {
 public:
  explicit EventMaker(Event& event) : event_(event) {}
  EventMaker(const EventMaker&) = delete;
  EventMaker& operator=(const EventMaker&) = delete;

  // Converts the entry. Counts an invalid one and sets the event's kind to kNone.
  void Make(const Entry& entry, Notes& note_counts);

  // The same for an entry that differs from that of the last Make() only in its numbers.
  void MakeAgain(const Entry& entry, Notes& note_counts);

 private:
  // Meaning and range of a number of the entry.
  enum class As : uint8_t { kSeconds, kStep, kLarge, kCount, kBillions };
  // Maps a number of the entry to one of the event.
  struct Part {
    Field from;
    As as;
    int64_t* to;
  };

  // These determine the kind of the entry. They copy texts at once and numbers later, by `parts_`.
  void FindParts(const Entry& entry);
  void NoteWrong(const Entry& entry, NoteKind wrong, Notes& note_counts) const;
  bool Fits(const Entry& entry, const Part& part) const;
  void FindIdentity(const Entry& entry);
  void FindForm(const Entry& entry);
  void FindOwn(const Entry& entry);
  void FindCheckpoint(const Entry& entry);
  void FindCounts(const Entry& entry, Field a, Field b, Field c);
  void FindFirstTime(const Entry& entry, std::initializer_list<Field> fields);
  void Find(const Entry& entry, Field from, As as, int64_t& to);

  bool TakeParts(const Entry& entry);
  std::optional<NoteKind> TakeNumbers(const Entry& entry);

  Event& event_;
  EventKind kind_ = EventKind::kNone;  // the event has checkpoint times only for checkpoints
  std::vector<Part> parts_;            // in the order of their taking
  std::optional<NoteKind> wrong_;      // whatever the numbers are
};

}  // namespace stepscope::goodput
