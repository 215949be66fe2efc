// The front door of the goodput model: how much of its time a job should turn into progress, and
// what each improvement is worth. Reads no files: the answer comes from these numbers alone.
//
//   auto answer = stepscope::ModelGoodput({.mtbf_s = 11135, .save_s = 60, .restart_s = 600});
//   if (!answer) return Print(answer.error());
//   std::fputs(stepscope::ToText(*answer).c_str(), stdout);
//
// Which reports come back depends on what is given; each says what it needs:
//
//   goodput_model     save_s, restart_s and how often the job fails: expected goodput in four forms
//   and
//                     simulated, the best checkpoint interval, what each lever is worth
//   goodput_failures  how often a job fails, observed and by the model; its failures by cause
//   goodput_spares    standby_machines and down_probability: how many machines to keep on standby
//   goodput_program   tokens_per_second or tflops_per_chip: MFU and HFU
//   goodput_product   chip time of a fleet, or steps: scheduling x runtime x program goodput
//   goodput_gains     what was measured before and after a change: by how much it is better
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

// One cause of failures: how often, and the share that a publication prints for it, if any. A name
// "gpu/memory" belongs to the group "gpu", which is summed up too.
struct FailureCause {
  std::string name;
  int64_t count = 0;
  std::optional<double> printed_share;
};

struct GoodputModelOptions {
  // How often the job fails. The model takes the first of these that is given: the job's own mean
  // time between failures; that of a node, or failures of a node in a day, and the number of nodes;
  // failures counted over some time.
  std::optional<double> mtbf_s;
  std::optional<double> mtbf_per_node_s;
  std::optional<double> failures_per_node_day;
  std::optional<double> failures, over_s;
  std::vector<FailureCause> causes;  // their sum stands in for `failures` where that is missing
  std::optional<double> observed_mtbf_s;  // to set beside the model's

  // The size of the job. Either gives the other by chips_per_node.
  std::optional<double> nodes, chips;
  double chips_per_node = 8;

  // Checkpoints. Without an interval the best one is taken.
  std::optional<double> checkpoint_interval_s;  // of work between saves
  std::optional<double> save_s;                 // for which a save blocks the job
  double persist_s = 0;                         // until it is durable after that, in the background
  double announced_share = 0;                   // of failures heard of in time to save
  std::optional<double> emergency_save_s;       // how long that takes; else save_s + persist_s

  // Restarts: rescheduling or a spare, then restart_s to the first step.
  std::optional<double> restart_s;
  double reschedule_s = 0;
  int64_t spares = 0;
  std::optional<double> swap_s;  // else reschedule_s / 10.87, ByteRobust's warm standbys
  double repair_s = 86400;       // until a failed node is a spare again; assumed, no source

  // Levers. What of the restart each could take away, and what it is assumed to.
  double sigterm_share = 47.0 / 466;  // Llama 3: planned interruptions of all, arXiv 2407.21783
  std::optional<double> pull_s;       // of restart_s: pulling the container image
  double pull_speedup = 29;         // preloaded, 16 GB image; ML productivity goodput, Google Cloud
  std::optional<double> compile_s;  // of restart_s: compiling
  double compile_cached_share = 1;  // of it that the cache saves: at most all
  std::optional<double> capacity_wait_s;  // of reschedule_s: waiting for capacity
  std::optional<int64_t> lever_spares;    // else enough for 99 % of failures
  double save_speedup = 148.8 / 6.3;      // asynchronous saves of a 7B model, PyTorch and IBM

  std::optional<double> price_per_chip_hour;  // in any currency
  std::optional<double> target_goodput;       // what each failure may cost to reach it

  uint64_t seed = 1;  // of the simulation
  int64_t simulated_failures = 200'000;

  // Standby machines.
  std::vector<int64_t> standby_machines;  // sizes of jobs, in machines
  std::optional<double> down_probability;
  double standby_share = 0.99;  // of the time that they are enough

  // Program goodput: a dense transformer, its speed, and the chip.
  std::optional<double> parameters, layers, heads, head_dim, sequence_length;
  std::optional<double> tokens_per_second;
  std::optional<double> tflops_per_chip;       // achieved, where the framework prints it
  std::optional<double> peak_tflops;           // of one chip
  std::optional<double> executed_flops_ratio;  // executed with recomputation / of the model

  // Chip time of a fleet, in chip seconds, and the rest of scheduling x runtime x program goodput.
  std::optional<double> capacity_chip_s, allocated_chip_s, saved_chip_s, program_goodput;
  std::optional<double> wasted_chip_s;  // of `chips` over `over_s`
  std::optional<double> steps_tried, steps_committed, replicas, mean_replicas;

  // Measured before and after a change, pair by pair.
  std::vector<double> restart_before_s, restart_after_s;
  std::vector<double> save_before_s, save_after_s;
  std::vector<double> relative_mfu;  // with frequent saves, of that without, one a job
};

// The numbers of `given`, and where it has none those measured in a job's own events: how often it
// was disrupted, what saves and restarts took, its checkpoint interval, its chips where a scheduler
// told them. Fails as GoodputReport() does, and when the job was never disrupted or never saved.
Result<GoodputModelOptions> FitGoodputModel(const GoodputReportOptions& events,
                                            GoodputModelOptions given = {});

// Fails when a number is out of its range, or one is missing that the others make no sense without.
Result<ReportSet> ModelGoodput(const GoodputModelOptions& options);

}  // namespace stepscope
