// Maps what analyses measure to the kinds of report columns and rows.
#pragma once

#include <string_view>

#include "facts/derived/steps/step_categories.h"
#include "facts/paths/dependencies.h"
#include "facts/steps/input_pipeline.h"
#include "report/kinds.h"
#include "trace/vocabulary.h"

namespace stepscope {

ColumnKind KindOf(StepCategory category);
ColumnKind KindOf(InputCategory category);
ColumnKind KindOf(Phase phase);
ColumnKind KindOf(Bound bound);

// The kind of what a change of critical_path's `what_if` is about; kOther for several changes.
ColumnKind KindOfChange(std::string_view change);

}  // namespace stepscope
