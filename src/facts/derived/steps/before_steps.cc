// Breaks down one stretch.
#include "facts/derived/steps/before_steps.h"

namespace stepscope {

std::optional<BeforeSteps> BeforeStepsOf(const RankSteps& own, const StringTable& names) {
  if (own.whole_recording) return std::nullopt;
  if (own.rank->condensed) {
    if (own.rank->condensed->recorded == 0) return std::nullopt;
    return BeforeSteps{own.rank->condensed->recorded, {.time = own.rank->condensed->before_steps}};
  }
  const auto whole = WholeRecording(*own.rank);
  if (!whole) return std::nullopt;
  BeforeSteps before{.recorded = whole->end - whole->start};
  const StepWindow window{
      .number = 0, .start = whole->start, .end = own.steps.front().window.start};
  if (window.end <= window.start) return before;
  for (const StepBreakdown& part : BreakStepsDown(*own.rank, names, {&window, 1}))
    before.time = part;
  return before;
}

}  // namespace stepscope
