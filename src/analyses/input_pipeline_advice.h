// Says what to do about the slowest stage of an input pipeline.
#pragma once

#include <string_view>

#include "facts/steps/input_pipeline.h"

namespace stepscope::input_pipeline {

// By the stage's type, or else by the category of its operation.
std::string_view AdviceOf(const PipelineStage& stage, InputCategory category);

}  // namespace stepscope::input_pipeline
