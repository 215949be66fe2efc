// Says which ranks wait for which, operation by operation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "hang/job.h"

namespace stepscope::hang {

// Why ranks wait for others in one operation.
enum class WaitKind : uint8_t {
  kNotArrived,   // `awaited` did not enqueue it
  kNotFinished,  // `awaited` did not finish an operation that others finished
  kNotBegun,     // `awaited` enqueued it, and their devices did not begin it, as others' did
  kMismatch,     // `awaited` called something else there
  kMissing,      // all others arrived; of `awaited` there is no dump
  kQueued,       // `awaited` enqueued it behind another one that is unfinished
  kMessage,      // `awaited` did not enqueue its end of a message
};

struct Wait {
  WaitKind kind = WaitKind::kNotArrived;
  size_t group = 0;                          // index into Job::groups
  const DumpOperation* operation = nullptr;  // as one of `waiting` enqueued it
  std::vector<int64_t> waiting;
  std::vector<int64_t> awaited;
  // Whether `awaited` are known to be members; else some of them may be.
  bool sure = true;

  bool Awaits(int64_t rank) const { return std::ranges::find(awaited, rank) != awaited.end(); }
};

// What a rank is found to have done, whatever it waits for.
struct Fault {
  WaitKind kind = WaitKind::kNotFinished;
  size_t group = 0;
  const DumpOperation* own = nullptr;     // its operation; null: it has none there
  const DumpOperation* others = nullptr;  // what most others have there
  bool sure = true;      // kMismatch: most others agree; else nobody can be told from the others
  bool in_order = true;  // kMismatch: false where it called these in another order
  bool sane = true;      // kMismatch: a program can have given what both say
};

// An operation that all its members enqueued and none finished.
struct Complete {
  size_t group = 0;
  const DumpOperation* operation = nullptr;
  std::vector<int64_t> members;
};

struct Waits {
  std::vector<Wait> waits;
  std::map<int64_t, Fault> faults;  // by rank
  std::vector<Complete> complete;
  // A member ended an operation that another one did not begin: with an error.
  bool errors = false;
  // Messages that only stacks show; they have no number.
  std::list<DumpOperation> seen;
};

// Of collectives, of messages, and of operations behind others.
Waits FindWaits(const Job& job);

// The parts of FindWaits(): messages alone, and mismatched members of one group at one sequence.
void AddMessageWaits(const Job& job, size_t group, Waits& waits);
// True where members called different operations at `sequence`; adds them and who waits for them.
bool AddMismatch(const Job& job, size_t group, int64_t sequence, Waits& waits);

// Waits of ranks that are in no recorded operation, and by their stacks in a message whose other
// end the stack names.
void AddSeenMessages(const Job& job, Waits& waits);

// Waits of messages that both ends enqueued, each behind other messages: circles of sends on one
// stream.
void AddQueuedMessages(const Job& job, Waits& waits);

}  // namespace stepscope::hang
