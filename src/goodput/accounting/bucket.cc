// Lists the names of the buckets.
#include "goodput/accounting/bucket.h"

namespace stepscope::goodput {
namespace {

// In the order of Bucket.
constexpr auto kNames = std::to_array<std::string_view>({
    "EXCLUDED",
    "ELASTIC_REINITIALIZATION",
    "ELASTIC_SLICE_DOWN",
    "ELASTIC_SCALE_UP",
    "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME",
    "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME",
    "TPU_INITIALIZATION",
    "TRAINING_PREP",
    "CUSTOM",
    "DATA_LOADING_SYNC",
    "SLOW_STEP",
    "HUNG_STEP",
    "PRODUCTIVE",
    "IN_PROGRESS",
    "PROGRAM_STARTUP",
    "WASTED_PROGRESS_FROM_DISRUPTION",
    "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION",
    "QUEUED",
    "ALLOCATED",
    "OTHER",
});
static_assert(kNames.size() == kBuckets);

}  // namespace

std::string_view BucketName(Bucket bucket) { return kNames[static_cast<size_t>(bucket)]; }

}  // namespace stepscope::goodput
