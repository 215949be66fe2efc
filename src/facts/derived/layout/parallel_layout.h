// Finds out what the process groups of a job are for, and the grid that they form.
//
// Groups of one kind divide the ranks. Where each two groups of different kinds meet in at most one
// rank, and the product of their sizes is the number of ranks, the kinds are the axes of a grid,
// and a rank has a coordinate on each: its place in its group.
//
// A kind is known by the description of the group, else by its use: sends and receives are a
// pipeline's; reductions that begin once the other collectives of a step are through are of
// gradients. What fits two kinds has both names ("dp or tp").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "facts/derived/layout/group_kinds.h"
#include "facts/derived/layout/process_groups.h"
#include "stepscope/phrase.h"

namespace stepscope {

// Groups of one kind and size.
struct GroupClass {
  ParallelKind kind = ParallelKind::kUnknown;
  std::string label;             // "tp", "dp_shard", "dp or tp", "unknown"; unique in the layout
  bool described = false;        // else inferred
  std::string known_by;          // "described as mesh_tp", "sends and receives"
  int64_t size = -1;             // of each of its groups; -1: unknown
  int64_t stride = 0;            // between neighbours; 0: irregular or unknown
  std::vector<uint32_t> groups;  // index into ProcessGroups::groups
  bool divides = false;          // no rank is in two of them, and their members are known
};

struct ParallelLayout {
  std::vector<GroupClass> classes;                // by kind, as axes are said
  std::vector<uint32_t> class_of;                 // of each of ProcessGroups::groups
  std::vector<uint32_t> axes;                     // index into classes
  bool is_grid = false;                           // and the ranks are its points
  Phrase problem;                                 // else why not, a sentence without a final stop
  std::map<int64_t, std::vector<int64_t>> seats;  // coordinates by class; -1: unknown

  // "dp 2 x pp 4 x tp 2", or all that is known: "tp 2, pp 4"; empty: no axis.
  std::string Say() const;
  const GroupClass* OfKind(ParallelKind kind) const;  // the first; null: none
};

const ParallelLayout& ParallelLayoutOf(const Facts& facts);

}  // namespace stepscope
