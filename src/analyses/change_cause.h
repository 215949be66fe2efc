// Finds which part of a step, on which rank, explains a change of step time, and what is behind it.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/facts.h"

namespace stepscope::changes {

inline constexpr double kExplains = 0.3;  // of the change of step time

// The changes of one quantity at the step at which step time changed.
struct Together {
  const StepChange* most = nullptr;
  int64_t places = 0;
  std::optional<ExcessWork> excess;            // behind longer compute of `most`
  std::optional<FrameTimes::Leader> function;  // of Python, behind what its host takes longer
  const SlowRank* slow = nullptr;  // nothing but longer operators, all of them, is behind it
  double times = 0;  // as long as before `excess` takes, where it has no more to do; else 0
};

// Whether it is what a host does.
bool IsOfHost(StepQuantity quantity);

// Whether one function is behind nearly all of the change that is told (StepChanges::Told), of one
// process: what it takes between its operators, and in them.
bool IsOneFunction(const Facts& facts);

// Of what explains the rise of step time that is told, what others may follow from: where one rank
// computes longer, others idle or wait in collectives. Nothing where there is none, or no part of a
// step rises by enough.
const std::optional<Together>& WhatExplains(const Facts& facts);

}  // namespace stepscope::changes
