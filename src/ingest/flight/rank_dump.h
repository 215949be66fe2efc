// Defines what one rank of a stuck job left behind: its communication, as a Flight Recorder keeps
// it.
//
// A dump holds every unfinished operation that its recorder still had, and of each group the last
// finished ones. Absent numbers are kAbsent.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace stepscope {

inline constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();

// A process group as one rank names it.
struct DumpGroup {
  std::string name;              // "35"
  std::string description;       // "TENSOR_MODEL_PARALLEL_GROUP"; may be empty
  std::vector<int64_t> members;  // global ranks, in the group's order; empty: not said
  // Highest sequence numbers that the rank's process group counted; kAbsent: not said, or counted
  // together with point-to-point operations.
  int64_t enqueued = kAbsent;
  int64_t completed = kAbsent;
};

struct DumpOperation {
  enum class State : uint8_t { kScheduled, kStarted, kCompleted };

  int64_t record = 0;  // order of enqueueing on its rank
  uint32_t group = 0;  // index into RankDump::groups
  // Counts operations of the group: collectives, or point-to-point ones.
  int64_t sequence = 0;
  int64_t of_name = -1;  // counts those of its name alone, where `sequence` is not what people see
  bool point_to_point = false;
  std::string name;  // "all_reduce", "send"
  int64_t Number() const { return of_name >= 0 ? of_name : sequence; }
  int64_t from = -1, to = -1;  // of point-to-point: ranks within the group
  State state = State::kScheduled;
  bool pending = false;                 // not known to be finished
  bool odd = false;                     // has a value that no recorder writes: it may be damaged
  int64_t created = kAbsent;            // ns since the epoch, by the host's clock
  std::string in_sizes, out_sizes;      // "[[2048, 5120]]"
  int64_t in_count = 0, out_count = 0;  // elements of all tensors; saturated
  std::string types;                    // of input: "BFloat16"
  std::string line;                     // "train.py:42 (step)"; empty: not recorded
};

// What a rank called, whenever.
struct DumpCallKind {
  uint32_t group = 0;  // index into RankDump::groups
  bool point_to_point = false;
  std::string name, line;
};

struct DumpCall {
  uint32_t kind = 0;      // index into RankDump::kinds
  uint32_t sequence = 0;  // saturated
};

struct RankDump {
  int64_t rank = -1;
  int64_t rank_inside = -1;  // by its groups and messages; -1: they do not tell
  std::string path;
  std::string version;        // "2.10"
  std::string backend;        // "nccl"; empty: no operation names it
  bool sees_starts = false;   // states tell when operations start on the device
  int64_t recorded = 0;       // operations in the file
  int64_t newest = kAbsent;   // creation of the last one
  int64_t oldest = kAbsent;   // of the first one
  bool whole = false;         // the file has all that the process recorded, from the first
  int64_t left_out = 0;       // operations that were not kept: without group, or too many
  int64_t odd = 0;            // operations that are odd, kept or not
  int64_t written = kAbsent;  // ns since the epoch, when the file was; a copy is younger
  int64_t least_ranks = 0;    // ranks that the job has at least; 0: not said
  bool all_ranks = false;     // it has no more than these: the default group is the only one
  std::vector<DumpGroup> groups;
  std::vector<DumpOperation> operations;  // by record
  std::vector<DumpCallKind> kinds;
  std::vector<DumpCall> calls;  // the last ones, by record, without a gap
};

// Whether the back end's operations run on the host, where they block it.
inline bool IsHostBackend(const RankDump& dump) {
  return dump.backend == "gloo" || dump.backend == "mpi" || dump.backend == "ucc";
}

}  // namespace stepscope
