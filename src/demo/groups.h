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

// Whether there are rails: several hosts of several ranks, each of one device.
bool HasRails(const DemoOptions& options);

// Of a rank, by number.
std::vector<ProcessGroup> GroupsOf(const DemoOptions& options, int rank);

}  // namespace stepscope::demo
