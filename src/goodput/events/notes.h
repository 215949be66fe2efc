// Counts what was odd about the events of a job, by name.
//
// Code that drops, moves or guesses an event counts it here.
#pragma once

#include <cstdint>
#include <span>

#include "goodput/events/state_bytes.h"
#include "notes/notes_of.h"
#include "stepscope/phrase.h"

namespace stepscope::goodput {

enum class NoteKind : uint8_t {
  kBadLine,
  kLongLine,
  kNoEntry,
  kUnknownKind,
  kOutOfRange,
  kTextTime,
  kTruncated,
  kCorrupt,
  kTrailingBytes,
  kReadError,
  kDuplicate,
  kMissingEvents,
  kDropped,
  kOtherJob,
  kAfterQuery,
  kNoJobStart,
  kClockBack,
  kLateStep,
  kSecondWriter,
  kAfterEnd,
  kEndBeforeStart,
  kNegativeDuration,
  kEndWithoutBegin,
  kManyCustomTypes,
  kBadSegment,
  kBadRecord,
  kCutText,
  kCutIdentity,
  kCompacted,
  kRolledUp,
  kDatabase,
  kClockStep,
  kClockAhead,
  kTwoClocks,
  kOtherClock,
  kRepeatedAttempt,
  kAttemptNames,
  kStepsCountedAnew,
  kPartOfStep,
  kClockOrder,
  kOtherLeader,
  kOutOfOrder,
  kStepWithoutNumber,
  kLostEvents,
  kRepaired,
  kCount
};

std::span<const NoteText> NoteTexts(NoteKind);  // of all kinds, in their order

using Notes = NotesOf<NoteKind>;

// What the first says; empty: there is none. Tells why an input has no events.
Phrase FirstOf(std::span<const Note> notes);

// By name, so that a stored count outlives changes of the list. Details are not stored.
void SaveNotes(const Notes& notes, StateWriter& out);
Notes LoadNotes(StateReader& in);

}  // namespace stepscope::goodput
