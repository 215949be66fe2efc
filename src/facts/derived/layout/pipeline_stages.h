// Measures the stages of a pipeline, and compares its bubble with that of its schedule.
//
// With p stages, m microbatches and v chunks of layers per stage, a schedule without any other loss
// leaves each stage without work for (p-1)/(v*m+p-1) of a step. Sources: GPipe (Huang et al. 2019)
// for v = 1, Megatron-LM (Narayanan et al. 2021) for interleaved schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// Of so many stages and parts: v*m.
inline double IdealBubble(int64_t stages, int64_t parts) {
  const auto fill = static_cast<double>(stages - 1);
  return fill / (static_cast<double>(parts) + fill);
}

struct ModelStage {
  int64_t stage = 0;
  std::vector<int64_t> ranks;  // recorded, ascending
  // ns of one device in a mean step. Busy is what is neither idle, nor in messages of the pipeline
  // alone, nor in collectives of all ranks, in which stages wait for each other.
  int64_t step = 0, busy = 0;

  double Bubble() const {
    return step == 0 ? 0 : 1 - static_cast<double>(busy) / static_cast<double>(step);
  }
};

struct ModelPipeline {
  int64_t depth = 0;               // stages; 0: there is no pipeline
  std::vector<ModelStage> stages;  // recorded ones
  double bubble = 0;               // mean of these
  int64_t step = 0;                // ns: mean of these
  // Each microbatch is one message from a stage to the next. Of two stages, v is taken to be 1.
  std::optional<int64_t> microbatches = {};
  int64_t chunks = 1;                // v
  std::optional<double> ideal = {};  // bubble
  std::string unknown = {};          // why that is not known, without a final stop
};

const ModelPipeline& PipelineOf(const Facts& facts);

}  // namespace stepscope
