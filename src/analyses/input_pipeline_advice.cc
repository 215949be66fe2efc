// Advice by stages and categories.
#include "analyses/input_pipeline_advice.h"

#include <algorithm>
#include <array>

namespace stepscope::input_pipeline {
namespace {

struct StageAdvice {
  std::string_view about;  // a stage type or its prefix
  std::string_view message;
};

// First stages of tf.data by type, then categories.
constexpr auto kStageAdvice = std::to_array<StageAdvice>({
    {"Map",
     "process elements in parallel: map(..., num_parallel_calls=tf.data.AUTOTUNE), preprocess "
     "before training, or batch first and vectorize; tf.py_function and tf.numpy_function hold "
     "Python's lock and do not run in parallel"},
    {"ParallelMap",
     "raise num_parallel_calls if cores are free, make the function cheaper, or preprocess before "
     "training"},
    {"Interleave",
     "read several files in parallel: interleave(..., num_parallel_calls=tf.data.AUTOTUNE)"},
    {"Filter", "filter before training, or before expensive stages"},
    {"Batch", "batch in parallel: batch(..., num_parallel_calls=tf.data.AUTOTUNE)"},
    {"Shuffle", "shuffle file names instead of elements, or use a smaller buffer"},
    {"Prefetch", "speed up the stages before it; their throughput empties the buffer"},
    {"TFRecord",
     "read several files in parallel and ahead: interleave, prefetch, a larger buffer_size"},
    {"TextLine",
     "read several files in parallel and ahead: interleave, prefetch, a larger buffer_size"},
    {"Generator",
     "move Python generator code into tf.data operations, or write its output to files"},
});

std::string_view AdviceOf(InputCategory category) {
  switch (category) {
    case InputCategory::kEnqueuing:
      return "combine small input chunks into fewer, larger ones";
    case InputCategory::kPreprocessing:
      return "raise num_parallel_calls of the dataset's map, or preprocess before training";
    case InputCategory::kReadInAdvance:
      return "tune the prefetch buffer size, cycle_length of interleave, and the reader's "
             "buffer_size";
    case InputCategory::kReadOnDemand:
      return "read ahead: prefetch, interleave, a larger reader buffer";
    case InputCategory::kLoaderWorkers:
      return "use more workers (num_workers), a larger prefetch_factor, persistent_workers=True, "
             "and less work per sample in the dataset";
    case InputCategory::kOther:
    case InputCategory::kCount:
      break;
  }
  return "move this part of the pipeline into tf.data or into a DataLoader with workers";
}

}  // namespace

std::string_view AdviceOf(const PipelineStage& stage, InputCategory category) {
  if (stage.type == "DataLoader") {
    return category == InputCategory::kLoaderWorkers
               ? AdviceOf(category)
               : "load in worker processes (num_workers > 0) and use pin_memory=True; the training "
                 "process loads the data itself";
  }
  const auto by_type = [&](bool exact) {
    return std::ranges::find_if(kStageAdvice, [&](const StageAdvice& a) {
      return exact ? stage.type == a.about : stage.type.starts_with(a.about);
    });
  };
  const auto* advice = by_type(true);
  if (advice == kStageAdvice.end()) advice = by_type(false);
  return advice == kStageAdvice.end() ? AdviceOf(category) : advice->message;
}

}  // namespace stepscope::input_pipeline
