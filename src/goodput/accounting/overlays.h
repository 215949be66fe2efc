// Stores overlays of an attempt: saves, initialization, custom events. Where they overlap, the
// first bucket counts; within a bucket, the span added first, which is the inner one of nested
// spans.
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
    uint8_t label = 0;   // index of the custom type
    uint32_t order = 0;  // order of addition
  };

  // REQUIRES: end > start.
  void Add(int64_t start, int64_t end, Bucket bucket, uint8_t label = 0);

  void Move(int64_t by);  // all times

  // Disjoint pieces in time order. Merges spans that came out of order, in O(n log n) of those
  // affected.
  std::span<const Piece> Pieces();

  // Joins pieces between `from` and `to` that lie in one minute and between the same two values of
  // `cuts`, into one piece per bucket and label, one after the other. Sums per bucket and label
  // stay; positions within the minute change.
  void Pack(int64_t from, int64_t to, std::span<const int64_t> cuts);

  // Gives back what is reserved for more.
  void Fit() {
    pieces_.shrink_to_fit();
    unsettled_.shrink_to_fit();
  }

  size_t size() const { return pieces_.size() + unsettled_.size(); }

  void Save(StateWriter& out);
  void Load(StateReader& in);  // replaces all there is

 private:
  std::vector<Piece> pieces_;
  std::vector<Piece> unsettled_;
  uint32_t order_ = 0;
};

}  // namespace stepscope::goodput
