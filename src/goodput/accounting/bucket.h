// What a nanosecond of a job can be. Every one is exactly one of these.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stepscope::goodput {

// First what lies over the course of an attempt, in the order in which it takes precedence; then
// the course itself.
enum class Bucket : uint8_t {
  kExcluded,         // the reader asked not to count it
  kElasticReinit,    // rebuilding after slices came or went
  kElasticDown,      // waiting for a lost slice
  kElasticUp,        // waiting for a new one
  kRestore,          // blocked on reading a checkpoint
  kSave,             // blocked on writing one
  kAcceleratorInit,  // starting the accelerators
  kTrainingPrep,     // building the model, compiling
  kCustom,           // what the user named: evaluation, ...
  kDataLoading,      // loading data before an attempt's first step

  kProductive,  // steps that later steps build on, or that nothing took back so far
  kInProgress,  // the open step of a running job
  kStartup,     // what an attempt's first step takes more than its others: compiling, caches
  kWasted,      // steps that a later attempt did again
  kRecovery,    // between the last word of an attempt and the start of the next
  kQueued,      // submitted, and nothing allocated yet
  kAllocated,   // allocated, and not started yet
  kOther,       // of none of the above anybody said a word
  kCount
};

inline constexpr size_t kBuckets = static_cast<size_t>(Bucket::kCount);
inline constexpr bool LiesOver(Bucket bucket) { return bucket < Bucket::kProductive; }

using BucketTimes = std::array<int64_t, kBuckets>;  // ns

// "PRODUCTIVE", "TPU_INITIALIZATION", ...: the names that the reference library's users know.
std::string_view BucketName(Bucket bucket);

}  // namespace stepscope::goodput
