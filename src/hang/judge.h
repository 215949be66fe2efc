// Follows waits to the ranks that stopped the job.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "hang/earlier.h"
#include "hang/job.h"
#include "hang/waits.h"

namespace stepscope::hang {

enum class Reason : uint8_t {
  kHostNotArrived,
  kDeviceNotFinished,
  kOperationMismatch,
  kShapeMismatch,
  kTypeMismatch,
  kOrderMismatch,
  kMessageCycle,
  kCollectiveCycle,
  kDumpMissing,
  kProcessGone,  // NCCL's RAS service gave the process up, or it does not answer
};

// Why a root is not proven.
enum class Doubt : uint8_t {
  kNone,    // it is
  kOrder,   // they wait for one another, and what they called before does not tell who is wrong
  kWhich,   // it is one of several of which any may be the root, and dumps cannot tell which
  kMember,  // dumps do not tell whether it is a member of the group
  kLost,    // a process that no dump tells of may have died: groups lack a member, or an operation
            // ended with an error
  kGone,    // it did not arrive, and another one's process is gone: either may be why
  kUnusable,  // its dump does not count: it cannot be read, or is of another attempt
  kPartial,   // operations of its dump were left out
  kDamaged,   // its dump, or what it is compared with, has values that no recorder writes
  kFewSay,    // fewer dumps say so than ranks are accused
  kWaits,     // its back end records no messages, and it may wait in one for a rank that is in no
              // recorded operation either
};

struct Root {
  int64_t rank = -1;
  Reason reason = Reason::kHostNotArrived;
  Doubt doubt = Doubt::kNone;
  size_t group = 0;
  // Its operation there; null: none. Of a cycle of messages null where only stacks show it.
  const DumpOperation* own = nullptr;
  const DumpOperation* others = nullptr;  // what others have there; null: not known
  size_t others_group = SIZE_MAX;         // its group, of a call that is out of order
  int64_t waiting = 0;                    // ranks that wait for it in this operation
  std::vector<int64_t> witnesses;         // whose dumps say so, of kFewSay
  std::vector<int64_t> chain;             // of waits that end at it: {5, 3, rank}; the longest

  bool proven() const { return doubt == Doubt::kNone; }
};

struct Judgement {
  std::vector<Root> roots;         // by rank
  std::vector<Wait> waits;         // who waits for whom, whatever the roots
  int64_t stuck = 0;               // ranks with an unfinished operation
  std::vector<int64_t> missing;    // ranks without a dump
  std::list<DumpOperation> calls;  // what roots point to that no dump keeps as an operation
  std::vector<Earlier> earlier;    // what differed before, and stopped nobody there
};

Judgement Judge(const Job& job);

// Whether the root is proven, of a job that does not move and whose dumps belong together: else
// only a process that is gone is.
bool IsCertain(const Job& job, const Root& root);

}  // namespace stepscope::hang
