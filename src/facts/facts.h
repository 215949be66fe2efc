// Holds the input of analyses: the selected activities of all ranks, and shared facts derived once.
// Read-only, but for the memo that facts/derived fills at the first use.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "facts/collectives/collectives.h"
#include "facts/devices/kernel_groups.h"
#include "facts/devices/kernels.h"
#include "facts/devices/occupancy.h"
#include "facts/memo.h"
#include "facts/steps/steps.h"

namespace stepscope {

// One device in one recording: the unit of most tables. Almost always that is one rank.
struct DeviceFacts {
  const RankActivity* rank = nullptr;
  int64_t device = -1;
  uint32_t device_index = 0;       // into rank->devices
  Occupancy total;                 // of all selected activities
  std::vector<Occupancy> by_step;  // of the activities of each of rank->steps
  bool one_rank = false;           // the run has no other rank
};

struct Facts {
  // The names that Activity::name stands for.
  const StringTable* names = nullptr;
  // By rank, then window. CPU-only recordings are among them, without work.
  std::span<const RankActivity> ranks;
  // Ranks of which there are recordings, but that the question leaves out.
  std::set<int64_t> left_out;
  // Devices with work, by rank, window, device.
  std::vector<DeviceFacts> devices;
  // Every kernel of every rank that has work, by rank.
  std::vector<RankKernels> kernels;
  // Collectives matched across ranks, split on aligned clocks.
  CollectiveFacts collectives;
  // The user's own groups of kernels; empty when none were given.
  GroupedNames groups;
  // Why there are no activities; empty when there are some.
  std::string no_work;
  // Which ranks have none while others do, as a sentence; empty when all have some.
  std::string some_without_work;

  // How Stepscope captured the run, "torch" or "grpc" and others; empty where it did not.
  std::string captured;

  // Kernel launches of all ranks whose trace says which launch a kernel belongs to, or has no
  // activity at all.
  LaunchCount launches;

  // What only some analyses need: facts/derived keeps here what it derived.
  mutable Memo memo;

  std::vector<RankActivity> selected;  // what `ranks` points to, when not every step is selected

  std::string_view Name(const Activity& activity) const { return (*names)[activity.name]; }
  bool HasSteps() const;
  // How many recordings there are of a rank, in the mean: several where each is a window.
  double RecordingsOfARank() const;
  // Whether the job has no accelerator: "devices" are hosts, and their streams threads.
  bool OnHost() const;
  // Whether a library on the host communicates, for devices or in their place.
  bool HostCommunicates() const;
  // Whether most launches have no recorded kernel: when devices were idle is then unknown.
  bool MostKernelsMissing() const { return launches.without_kernel > launches.calls / 2; }
  // Whether what the host did at `time` counts: when steps are selected, only within them.
  bool Counts(const RankActivity& rank, int64_t time) const {
    return selected.empty() || rank.StepAt(time) != kNoStep;
  }
};

// Derives the facts of the selected steps. `names` and `ranks` must outlive the result.
Facts DeriveFacts(const StringTable& names, std::span<const RankActivity> ranks,
                  const StepSelection& selection, std::string_view selection_text);

}  // namespace stepscope
