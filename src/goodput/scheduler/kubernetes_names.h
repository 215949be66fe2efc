// Tells by their names which Kubernetes objects belong to one job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stepscope::goodput {

// A cluster event at one of its times.
struct ClusterItem {
  int64_t time = 0;
  std::string uid, kind, name, reason, message;
  bool repeated = false;  // the last of several times
};

// Whether the object is the job's or was made for it. Any is if the name is empty.
bool Belongs(const ClusterItem& item, const std::string& job);

// Kinds of the controllers of jobs by their names: of those that no other kind made.
using Controllers = std::map<std::string, std::string>;
Controllers ControllersIn(const std::vector<ClusterItem>& items);

// The name of the item's job: of its controller, or what the names of its pods have in common.
std::string JobOf(const ClusterItem& item, const Controllers& controllers);

}  // namespace stepscope::goodput
