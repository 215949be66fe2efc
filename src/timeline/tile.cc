// Fills tiles. Few events are read one by one; for many, stored sums and extremes are used.
#include "timeline/tile.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <span>

namespace stepscope {
namespace {

constexpr size_t kFew = 4 * kTileBuckets;

// Where the buckets of a tile begin on the recording's own clock, and where the last one ends; each
// reckoned when it is first asked for, as most tiles hold little.
class Edges {
 public:
  Edges(const Axis& axis, const TileAddress& at) : axis_(axis), at_(at) {}

  int64_t operator[](size_t b) {
    if (!known_[b]) edges_[b] = axis_.ToOwn(at_.Start() + (static_cast<int64_t>(b) << at_.level));
    known_[b] = true;
    return edges_[b];
  }
  int64_t front() { return (*this)[0]; }
  int64_t back() { return (*this)[kTileBuckets]; }

 private:
  const Axis& axis_;
  const TileAddress at_;
  std::array<int64_t, kTileBuckets + 1> edges_;
  std::bitset<kTileBuckets + 1> known_;
};

// Gathers the rows of one track.
class Gatherer {
 public:
  Gatherer(const EventStore& events, const Axis& axis, const TileAddress& at)
      : events_(events),
        axis_(axis),
        at_(at),
        edges_(axis, at),
        kinds_(events.Kinds().size()),
        busy_(kTileBuckets * kinds_) {}

  TileContent Gather() {
    for (size_t row = 0; row < events_.rows(); ++row) {
      const auto [from, to] = events_.Meeting(row, edges_.front(), edges_.back());
      if (from == to) continue;
      row_ = static_cast<uint16_t>(row);
      if (events_.Crowded(row)) {
        AddCrowded(from, to);
      } else if (to - from <= kFew) {
        AddEach(from, to);
      } else {
        AddMany(from, to);
      }
      if (!events_.Crowded(row)) FlushSpans();
    }
    return std::move(out_);
  }

 private:
  bool IsBox(size_t i) const { return events_.Duration(i) >= at_.Bucket(); }
  uint64_t& Busy(size_t bucket, size_t slot) { return busy_[bucket * kinds_ + slot]; }
  size_t BucketOf(int64_t start) {
    if (start < edges_.front()) return 0;
    return static_cast<size_t>((axis_.ToCommon(start) - at_.Start()) >> at_.level);
  }
  void Count(size_t from, size_t to) {
    low_ = std::min(low_, from);
    high_ = std::min<size_t>(std::max(high_, to), kTileBuckets);
  }
  void AddBox(size_t i) { out_.boxes.push_back({static_cast<uint32_t>(i), row_}); }
  void AddEach(size_t from, size_t to);
  void AddMany(size_t from, size_t to);
  void MoveOverhang(size_t event, size_t bucket);
  void AddCrowded(size_t from, size_t to);
  void FlushSpans();
  void AddSpan(size_t bucket, uint64_t count, uint64_t covered, Kind kind);

