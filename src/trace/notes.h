// Everything that can be wrong with an input, by name, and how often it was.
//
// Nothing is dropped, clipped or guessed in silence: whoever does so counts a note. A new way for
// an input to be odd is one line in the list in notes.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

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
  kOtherProfiles,
  kRankFromName,
  kRankFromOrder,
  kRankDisagrees,
  kMissingRanks,
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
  kWithoutLaunch,
  kOutsideSteps,
  kRepeatedStep,
  kStepWithinStep,
  kStepsFromModule,
  kStepsFromOptimizer,
  kCount
};

std::string_view NoteName(NoteKind kind);     // "negative_duration"
std::string_view NoteMessage(NoteKind kind);  // what happened and what was done about it

// Counts of one input's irregularities.
class Notes {
 public:
  // `detail` completes the sentence with an example; the first one given is kept.
  void Add(NoteKind kind, int64_t count = 1, std::string_view detail = {});

  // Adds all of `later`.
  void Add(const Notes& later);

  int64_t Count(NoteKind kind) const { return counts_[static_cast<size_t>(kind)]; }
  const std::string& Detail(NoteKind kind) const { return details_[static_cast<size_t>(kind)]; }

 private:
  std::array<int64_t, static_cast<size_t>(NoteKind::kCount)> counts_{};
  std::array<std::string, static_cast<size_t>(NoteKind::kCount)> details_;
};

}  // namespace stepscope
