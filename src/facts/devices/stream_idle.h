// Measures why streams are idle: what happened before each activity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// Why a stream was idle before an activity: its launch came late; it was in time, and the gap is
// short; or another reason.
enum class GapCause : uint8_t { kHostWait, kKernelWait, kOther };
inline constexpr size_t kGapCauses = 3;

// ns of the gaps of one stream, by GapCause.
using StreamGaps = std::array<std::vector<int64_t>, kGapCauses>;

// Gaps shorter than this many ns are short, unless somebody says otherwise; so they are in
// partials.
inline constexpr int64_t kShortGap = 30'000;

struct IdleOfStreams {
  std::vector<CondensedStream> streams;  // those with activities, by device, then stream
  std::vector<StreamGaps> gaps;          // of each; none of a partial
};

// A gap is from the end of all earlier activities of a stream to the start of the next one; one
// that contains steps that were not selected is left out. Of a partial: what it says, of short gaps
// of kShortGap.
IdleOfStreams MeasureStreamIdle(const RankActivity& rank, int64_t short_gap);

// Whether steps that were not selected lie between activities of these two, so that the cause of a
// gap between them is unknown.
bool IsCutOff(const RankActivity& rank, int32_t before, int32_t now);

}  // namespace stepscope
