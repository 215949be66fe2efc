// Describes input pipelines: operations by purpose, and the stages that steps wait
// for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// In the order they are shown. The first five are the TensorFlow Profiler's.
enum class InputCategory : uint8_t {
  kReadOnDemand,
  kReadInAdvance,
  kPreprocessing,
  kEnqueuing,
  kOther,
  kLoaderWorkers,  // waiting for processes of a PyTorch DataLoader
  kCount
};
inline constexpr size_t kInputCategories = static_cast<size_t>(InputCategory::kCount);
std::string_view InputCategoryName(InputCategory category);

// An operation of a pipeline, on one host.
struct InputOperator {
  StringId name = kNoString;
  InputCategory category = InputCategory::kOther;
  int64_t count = 0;
  int64_t total = 0;  // ns
  int64_t self = 0;   // without operations of the pipeline within, on the same thread
};

// A stage of a pipeline: an iterator of tf.data, or a PyTorch DataLoader.
struct PipelineStage {
  StringId name = kNoString;  // "Iterator::Root::Prefetch::Map", the way down to it
  std::string type;           // "Map"
  int64_t calls = 0;
  int64_t longest = 0;  // of a call, ns
  // ns in which whoever asked the pipeline for a batch waited for this stage and for no stage that
  // it asked in turn. They add up to the time in which the pipeline was waited for.
  int64_t waited = 0;
};

struct InputPipeline {
  std::vector<InputOperator> operators;  // by self time, the largest first
  std::vector<PipelineStage> stages;     // by `waited`, likewise
  int64_t waited = 0;                    // ns in which pipelines were waited for
  // Self time in ns by category, of operations that began within a step, by the step's number.
  // Steps without any are absent.
  std::map<int64_t, std::array<int64_t, kInputCategories>> by_step;
};

// `only_steps`: of what began within the recording's steps, as where some were selected.
InputPipeline InputPipelineOf(const RankActivity& rank, const StringTable& names,
                              bool only_steps = false);

}  // namespace stepscope
