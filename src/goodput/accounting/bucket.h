// Defines the buckets, the exclusive classes of job time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stepscope::goodput {

// First the overlays in order of precedence, then the course of an attempt. Stored states hold the
// numbers of overlays up to kDataLoading: add none before.
enum class Bucket : uint8_t {
  kExcluded,         // excluded by the query
  kElasticReinit,    // rebuilding after a slice change
  kElasticDown,      // waiting for a lost slice
  kElasticUp,        // waiting for a new slice
  kRestore,          // blocked on checkpoint restore
  kSave,             // blocked on checkpoint save
  kAcceleratorInit,  // chip initialization
  kTrainingPrep,     // model setup, compilation
  kCustom,           // user-defined events: evaluation, ...
  kDataLoading,      // data loading that blocks: before the first step, and inside steps
  kSlowStep,         // what a finished step took beyond the usual
  kHungStep,         // what the step took beyond the usual in which an attempt ended

  kProductive,  // kept steps
  kInProgress,  // the open step of a running job
  kStartup,     // excess of an attempt's first step over its others: compilation, caches
  kWasted,      // steps lost and redone
  kRecovery,    // from the last event of an attempt to the next start
  kQueued,      // submitted, not allocated
  kAllocated,   // allocated, not started
  kOther,       // no recorded cause
  kCount
};

inline constexpr size_t kBuckets = static_cast<size_t>(Bucket::kCount);

using BucketTimes = std::array<int64_t, kBuckets>;  // ns

// "PRODUCTIVE", "TPU_INITIALIZATION", ...: the names of the reference library.
std::string_view BucketName(Bucket bucket);

}  // namespace stepscope::goodput
