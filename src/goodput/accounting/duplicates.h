// Tells events that were there already: logs are delivered twice, files are joined twice.
//
// An event with a writer and a sequence number is told by these; any other by all it says. The
// first kind costs memory by writer, the second 8 bytes an event: times mostly grow, and what is
// later than all before is new without a look at them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/growing_array.h"
#include "goodput/events/event.h"
#include "goodput/events/sequences.h"
#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

// Of all that the event says but its writer and sequence; never 0. Two different events of one kind
// share it with a chance of 2^-64.
uint64_t ContentHash(const Event& event);

class Duplicates {
 public:
  // Whether an equal event was given before.
  bool Seen(const Event& event);

  // Events that writers numbered and that never came.
  int64_t Missing() const;

  // What is known of writers. Contents are not stored: whoever stores sees to them himself.
  void SaveWriters(StateWriter& out) const;
  void LoadWriters(StateReader& in);

 private:
  // Hashes in an open table.
  class HashSet {
   public:
    bool Insert(uint64_t hash);  // false: was there
    bool empty() const { return slots_.empty(); }

   private:
    void Grow();
    std::vector<uint64_t> slots_;
    size_t count_ = 0;
  };

  // The events of one kind.
  struct Kind {
    int64_t latest = kUnknown;
    size_t at_latest = 0;           // the first of `hashes` with that time
    GrowingArray<uint64_t> hashes;  // in the order they came, until the first look back
    HashSet set;                    // after it
  };

  bool SeenContent(const Event& event);

  std::array<Kind, static_cast<size_t>(EventKind::kCount)> kinds_;
  std::unordered_map<std::string, Sequences> writers_;
};

}  // namespace stepscope::goodput
