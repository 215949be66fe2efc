// The numbers of the reference library, ml-goodput-measurement 0.2.3, quirks included, so that its
// users can check ours against what they have. Times are its own: seconds in doubles.
//
// Its buckets overlap, resuming behind the last step is no disruption to it, and a job that goes on
// after its end stands still. Nothing of that may be "fixed" here: Accounting has the true sums.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goodput/events/event.h"

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

  double At(Badput b) const { return badput[static_cast<size_t>(b)]; }
  // As the library prints it: 0 unless it is more than nothing and less than all.
  double Percent(double seconds) const {
    return seconds > 0 && seconds < total ? 100 * seconds / total : 0;
  }
};

// Nanoseconds as the doubles that the library has for them.
double MlSeconds(int64_t ns);

using SecondsInterval = std::pair<double, double>;

struct MlDeviation {
  std::optional<double> ideal;                      // none: no step took a second
  std::vector<std::pair<int64_t, double>> by_step;  // |step time - ideal|
  // The one number it publishes, over the whole job and over a window.
  std::optional<double> cumulative, interval;
};

// Durations of one part of checkpointing, over the steps that have one.
struct MlSpread {
  double total = 0, mean = 0, least = 0, most = 0, deviation = 0;
};

enum class MlTier : uint8_t { kLocal, kPersistent, kBoth };

struct MlCheckpoints {
  MlSpread manager, checkpointer;
  MlSpread wait_for_prev, get_old_steps;  // of saves
  MlSpread broadcast;                     // of restores
};

class MlGoodput {
 public:
  void Add(const Event& event);
  bool empty() const { return log_.empty(); }

  MlAnswer Whole(double query_time) const;
  MlAnswer Window(SecondsInterval window) const;
  MlAnswer Excluding(std::vector<SecondsInterval> exclusions, double query_time) const;
  MlDeviation StepDeviation() const;
  MlCheckpoints Saves(MlTier tier) const;
  MlCheckpoints Restores(MlTier tier) const;

 private:
  friend class MlScan;
  struct Record {
    EventKind kind = EventKind::kNone;
    int64_t what = 0;  // the step; of custom and wait events the label; of checkpoints the index
    double time = 0;   // NaN: the entry's first time is null
  };
  struct Checkpoint {
    EventKind kind = EventKind::kNone;
    int64_t step = 0;
    bool local = false;
    CheckpointTimes times;
  };
  MlCheckpoints Measure(MlTier tier, bool saves) const;
  int64_t LabelOf(const std::string& text);

  std::vector<Record> log_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<std::string> labels_;
  std::map<std::string, int64_t> label_of_;
};

}  // namespace stepscope::goodput
