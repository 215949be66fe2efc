// Lists the names of the reference library's badput types.
#include "goodput/accounting/ml_answer.h"

#include <array>

namespace stepscope::goodput {
namespace {

// In the order of Badput.
constexpr auto kNames = std::to_array<std::string_view>({
    "TPU_INITIALIZATION",
    "TRAINING_PREP",
    "PROGRAM_STARTUP",
    "DATA_LOADING_SYNC",
    "DATA_LOADING_ASYNC",
    "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME",
    "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME",
    "WASTED_PROGRESS_FROM_DISRUPTION",
    "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION",
    "OTHER",
    "ELASTIC_SLICE_DOWN",
    "ELASTIC_SCALE_UP",
    "ELASTIC_REINITIALIZATION",
});
static_assert(kNames.size() == static_cast<size_t>(Badput::kCount));

}  // namespace

std::string_view BadputName(Badput badput) { return kNames[static_cast<size_t>(badput)]; }

}  // namespace stepscope::goodput
