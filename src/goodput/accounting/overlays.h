// Stores overlays of an attempt: saves, initialization, custom events. Where they overlap, the
// first bucket counts; within a bucket, the span added first, which is the inner one of nested
// spans.
//
// A job that is followed has thousands, as between two steps: those in order take about 10 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "goodput/accounting/bucket.h"
#include "goodput/accounting/short_numbers.h"
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
  std::vector<Piece> Pieces();

  // Joins pieces between `from` and `to` that lie in one minute and between the same two values of
  // `cuts`, into one piece per bucket and label, one after the other. Sums per bucket and label
  // stay; positions within the minute change.
  void Pack(int64_t from, int64_t to, std::span<const int64_t> cuts);

  // Gives back what is reserved for more.
  void Fit() {
    settled_.Fit();
    unsettled_.shrink_to_fit();
  }

  size_t size() const { return settled_pieces_ + unsettled_.size(); }
  size_t bytes() const { return settled_.reserved() + unsettled_.capacity() * sizeof(Piece); }

  void Save(StateWriter& out);
  void Load(StateReader& in);  // replaces all there is

 private:
  void Append(const Piece& piece);
  void Settle(std::span<const Piece> pieces);
  std::vector<Piece> Settled() const;

  // Disjoint pieces in time order, each as what it differs in from the one before.
  ShortNumbers settled_;
  size_t settled_pieces_ = 0;
  int64_t begin_ = 0;  // of the first one
  Piece last_;
  std::vector<Piece> unsettled_;
  uint32_t order_ = 0;
};

}  // namespace stepscope::goodput
