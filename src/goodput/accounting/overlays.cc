// Resolves overlapping spans with a sweep over time. Of a piece is stored how far behind the one
// before it begins and how long it is, and of its kind and order what does not follow from that
// one.
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

namespace {

// What a stored piece tells beside its times.
constexpr uint64_t kOtherKind = 1, kOtherOrder = 2;

// Differences of extreme times wrap around, and back.
int64_t Later(int64_t time, uint64_t by) {
  return static_cast<int64_t>(static_cast<uint64_t>(time) + by);
}
uint64_t Between(int64_t from, int64_t to) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

// In front of the first piece.
Piece Before(int64_t begin) { return {begin, begin, Bucket::kOther, 0, UINT32_MAX}; }

}  // namespace

void Overlays::Append(const Piece& piece) {
  if (settled_pieces_++ == 0) last_ = Before(begin_ = piece.start);
  const bool other_kind = piece.bucket != last_.bucket || piece.label != last_.label;
  const bool other_order = piece.order != last_.order + 1;
  settled_.Put((other_kind ? kOtherKind : 0) | (other_order ? kOtherOrder : 0));
  settled_.Put(Between(last_.end, piece.start));
  settled_.Put(Between(piece.start, piece.end));
  if (other_kind) settled_.Put(static_cast<uint64_t>(piece.bucket) << 8 | piece.label);
  if (other_order) settled_.PutSigned(int64_t{piece.order} - int64_t{last_.order});
  last_ = piece;
}

std::vector<Piece> Overlays::Settled() const {
  std::vector<Piece> pieces;
  pieces.reserve(settled_pieces_);
  Piece piece = Before(begin_);
  for (size_t at = 0; at < settled_.bytes();) {
    const uint64_t tells = settled_.Take(at);
    piece.start = Later(piece.end, settled_.Take(at));
    piece.end = Later(piece.start, settled_.Take(at));
    if ((tells & kOtherKind) != 0) {
      const uint64_t kind = settled_.Take(at);
      piece.bucket = static_cast<Bucket>(kind >> 8);
      piece.label = static_cast<uint8_t>(kind);
    }
    const int64_t further = (tells & kOtherOrder) != 0 ? settled_.TakeSigned(at) : 1;
    piece.order += static_cast<uint32_t>(further);
    pieces.push_back(piece);
  }
  return pieces;
}

// Replaces what is settled.
void Overlays::Settle(std::span<const Piece> pieces) {
  settled_ = {};
  settled_pieces_ = 0;
  for (const Piece& piece : pieces) Append(piece);
  settled_.Fit();
}

void Overlays::Add(int64_t start, int64_t end, Bucket bucket, uint8_t label) {
  const Piece piece{start, end, bucket, label, order_++};
  const bool in_order = unsettled_.empty() && (settled_pieces_ == 0 || last_.end <= start);
  if (in_order) return Append(piece);
  unsettled_.push_back(piece);
}

void Overlays::Move(int64_t by) {
  begin_ += by;
  last_.start += by;
  last_.end += by;
  for (Piece& piece : unsettled_) {
    piece.start += by;
    piece.end += by;
  }
}

std::vector<Piece> Overlays::Pieces() {
  std::vector<Piece> pieces = Settled();
  if (unsettled_.empty()) return pieces;
  std::vector<Piece> spans = std::exchange(unsettled_, {});
  const int64_t from = std::ranges::min(spans, {}, &Piece::start).start;
  const auto touched = std::ranges::upper_bound(pieces, from, {}, &Piece::end);
  spans.insert(spans.end(), touched, pieces.end());
  pieces.erase(touched, pieces.end());
  std::ranges::sort(spans, {}, [](const Piece& p) { return std::pair(p.start, p.order); });
  Sweep(spans, pieces);
  Settle(pieces);
  return pieces;
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
  std::vector<Piece> packed, cell;
  int64_t cell_end = 0;
  for (const Piece& piece : Pieces()) {
    const auto cut = std::ranges::upper_bound(cuts, piece.start);
    const int64_t minute = AddSaturated(piece.start - piece.start % kMinute, kMinute);
    const int64_t end = cut == cuts.end() ? minute : std::min(minute, *cut);
    const bool joins = piece.start >= from && piece.end <= to && piece.end <= end;
    if (!joins || end != cell_end) PackCell(cell, packed);
    cell_end = end;
    (joins ? cell : packed).push_back(piece);
  }
  PackCell(cell, packed);
  Settle(packed);
}

void Overlays::Save(StateWriter& out) {
  const std::vector<Piece> pieces = Pieces();
  out.Unsigned(order_);
  out.Unsigned(pieces.size());
  int64_t before = 0;
  for (const Piece& piece : pieces) {
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
    Append(piece);
  }
}

}  // namespace stepscope::goodput
