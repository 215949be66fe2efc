// Computes the numbers of the reference library, ml-goodput-measurement 0.2.3, quirks included, so
// that its users can compare. Times are seconds in doubles, as in the library.
//
// Its buckets overlap, resuming after the last step is not a disruption, and a job that continues
// after its end makes no progress. Do not fix this here: Accounting has the correct sums.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goodput/accounting/ml_deviation.h"
#include "goodput/accounting/ml_scan.h"
#include "goodput/accounting/ml_slices.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {

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
  // Of all steps, or with exclusions of those that `answer` keeps. `ideal`: absent: the usual time.
  MlDeviation StepDeviation(std::optional<double> ideal = {}) const;
  MlDeviation StepDeviation(const MlAnswer& answer, std::optional<double> ideal) const;
  MlCheckpoints Saves(MlTier tier) const;
  MlCheckpoints Restores(MlTier tier) const;

 private:
  struct Checkpoint {
    EventKind kind = EventKind::kNone;
    int64_t step = 0;
    bool local = false;
    CheckpointTimes times;
  };
  MlCheckpoints Measure(MlTier tier, bool saves) const;
  void MeasureSlices(std::span<const MlRecord> log, SecondsInterval over, MlAnswer& answer) const;
  void MeasureSlicesOfJob(const MlScan& scan, MlAnswer& answer) const;
  int64_t LabelOf(const std::string& text);

  std::vector<MlRecord> log_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<MlSliceCount> slices_;
  std::vector<std::string> labels_;
  std::map<std::string, int64_t> label_of_;
};

}  // namespace stepscope::goodput
