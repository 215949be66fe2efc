// Resolves overlapping spans with a sweep over time.
#include "goodput/accounting/overlays.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

using Piece = Overlays::Piece;

struct CountsLess {
  bool operator()(const Piece& a, const Piece& b) const {
    return std::pair(a.bucket, a.order) > std::pair(b.bucket, b.order);
  }
};

// Resolves overlapping `spans`, ordered by start: at each time the one that counts.
void Sweep(std::span<const Piece> spans, std::vector<Piece>& pieces) {
  std::priority_queue<Piece, std::vector<Piece>, CountsLess> open;
  size_t next = 0;
  int64_t now = 0;
  while (next < spans.size() || !open.empty()) {
    if (open.empty()) now = spans[next].start;
    while (next < spans.size() && spans[next].start <= now) open.push(spans[next++]);
    Piece best = open.top();
    if (best.end <= now) {
      open.pop();
      continue;
    }
    const int64_t until = next < spans.size() ? std::min(best.end, spans[next].start) : best.end;
    if (!pieces.empty() && pieces.back().end == now && pieces.back().order == best.order) {
      pieces.back().end = until;
    } else {
      best.start = now;
      best.end = until;
      pieces.push_back(best);
    }
    now = until;
  }
}

}  // namespace

void Overlays::Add(int64_t start, int64_t end, Bucket bucket, uint8_t label) {
  const Piece piece{start, end, bucket, label, order_++};
  const bool in_order = unsettled_.empty() && (pieces_.empty() || pieces_.back().end <= start);
  (in_order ? pieces_ : unsettled_).push_back(piece);
}

void Overlays::Move(int64_t by) {
  for (std::vector<Piece>* pieces : {&pieces_, &unsettled_}) {
    for (Piece& piece : *pieces) {
      piece.start += by;
      piece.end += by;
    }
  }
}

std::span<const Piece> Overlays::Pieces() {
  if (unsettled_.empty()) return pieces_;
  std::vector<Piece> spans = std::exchange(unsettled_, {});
  const int64_t from = std::ranges::min(spans, {}, &Piece::start).start;
  const auto touched = std::ranges::upper_bound(pieces_, from, {}, &Piece::end);
  spans.insert(spans.end(), touched, pieces_.end());
  pieces_.erase(touched, pieces_.end());
  std::ranges::sort(spans, {}, [](const Piece& p) { return std::pair(p.start, p.order); });
  Sweep(spans, pieces_);
  return pieces_;
}

namespace {

// Appends the joined pieces of one cell.
void PackCell(std::vector<Piece>& cell, std::vector<Piece>& packed) {
  if (cell.empty()) return;
  int64_t at = cell.front().start;
  std::ranges::sort(cell, {},
                    [](const Piece& p) { return std::tuple(p.bucket, p.label, p.order); });
  const size_t begin = packed.size();
  for (const Piece& piece : cell) {
    const bool same = packed.size() > begin && packed.back().bucket == piece.bucket &&
                      packed.back().label == piece.label;
    if (!same) packed.push_back({at, at, piece.bucket, piece.label, piece.order});
    packed.back().end += piece.end - piece.start;
    at = packed.back().end;
  }
  cell.clear();
}

}  // namespace

void Overlays::Pack(int64_t from, int64_t to, std::span<const int64_t> cuts) {
  Pieces();
  std::vector<Piece> packed, cell;
  int64_t cell_end = 0;
  for (const Piece& piece : pieces_) {
    const auto cut = std::ranges::upper_bound(cuts, piece.start);
    const int64_t minute = AddSaturated(piece.start - piece.start % kMinute, kMinute);
    const int64_t end = cut == cuts.end() ? minute : std::min(minute, *cut);
    const bool joins = piece.start >= from && piece.end <= to && piece.end <= end;
    if (!joins || end != cell_end) PackCell(cell, packed);
    cell_end = end;
    (joins ? cell : packed).push_back(piece);
  }
  PackCell(cell, packed);
  packed.shrink_to_fit();
  pieces_ = std::move(packed);
}

void Overlays::Save(StateWriter& out) {
  out.Unsigned(order_);
  out.Unsigned(Pieces().size());
  int64_t before = 0;
  for (const Piece& piece : pieces_) {
    out.Signed(piece.start - before);  // times are in a range whose differences fit
    out.Signed(piece.end - piece.start);
    out.Unsigned(static_cast<uint64_t>(piece.bucket) << 8 | piece.label);
    out.Unsigned(piece.order);
    before = piece.end;
  }
}

void Overlays::Load(StateReader& in) {
  *this = {};
  order_ = static_cast<uint32_t>(in.Unsigned());
  int64_t at = 0;
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    Piece piece;
    piece.start = AddSaturated(at, in.Signed());
    piece.end = at = AddSaturated(piece.start, in.Signed());
    const uint64_t what = in.Unsigned();
    piece.bucket = static_cast<Bucket>(std::min<uint64_t>(what >> 8, kBuckets - 1));
    piece.label = static_cast<uint8_t>(what);
    piece.order = static_cast<uint32_t>(in.Unsigned());
    pieces_.push_back(piece);
  }
}

}  // namespace stepscope::goodput
