// Compares the pieces of two sequences that ran at the same time.
#include "facts/collectives/pieces.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "base/saturate.h"
#include "facts/collectives/clock.h"

namespace stepscope {
namespace {

using Entries = std::span<const OrderedEntry>;

std::vector<Entries> PiecesOf(Entries entries) {
  std::vector<Entries> pieces;
  while (!entries.empty()) {
    const auto next = std::ranges::find_if(
        entries, [&](const OrderedEntry& e) { return e.piece != entries.front().piece; });
    const auto count = static_cast<size_t>(next - entries.begin());
    pieces.push_back(entries.first(count));
    entries = entries.subspan(count);
  }
  return pieces;
}

// What ended between both times, and one more at each side: partners do not end at quite the same
// time. Roughly so where entries did not end in the order in which they began.
Entries Within(Entries piece, int64_t from, int64_t to) {
  auto first = std::ranges::lower_bound(piece, from, {}, &OrderedEntry::end);
  auto last = std::ranges::upper_bound(first, piece.end(), to, {}, &OrderedEntry::end);
  if (first != piece.begin()) --first;
  if (last != piece.end()) ++last;
  return {first, last};
}

class PieceAlignment {
 public:
  PieceAlignment(Entries reference, Entries other, bool one_clock)
      : reference_(reference),
        other_(other),
        references_(PiecesOf(reference)),
        others_(PiecesOf(other)),
        one_clock_(one_clock) {}

  OrderAlignment Align() {
    if (one_clock_) {
      if (OrderAlignment by_time = ByTime(0); by_time.confirmed) return by_time;
    }
    OrderAlignment by_place = FoundBy([&] { AlignByPlace(); });
    if (one_clock_ || !offset_) return by_place;
    OrderAlignment by_time = ByTime(*offset_);
    return by_time.confirmed ? by_time : by_place;
  }

 private:
  // What `align` finds.
  template <class Align>
  OrderAlignment FoundBy(const Align& align) {
    found_ = {.partner = std::vector<int64_t>(other_.size(), kUnpaired)};
    align();
    ConfirmByEnds(reference_, other_, one_clock_, found_);
    return std::move(found_);
  }
  OrderAlignment ByTime(int64_t offset) {
    return FoundBy([&] { AlignByTime(offset); });
  }

  // The nth with the nth.
  void AlignByPlace() {
    for (size_t i = 0; i < std::min(references_.size(), others_.size()); ++i) {
      const OrderAlignment alone = AlignOrder(references_[i], others_[i], one_clock_);
      if (alone.confirmed && !offset_)
        offset_ = MedianApart(references_[i], others_[i], alone.partner);
      Take(references_[i], others_[i], alone);
    }
  }

  // How far the ends of partners are apart.
  static std::optional<int64_t> MedianApart(Entries theirs, Entries own,
                                            std::span<const int64_t> partner) {
    std::vector<int64_t> apart;
    for (size_t i = 0; i < own.size(); ++i) {
      if (partner[i] != kUnpaired)
        apart.push_back(Apart(own[i].end, theirs[static_cast<size_t>(partner[i])].end));
    }
    return apart.empty() ? std::nullopt : std::optional(UpperMedian(apart));
  }

  static std::vector<OrderedEntry> Earlier(Entries entries, int64_t by) {
    std::vector<OrderedEntry> earlier(entries.begin(), entries.end());
    for (OrderedEntry& entry : earlier) entry.end = SubtractSaturated(entry.end, by);
    return earlier;
  }

  // Each with those that ran at the same time, in the part that both recorded. Clocks drift: the
  // offset is that of the pieces before.
  void AlignByTime(int64_t offset) {
    for (size_t r = 0, o = 0; r < references_.size() && o < others_.size();) {
      const Entries a = references_[r], b = others_[o];
      const int64_t from = std::max(AddSaturated(a.front().end, offset), b.front().end);
      const int64_t a_ends = AddSaturated(a.back().end, offset);
      const int64_t to = std::min(a_ends, b.back().end);
      const Entries own = Within(b, from, to);
      const Entries theirs =
          Within(a, SubtractSaturated(from, offset), SubtractSaturated(to, offset));
      const OrderAlignment alone = AlignOrder(theirs, Earlier(own, offset), true);
      if (alone.confirmed) {
        Take(theirs, own, alone);
        if (!one_clock_) offset = MedianApart(theirs, own, alone.partner).value_or(offset);
      }
      ++(a_ends <= b.back().end ? r : o);
    }
  }

  void Take(Entries theirs, Entries own, const OrderAlignment& alone) {
    const auto reference_at = theirs.data() - reference_.data();
    const auto own_at = static_cast<size_t>(own.data() - other_.data());
    for (size_t i = 0; i < alone.partner.size(); ++i) {
      if (alone.partner[i] != kUnpaired)
        found_.partner[own_at + i] = alone.partner[i] + reference_at;
    }
  }

  Entries reference_, other_;
  std::vector<Entries> references_, others_;
  bool one_clock_;
  std::optional<int64_t> offset_;  // of the clocks, by the first pieces that bear each other out
  OrderAlignment found_;
};

}  // namespace

OrderAlignment AlignPieces(Entries reference, Entries other, bool one_clock) {
  const auto is_whole = [](Entries e) { return e.empty() || e.front().piece == e.back().piece; };
  if (is_whole(reference) && is_whole(other)) return AlignOrder(reference, other, one_clock);
  return PieceAlignment(reference, other, one_clock).Align();
}

}  // namespace stepscope
