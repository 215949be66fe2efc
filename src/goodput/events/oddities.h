// What can be odd about the events of a job, by name, and how often it was.
//
// Nothing is dropped, moved or guessed in silence: whoever does so counts it here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturate.h"
#include "goodput/events/state_bytes.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

enum class Oddity : uint8_t {
  kBadLine,
  kLongLine,
  kNoEntry,
  kUnknownKind,
  kOutOfRange,
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
  kCount
};

class Oddities {
 public:
  void Add(Oddity oddity, int64_t count = 1) {
    int64_t& sum = counts_[static_cast<size_t>(oddity)];
    sum = AddSaturated(sum, count);  // a recorder may claim to have dropped any number
  }
  int64_t Count(Oddity oddity) const { return counts_[static_cast<size_t>(oddity)]; }
  void Add(const Oddities& other);

  // By name, so that a stored count outlives changes of this list.
  void Save(StateWriter& out) const;
  void Load(StateReader& in);  // replaces all there is

  // Those that occurred, as a report tells them.
  std::vector<Note> Notes(const std::string& where = {}) const;

 private:
  std::array<int64_t, static_cast<size_t>(Oddity::kCount)> counts_{};
};

}  // namespace stepscope::goodput
