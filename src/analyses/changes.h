// Words changes of step time: since when, by how much, and which rank's part of a step changed
// then.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

struct ConcurrentThread;
struct RankSteps;
struct StepChanges;
struct WorkRise;

// "in every recorded step (3 to 8)". REQUIRES: first < last.
Phrase InEveryStep(const Facts& facts, int64_t first, int64_t last);

// What makes steps longer since one of them, as its finding says; kNone: nothing, or nothing known.
Cause CauseOfChange(const Facts& facts);

// The one of these ranks, where a cause of this kind makes its steps longer: what others find of
// that is the same.
std::optional<int64_t> RankBehindChange(const Facts& facts, const std::vector<RankSteps>& ranks,
                                        CauseKind kind);

// Another Python thread that one rank runs since steps take longer, because of what its own takes
// longer; `kind`: of the finding that tells it.
struct ThreadBehind {
  const ConcurrentThread* thread = nullptr;  // null: there is none
  CauseKind kind = CauseKind::kNone;
};
ThreadBehind ThreadBehindChange(const Facts& facts);

// Its kind, where it is behind what this rank takes longer since then: that is a part of it.
std::optional<CauseKind> KindOfThread(const Facts& facts, std::optional<int64_t> rank,
                                      std::optional<int64_t> since);

// Adds the table `changes`, where there are any, and a finding where steps take longer since one of
// them. Returns the work that the finding tells of; null: none.
const WorkRise* AddStepChanges(Report& report, const Facts& facts, const StepChanges& changes);

}  // namespace stepscope
