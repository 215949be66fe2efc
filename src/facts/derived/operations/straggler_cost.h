// What stragglers cost a job: how much longer its steps are than if every operation took what
// operations of its type take.
//
// Quantities and their names are those of Lin et al., arXiv 2505.05713 (OSDI '25): S = T / T_ideal
// (equation 1), S_t and S_w, in which only operations of type t or worker w take what they took
// (equations 2 and 4), and M_W and M_S, the share of the slowdown that is gone when the slowest 3%
// of workers (equation 5) or the last stage take what they should.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/result.h"
#include "trace/operations.h"

namespace stepscope {

// With what only these operations take as recorded, all others as they should.
struct StragglerPart {
  std::string name;     // of a type
  int64_t number = -1;  // of a replica or stage
  double step = 0;      // ns, mean
  bool communicates = false;
};

struct StragglerWorker {
  int64_t dp = -1, stage = -1;  // -1: the layout is not known
  int64_t rank = -1;            // -1: not known
  double step = 0;              // ns, mean, if only it takes what it took
  bool slowest = false;         // among the slowest 3%
};

struct StragglerStep {
  int64_t step = 0;                               // its number
  int64_t recorded = 0, no_delay = 0, ideal = 0;  // ns
  int64_t without_workers = 0;                    // as StragglerCost has it; no_delay: not asked
};

struct StragglerCost {
  double recorded = 0;  // ns per step, means over steps
  double no_delay = 0;  // a replay without launch delays
  double ideal = 0;     // a replay in which every operation takes what it should
  // no_delay without the excess of the slowest workers, or of the last stage; absent: not asked.
  std::optional<double> without_workers, without_last_stage;
  // A replay in which computing always takes the mean of its type and stage, and all else what it
  // should: how far it is from the ideal is due to how the model is divided into stages, not to
  // what varies within a stage. Ours, not the paper's. Absent: there is one stage, or none is
  // known.
  std::optional<double> even_within_stages;
  std::vector<StragglerPart> types, replicas, stages;  // the largest first
  std::vector<StragglerWorker> workers;                // the largest first
  std::vector<StragglerStep> steps;                    // ascending
  int64_t dropped_steps = 0;                           // in which operations are missing

  // S, or 1 where there is no ideal.
  double Slowdown() const { return ideal > 0 ? no_delay / ideal : 1; }
  // How far `step` is from the ideal: S_t, S_w.
  double SlowdownOf(double step) const { return ideal > 0 ? step / ideal : 1; }
  // The share of the slowdown that is there in a step of this length; absent where there is none.
  std::optional<double> ShareLeft(std::optional<double> step) const {
    if (!step || no_delay <= ideal) return std::nullopt;
    return (*step - ideal) / (no_delay - ideal);
  }
  // M_W, M_S: the share of the slowdown that is gone in a step of this length; absent where there
  // is no slowdown.
  std::optional<double> ShareGone(std::optional<double> step) const {
    if (!step || no_delay <= ideal) return std::nullopt;
    return (no_delay - *step) / (no_delay - ideal);
  }
};

// How many workers are the slowest 3%, rounded up.
inline size_t SlowestWorkers(size_t workers) { return (3 * workers + 99) / 100; }

// Fails as DeriveOperationGraph() does. Linear in operations but for sorting and medians, times the
// number of stages.
Result<StragglerCost> StragglerCostOf(const JobOperations& operations);

}  // namespace stepscope
