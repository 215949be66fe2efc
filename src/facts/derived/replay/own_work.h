// Divides what each rank does itself into units that can be compared between ranks and steps: each
// kernel or copy of a step, each operator or call of the host without those within it, and each
// stretch of the host before one. The n-th of its name in one step is that of another step.
//
// Of a partial, whose blocks of work are no kernels, all computing of a step is one unit, so is all
// copying, and so is the time in which its device had nothing to do.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "facts/paths/dependencies.h"

namespace stepscope {

enum class UnitKind : uint8_t {
  kDevice,  // a kernel or copy
  kHost,    // an operator or call
  kBefore,  // the host in none, until it begins this one
};

// What units are called: the same on other ranks and in other steps.
struct WorkName {
  StringId name = kNoString;
  UnitKind kind = UnitKind::kDevice;

  auto operator<=>(const WorkName&) const = default;
};

// The units of one name in a step, in their order.
struct UnitRun {
  uint32_t step = 0;  // index into JobGraph::steps
  WorkName of;
  uint32_t first = 0, count = 0;  // into OwnWork::times

  auto Place() const { return std::pair(step, of); }
};

struct OwnWork {
  std::vector<UnitRun> runs;      // by step, then name
  std::vector<int64_t> times;     // ns of each unit, as recorded
  std::vector<uint32_t> unit_of;  // of each edge of the rank's graph, or kNowhere
  std::vector<uint32_t> peers;    // ranks with the same work, itself among them
  // Of a partial: how often each kernel and copy ran in the recording, which tells who its peers
  // are; by name. Without any it has none.
  std::vector<std::pair<StringId, int64_t>> executions;
  bool of_partial = false;

  bool HasPeers() const { return peers.size() > 1; }
  std::span<const int64_t> TimesOf(const UnitRun& run) const {
    return std::span(times).subspan(run.first, run.count);
  }
};

// Of one rank, whose graph this is. `steps`: JobGraph::steps; for a rank without steps, one of them
// stands for the whole recording. `lock_step`: what the host does takes no time.
OwnWork CutWork(const RankActivity& rank, const StringTable& names, const Dependencies& graph,
                bool lock_step, std::span<const int64_t> steps);

// Ranks do the same work if nine in ten of their units are the same, or of partials, executions.
void FindPeers(std::span<OwnWork> work);

}  // namespace stepscope
