// Says what changes are worth to what other analyses found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyses/whatif_changes.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::whatif {

int64_t StepsSince(const JobGraph& graph, std::optional<int64_t> since);

// What a replay says, ns per step; `error`: a share of the step.
Worth WorthOf(double saved, double recorded, double error, double excess);

// What others found of the causes of some changes is worth what a replay says: findings that are
// none alone.
void AddWorths(Report& report, const Facts& facts, std::span<const AskedChange> changes);

}  // namespace stepscope::whatif
