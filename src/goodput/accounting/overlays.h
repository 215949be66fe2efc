// What lies over the course of an attempt: saves, initialisation, custom events. Of those that
// overlap the one in the first bucket counts; in the same bucket the one that was added first,
// which of nested spans is the inner one since it ends earlier.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "goodput/accounting/bucket.h"
#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

class Overlays {
 public:
  struct Piece {
    int64_t start = 0, end = 0;
    Bucket bucket = Bucket::kCustom;
    uint8_t label = 0;   // which custom type
    uint32_t order = 0;  // of its addition
  };

  // Only spans with end > start.
  void Add(int64_t start, int64_t end, Bucket bucket, uint8_t label = 0);

  // Disjoint and in order of time. What came in order is there already; the rest is worked in now,
  // which takes O(n log n) of what it touches.
  std::span<const Piece> Pieces();

  // Joins pieces that lie wholly between `from` and `to`, in one minute and between the same two
  // neighbours of `cuts`, in order of time: one piece each of a bucket and label, one behind the
  // other. What lies over such a stretch stays the same by bucket and label; where, changes.
  void Pack(int64_t from, int64_t to, std::span<const int64_t> cuts);

  size_t size() const { return pieces_.size() + unsettled_.size(); }

  void Save(StateWriter& out);
  void Load(StateReader& in);  // replaces all there is

 private:
  std::vector<Piece> pieces_;
  std::vector<Piece> unsettled_;
  uint32_t order_ = 0;
};

}  // namespace stepscope::goodput
