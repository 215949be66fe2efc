// Detects duplicate events, since logs are delivered twice and files are joined twice.
//
// Writer and sequence number identify an event; without a recorder's, its whole content does. The
// first kind takes memory per writer, the second 8 bytes per event. Times mostly grow, and an event
// later than all before is new without a lookup.
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

// Hashes the content of an event without writer and sequence; never 0. Two different events of a
// kind collide with probability 2^-64.
uint64_t ContentHash(const Event& event);

class Duplicates {
 public:
  // True if an equal event was seen before.
  bool Seen(const Event& event);

  // The number of gaps in writers' sequence numbers.
  int64_t Missing() const;

  // The numbers that each writer has.
  const std::unordered_map<std::string, Sequences>& writers() const { return writers_; }

  // How many events came after later ones of their writer.
  int64_t late() const { return late_; }

  // Stores the sequences of writers. Content hashes are not stored; callers handle them.
  void SaveWriters(StateWriter& out) const;
  void LoadWriters(StateReader& in);

 private:
  // Hashes in an open-addressing table.
  class HashSet {
   public:
    bool Insert(uint64_t hash);  // false: present already
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
    GrowingArray<uint64_t> hashes;  // in order of arrival, until the first lookup
    HashSet set;                    // from then on
  };

  bool SeenContent(const Event& event);

  std::array<Kind, static_cast<size_t>(EventKind::kCount)> kinds_;
  std::unordered_map<std::string, Sequences> writers_;
  int64_t late_ = 0;
};

}  // namespace stepscope::goodput
