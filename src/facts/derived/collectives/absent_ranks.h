// Finds how long the recorded ranks of a process group wait together for ranks without a trace.
//
// No collective says that its last rank has no trace. But where one takes much longer than others
// of its kind, after all recorded ranks have arrived, they may wait for a rank that was not
// recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// Of the groups that lack the same ranks.
struct AbsentWait {
  std::vector<int64_t> waiting;   // recorded ranks, ascending
  std::vector<int64_t> absent;    // ranks without a trace, ascending; empty: which is unknown
  int64_t absent_count = 0;       // how many
  std::vector<uint32_t> matches;  // index into CollectiveFacts::matches: where they wait
  int64_t together = 0;           // ns of these collectives after the last recorded rank arrived
  int64_t usual = 0;              // ns that they would take without waiting
};

struct AbsentWaits {
  // ns at the end of each collective but for the usual time; 0: they do not wait, or nobody is
  // absent. By index into CollectiveFacts::matches.
  std::vector<int64_t> by_match;
  std::vector<AbsentWait> of_absent;

  bool In(const CollectiveFacts& facts, const CollectiveMatch& match) const {
    return by_match[static_cast<size_t>(&match - facts.matches.data())] > 0;
  }
};

// ns after the last recorded rank has arrived.
int64_t TogetherIn(const CollectiveFacts& facts, const CollectiveMatch& match);

// The usual time of a collective is the lower quartile of any kind with its operation and group
// size, times its bytes over theirs where it has more, and at most its time on gigabit Ethernet.
// They wait where it takes three times as long; or 1.3 times as long as before, since a step from
// which on those alike in their group do so on average.
const AbsentWaits& AbsentWaitsOf(const Facts& facts);

// The step since which they wait; nothing: they do in all, or in some only.
std::optional<int64_t> AbsentSince(const Facts& facts, const AbsentWait& wait);

// What of it is in steps from this one on.
AbsentWait WaitSince(const Facts& facts, const AbsentWait& wait, int64_t since);

// How much longer the recorded ranks wait since a step than before, in a mean step.
struct AbsentRise {
  const AbsentWait* wait = nullptr;  // null: they never wait
  int64_t difference = 0;            // ns
};
// Of those absent that most more is waited for.
AbsentRise AbsentRiseSince(const Facts& facts, int64_t since);

}  // namespace stepscope
