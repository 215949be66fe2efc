// Names the parts of a step of a job whose replicas span several ranks (script.h), beside those of
// training_step.cc.
#pragma once

#include <string_view>

namespace stepscope::demo {

// In the language of script.h; uses the definitions that training_step.cc has before it.
extern const std::string_view kStageParts;

}  // namespace stepscope::demo
