// Tells in which process groups a rank is, and how a trace describes them.
#pragma once

#include <string>
#include <vector>

#include "stepscope/demo.h"

namespace stepscope::demo {

// Ranks that are equally far apart.
struct ProcessGroup {
  std::string name, description;
  int first = 0, count = 0, apart = 1;

  std::string Listed() const;  // as collectives carry it: "[0, 1, 2, 3]"; long ones are cut off
  std::string Config() const;  // as the job's description has it, all members
};

// Numbers of groups, for what is reduced in them.
inline constexpr int kWorld = 0;  // all ranks
inline constexpr int kRail = 1;   // those of equal place in their hosts
// Those of a job whose replicas span several ranks.
inline constexpr int kTensorGroup = 1, kPipelineGroup = 2, kDataGroup = 3, kExpertGroup = 4,
                     kExpertDataGroup = 5;
inline constexpr size_t kMostGroups = 6;

// Whether replicas span several ranks, or share experts.
bool HasParallelGroups(const DemoOptions& options);

// Replicas of the model in such a job.
int ReplicasOf(const DemoOptions& options);

// Which part of a job with parallel groups a rank has.
struct ParallelPlace {
  int part = 0, replica = 0, stage = 0;
};
ParallelPlace PlaceOf(const DemoOptions& options, int rank);

// Whether there are rails: several hosts of several ranks, each of one device.
bool HasRails(const DemoOptions& options);

// Of a rank, by number. Groups of one rank are among them but for rails.
std::vector<ProcessGroup> GroupsOf(const DemoOptions& options, int rank);

}  // namespace stepscope::demo
