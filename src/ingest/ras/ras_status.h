// Defines what NCCL's RAS service says of a job: its communicators, and how far each member came.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stepscope {

struct RasMember {
  int64_t rank = -1;  // within the communicator
  std::string host;
  int64_t process = -1;
  int64_t device = -1;
  // Operations that it enqueued, by name: "AllReduce". Empty: it is missing.
  std::map<std::string, int64_t> counts;
  bool missing = false;       // its process did not answer for it
  bool unresponsive = false;  // the process did not answer at all
  bool dead = false;          // RAS gave it up
  bool aborted = false;       // it aborts the communicator, or an error is on it
};

struct RasCommunicator {
  std::string id;    // "0x6a01b2"
  int64_t size = 0;  // members that it should have
  std::vector<RasMember> members;
};

struct RasStatus {
  std::string path;
  std::string taken;  // "2026-11-27 13:10:00", by the clock of the host that was asked
  std::vector<RasCommunicator> communicators;
  int64_t left_out = 0;  // communicators and members that were not kept: damaged, or too many
};

}  // namespace stepscope
