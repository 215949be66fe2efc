// Holds the answer of the reference library, ml-goodput-measurement 0.2.3.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope::goodput {

// "TPU_INITIALIZATION", ... in the order of the library's BadputType.
enum class Badput : uint8_t {
  kTpuInitialization,
  kTrainingPrep,
  kProgramStartup,
  kDataLoadingSync,
  kDataLoadingAsync,  // in no sum
  kCheckpointSave,
  kCheckpointRestore,
  kWasted,
  kRecovery,
  kOther,
  kElasticSliceDown,
  kElasticScaleUp,
  kElasticReinit,
  kCount
};
std::string_view BadputName(Badput badput);

// Shares of the slices that a job wants: those that train, those that are there.
struct MlSlices {
  double active = 0, available = 0;
};

struct MlAnswer {
  std::string error;  // the library raises it instead of an answer; else empty
  double goodput_percent = 0;
  double productive = 0;
  double total = 0;
  std::array<double, static_cast<size_t>(Badput::kCount)> badput{};
  std::map<std::string, double> custom;
  int64_t disruptions = 0;
  std::optional<int64_t> max_productive_step, last_step;
  double excluded = 0;
  bool elastic = false;  // the elastic calculator's buckets apply
  std::optional<MlSlices> slices;
  // With exclusions: the time of each kept step without them, and of a segment's first one without
  // startup.
  std::optional<std::map<int64_t, double>> step_times;

  double At(Badput b) const { return badput[static_cast<size_t>(b)]; }
  // As the library prints it: 0 unless it is more than nothing and less than all.
  double Percent(double seconds) const {
    return seconds > 0 && seconds < total ? 100 * seconds / total : 0;
  }
};

// Nanoseconds as the doubles that the library has for them.
double MlSeconds(int64_t ns);

using SecondsInterval = std::pair<double, double>;

}  // namespace stepscope::goodput