  const EventStore& events_;
  const Axis& axis_;
  const TileAddress at_;
  Edges edges_;
  const size_t kinds_;
  std::vector<uint64_t> busy_;  // ns of small events in each bucket, by kind
  std::array<uint32_t, kTileBuckets> counts_{};
  std::array<uint8_t, kTileBuckets> first_kinds_{};  // where nothing covers any time
  size_t low_ = kTileBuckets, high_ = 0;  // outside these buckets nothing has been counted
  uint16_t row_ = 0;
  TileContent out_;
};

void Gatherer::AddEach(size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    if (IsBox(i)) {
      AddBox(i);
      continue;
    }
    const int64_t start = std::max(events_.Start(i), edges_.front());
    const int64_t end = std::min(events_.End(i), edges_.back());
    const size_t b = BucketOf(start);
    const uint8_t slot = events_.SlotOf(events_.KindOf(i));
    if (counts_[b]++ == 0) first_kinds_[b] = slot;
    const int64_t edge = edges_[b + 1];
    Count(b, b + 2);
    Busy(b, slot) += static_cast<uint64_t>(std::min(end, edge) - start);
    if (end > edge && b + 1 < kTileBuckets) Busy(b + 1, slot) += static_cast<uint64_t>(end - edge);
  }
}

// Per bucket the difference of two sums, less the boxes in it, less what reaches into the next.
void Gatherer::AddMany(size_t from, size_t to) {
  Count(0, kTileBuckets);
  std::array<size_t, kTileBuckets + 1> begins{};
  begins.front() = from;
  for (size_t b = 1; b < kTileBuckets; ++b) {
    begins[b] = events_.FirstFrom(begins[b - 1], to, edges_[b]);
  }
  begins.back() = to;
  std::vector<uint64_t> before(kinds_), after(kinds_);
  events_.BusyBefore(from, before);
  for (size_t b = 0; b < kTileBuckets; ++b) {
    if (begins[b] == begins[b + 1]) continue;
    events_.BusyBefore(begins[b + 1], after);
    for (size_t k = 0; k < kinds_; ++k) Busy(b, k) += after[k] - before[k];
    counts_[b] = static_cast<uint32_t>(begins[b + 1] - begins[b]);
    first_kinds_[b] = events_.SlotOf(events_.KindOf(begins[b]));
    before.swap(after);
  }
  events_.ForEachLong(from, to, at_.Bucket(), [&](size_t i) {
    AddBox(i);
    const size_t b = BucketOf(events_.Start(i));
    --counts_[b];
    Busy(b, events_.SlotOf(events_.KindOf(i))) -= static_cast<uint64_t>(events_.Duration(i));
  });
  // Only the last event that begins in a bucket can reach out of it, and only the first in the row
  // can reach in.
  const int64_t early = edges_.front() - events_.Start(from);
  if (early > 0 && !IsBox(from)) {
    Busy(0, events_.SlotOf(events_.KindOf(from))) -= static_cast<uint64_t>(early);
  }
  for (size_t b = 0; b < kTileBuckets; ++b) {
    if (begins[b + 1] > begins[b]) MoveOverhang(begins[b + 1] - 1, b);
  }
}

void Gatherer::MoveOverhang(size_t event, size_t bucket) {
  const int64_t over = events_.End(event) - edges_[bucket + 1];
  if (over <= 0 || IsBox(event)) return;
  const uint8_t slot = events_.SlotOf(events_.KindOf(event));
  Busy(bucket, slot) -= static_cast<uint64_t>(over);
  if (bucket + 1 < kTileBuckets) Busy(bucket + 1, slot) += static_cast<uint64_t>(over);
}

// Where events overlap none is a box: there could be any number. A bucket is covered if anything
// runs when it begins, else by what begins in it.
void Gatherer::AddCrowded(size_t from, size_t to) {
  const auto ends = events_.CrowdedEnds();
  const auto running = [&](size_t begun, int64_t time) {  // of those that begin before the time
    return begun - from - static_cast<size_t>(std::ranges::upper_bound(ends, time) - ends.begin());
  };
  size_t begin = events_.FirstFrom(from, to, edges_.front());
  for (size_t b = 0; b < kTileBuckets; ++b) {
    const size_t end = events_.FirstFrom(begin, to, edges_[b + 1]);
    const size_t lasting = running(begin, edges_[b]);
    const uint64_t count = end - begin + (b == 0 ? lasting : 0);
    uint64_t covered = lasting > 0 ? static_cast<uint64_t>(at_.Bucket()) : 0;
    for (size_t i = begin; i < std::min(end, begin + 64); ++i) {
      covered += static_cast<uint64_t>(std::min(events_.Duration(i), at_.Bucket()));
    }
    if (count > 0 || covered > 0) {
      AddSpan(b, count, covered, events_.KindOf(std::min(begin, to - 1)));
    }
    begin = end;
  }
}

// And forgets what has been counted.
void Gatherer::FlushSpans() {
  for (size_t b = low_; b < high_; ++b) {
    uint64_t covered = 0;
    size_t most = counts_[b] > 0 ? first_kinds_[b] : 0;
    for (size_t k = 0; k < kinds_; ++k) {
      covered += Busy(b, k);
      if (Busy(b, k) > Busy(b, most)) most = k;
    }
    if (counts_[b] > 0 || covered > 0) AddSpan(b, counts_[b], covered, events_.Kinds()[most]);
    counts_[b] = 0;
  }
  if (low_ < high_) {
    std::ranges::fill(std::span(busy_).subspan(low_ * kinds_, (high_ - low_) * kinds_), 0);
  }
  low_ = kTileBuckets;
  high_ = 0;
}

void Gatherer::AddSpan(size_t bucket, uint64_t count, uint64_t covered, Kind kind) {
  const auto whole = static_cast<uint64_t>(at_.Bucket());
  const uint64_t cover = covered >= whole ? 255 : (covered * 255 + whole - 1) / whole;
  out_.spans.push_back({.bucket = static_cast<uint16_t>(bucket),
                        .row = row_,
                        .count = static_cast<uint32_t>(count),
                        .cover = static_cast<uint8_t>(std::max<uint64_t>(cover, 1)),
                        .kind = kind});
}

}  // namespace

TileContent GatherEvents(const EventStore& events, const Axis& axis, const TileAddress& at) {
  return Gatherer(events, axis, at).Gather();
}

TileContent GatherPoints(const CounterStore& points, const Axis& axis, const TileAddress& at) {
  TileContent out;
  Edges edges(axis, at);
  size_t begin = points.FirstFrom(0, points.size(), edges.front());
  for (size_t b = 0; b < kTileBuckets; ++b) {
    const size_t end = points.FirstFrom(begin, points.size(), edges[b + 1]);
    // The value the bucket begins with counts; a tile begins by saying it.
    const bool carried = begin > 0 && (begin == end || points.Time(begin) > edges[b]);
    if (end > begin || (b == 0 && carried)) {
      const size_t first = carried ? begin - 1 : begin;
      const auto [low, high] = points.RangeOf(first, end);
      out.points.push_back({static_cast<uint16_t>(b), low, high, points.Value(end - 1)});
    }
    begin = end;
  }
  return out;
}

}  // namespace stepscope
