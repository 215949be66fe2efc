// Selects the window of a trace to explain: a step, an annotation or operator, or all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "facts/paths/dependencies.h"
#include "stepscope/phrase.h"

namespace stepscope {

struct WindowChoice {
  // A range of this name instead of a step; if there is none, one whose name has it as a part, or
  // of "*text*" the text between the stars. Empty: none.
  std::string_view annotation;
  int64_t instance = 0;        // which of them, by start
  int64_t last_instance = -1;  // the stretch goes on to the end of this one; -1: only `instance`
  int64_t step = -1;           // -1: the complete one of median length, or the whole recording
};

struct ChosenWindow {
  PathWindow window;
  Phrase covers;       // "step 7", "aten::mm", "the whole trace"
  bool whole = false;  // it is the whole trace
};

// The stretch of `rank` that is asked for; nothing if it has none such, or no activities at all.
std::optional<ChosenWindow> ChooseWindow(const RankActivity& rank, const StringTable& names,
                                         const WindowChoice& choice);

// All work, and what the threads did that have operators or launched work; host records more than a
// day away from any work have a broken clock. REQUIRES: the rank has activities.
ChosenWindow WindowOfAll(const RankActivity& rank);

}  // namespace stepscope
