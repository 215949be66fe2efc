// Defines the kinds of notes about a trace: everything that can be wrong with one.
//
// A new way for a trace to be odd is one name here and one line in the list in notes.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "notes/notes_of.h"

namespace stepscope {

enum class NoteKind : uint8_t {
  kUnreadable,
  kNotATrace,
  kTruncated,
  kCorrupt,
  kMalformed,
  kTrailingBytes,
  kInvalidText,
  kDuplicateFile,
  kSnapshots,
  kRepeatedSnapshot,
  kOtherProfiles,
  kRankFromName,
  kRankFromOrder,
  kRankDisagrees,
  kMissingRanks,
  kOtherGroups,
  kOtherTimes,
  kStepsAgain,
  kUnknownCategory,
  kUnknownPhase,
  kUnknownMemoryUse,
  kUnreadableEvent,
  kUnreadableStat,
  kAggregatedEvent,
  kSubNanosecond,
  kProfilerSaid,
  kValueOutOfRange,
  kNegativeDuration,
  kHugeDuration,
  kClockStep,
  kOverlapping,
  kNoGpuEvents,
  kOfAscend,
  kWithoutLaunch,
  kOutsideSteps,
  kRepeatedStep,
  kStepWithinStep,
  kStepsFromModule,
  kStepsFromOptimizer,
  kStepsFromFunctions,
  kStepsWithoutEnd,
  kCommunicationByCall,
  kCount
};

std::string_view NoteName(NoteKind kind);     // "negative_duration"
std::string_view NoteMessage(NoteKind kind);  // what happened and what was done about it

std::span<const NoteText> NoteTexts(NoteKind);  // of all kinds, in their order

// Counts of one trace's irregularities.
using Notes = NotesOf<NoteKind>;

}  // namespace stepscope
