// Models goodput: the share of time that should become progress, and the effect of each
// improvement. Uses only the given numbers; reads no files.
//
//   auto answer = stepscope::ModelGoodput({.mtbf_s = 11135, .save_s = 60, .restart_s = 600});
//   if (!answer) return Print(answer.error());
//   std::fputs(stepscope::ToText(*answer).c_str(), stdout);
//
// The given options determine the reports; each needs:
//
//   goodput_model     save_s, restart_s and a failure rate: expected goodput in four forms and
//                     simulated, best checkpoint interval, gain of each lever
//   goodput_failures  a failure rate: observed and modeled time between failures, causes
//   goodput_spares    standby_machines and down_probability: number of hot spares
//   goodput_product   chip time of a fleet, or steps: scheduling x runtime x program goodput
//   goodput_gains     measurements before and after a change: the gain
//
// Times are seconds, shares go from 0 to 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/goodput_report.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// A cause of failures: its count, and the share that a publication prints, if any. "gpu/memory"
// belongs to the group "gpu", which is summed too.
struct FailureCause {
  std::string name;
  int64_t count = 0;
  std::optional<double> printed_share;
};

// What must be answered; errors name the numbers that it needs.
enum class ModelQuestion : uint8_t { kExpected, kFailures, kSpares, kFleet, kGains };

struct GoodputModelOptions {
  ModelQuestion question = ModelQuestion::kExpected;

  // Failure rate. The model uses the first given: the job's mean time between failures; that of a
  // node, or failures per node and day, with the number of nodes; failures counted over some time.
  std::optional<double> mtbf_s;
  std::optional<double> mtbf_per_node_s;
  std::optional<double> failures_per_node_day;
  std::optional<double> failures, over_s;
  std::vector<FailureCause> causes;       // their sum is the default of `failures`
  std::optional<double> observed_mtbf_s;  // for comparison with the model's

  // The size of the job. Each is derived from the other by chips_per_node.
  std::optional<double> nodes, chips;
  double chips_per_node = 8;

  // Checkpoints. Default interval: the best one.
  std::optional<double> checkpoint_interval_s;  // of work between saves
  std::optional<double> save_s;                 // for which a save blocks the job
  double persist_s = 0;                         // from then until it is durable, in the background
  double announced_share = 0;                   // of failures announced early enough to save
  std::optional<double> emergency_save_s;       // its duration (default: save_s + persist_s)

  // Restarts: rescheduling or a spare, then restart_s to the first step.
  std::optional<double> restart_s;
  double reschedule_s = 0;
  int64_t spares = 0;
  std::optional<double> swap_s;  // default: reschedule_s / 10.87, warm standbys of ByteRobust
  double repair_s = 86400;       // until a failed node is a spare again; assumed, no source

  // Levers: the part of the restart that each could remove, and its assumed effect.
  double sigterm_share = 47.0 / 466;  // Llama 3: planned interruptions of all, arXiv 2407.21783
  std::optional<double> pull_s;       // of restart_s: pulling the container image
  double pull_speedup = 29;         // preloaded, 16 GB image; ML productivity goodput, Google Cloud
  std::optional<double> compile_s;  // of restart_s: compiling
  double compile_cached_share = 1;  // of it that the cache saves; default: upper bound
  std::optional<double> capacity_wait_s;  // of reschedule_s: waiting for capacity
  std::optional<int64_t> lever_spares;    // default: enough for 99% of failures
  double save_speedup = 148.8 / 6.3;      // asynchronous saves of a 7B model, PyTorch and IBM

  std::optional<double> price_per_chip_hour;  // in any currency
  std::optional<double> target_goodput;       // for the loss budget per failure

  uint64_t seed = 1;  // of the simulation
  int64_t simulated_failures = 200'000;

  // Standby machines.
  std::vector<int64_t> standby_machines;  // sizes of jobs, in machines
  std::optional<double> down_probability;
  double standby_share = 0.99;  // of time with enough standby machines

  // Chip time of a fleet in chip seconds, and program goodput.
  std::optional<double> capacity_chip_s, allocated_chip_s, saved_chip_s, program_goodput;
  std::optional<double> wasted_chip_s;  // of `chips` over `over_s`
  std::optional<double> steps_tried, steps_committed, replicas, mean_replicas;

  // Measured before and after a change, in pairs.
  std::vector<double> restart_before_s, restart_after_s;
  std::vector<double> save_before_s, save_after_s;
  std::vector<double> relative_mfu;  // MFU with frequent saves / MFU without, one per job
};

// Completes `given` with numbers measured in a job's events: disruption rate, save and restart
// times, checkpoint interval, and chips from scheduler events. Fails as GoodputReport(), and if the
// job was never disrupted or never saved.
Result<GoodputModelOptions> FitGoodputModel(const GoodputReportOptions& events,
                                            GoodputModelOptions given = {});

// Fails if a number is out of range, or one is missing that others need.
Result<ReportSet> ModelGoodput(const GoodputModelOptions& options);

}  // namespace stepscope
