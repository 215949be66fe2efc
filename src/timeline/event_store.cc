// Sorts the events of a track, assigns rows, and packs them.
#include "timeline/event_store.h"

#include <algorithm>
#include <limits>

#include "base/sort_runs.h"
#include "timeline/rows.h"

namespace stepscope {
namespace {

// By start, the longer first: so that what nests comes after what it nests in. Most tracks are in
// order but for a few events.
void SortByTime(const EventColumns& columns, std::vector<uint32_t>& ids) {
  SortRuns(ids, [&](uint32_t a, uint32_t b) {
    const int64_t x = columns.starts[a], y = columns.starts[b];
    return x != y ? x < y : columns.durations[a] > columns.durations[b];
  });
}

}  // namespace

EventStore::EventStore(const EventColumns& columns, std::vector<uint32_t> ids) {
  SortByTime(columns, ids);
  PlaceInRows(columns, ids);
  ids = {};
  Fill(columns);
  Summarize();
}

void EventStore::PlaceInRows(const EventColumns& columns, const std::vector<uint32_t>& ids) {
  RowAssigner assigner;
  std::vector<uint16_t> rows(ids.size());
  std::vector<size_t> counts(kMostRows);
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t start = columns.starts[ids[i]];
    rows[i] = static_cast<uint16_t>(assigner.Place(start, start + columns.durations[ids[i]]));
    ++counts[rows[i]];
  }
  row_begins_.resize(assigner.rows() + size_t{1});
  for (size_t r = 0; r < assigner.rows(); ++r) row_begins_[r + 1] = row_begins_[r] + counts[r];
  std::vector<size_t> next(row_begins_.begin(), row_begins_.end() - 1);
  sources_.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) sources_[next[rows[i]]++] = ids[i];
}

void EventStore::Fill(const EventColumns& columns) {
  starts_ = PackedTimes(size(), [&](size_t i) { return columns.starts[sources_[i]]; });
  durations_.resize(size());
  names_.resize(size());
  kinds_.resize(size());
  first_start_ = std::numeric_limits<int64_t>::max();
  last_end_ = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < size(); ++i) {
    const uint32_t id = sources_[i];
    const int64_t duration = columns.durations[id];
    if (duration < int64_t{kLong}) {
      durations_[i] = static_cast<uint32_t>(duration);
    } else {
      durations_[i] = kLong + static_cast<uint32_t>(long_.size());
      long_.push_back(duration);
    }
    names_[i] = columns.names[id];
    kinds_[i] = columns.kinds[id];
    first_start_ = std::min(first_start_, columns.starts[id]);
    last_end_ = std::max(last_end_, columns.starts[id] + duration);
  }
  if (rows() < kMostRows) return;
  const auto [begin, end] = Row(kMostRows - 1);
  for (size_t i = begin; i < end; ++i) crowded_ends_.push_back(std::max(End(i), Start(i) + 1));
  std::ranges::sort(crowded_ends_);
}

void EventStore::Summarize() {
  kinds_there_.clear();
  busy_.clear();
  std::array<bool, static_cast<size_t>(Kind::kCount)> there{};
  for (const Kind kind : kinds_) there[static_cast<size_t>(kind)] = true;
  for (size_t k = 0; k < there.size(); ++k) {
    slots_[k] = static_cast<uint8_t>(kinds_there_.size());
    if (there[k]) kinds_there_.push_back(static_cast<Kind>(k));
  }
  const size_t blocks = (size() + kBlock - 1) / kBlock;
  longest_.resize(blocks);
  longest_of_huge_.resize((size() + kHuge - 1) / kHuge);
  busy_.reserve(blocks * kinds_there_.size());
  std::vector<uint64_t> busy(kinds_there_.size());
  for (size_t i = 0; i < size(); ++i) {
    if (i % kBlock == 0) busy_.insert(busy_.end(), busy.begin(), busy.end());
    const int64_t duration = Duration(i);
    busy[SlotOf(kinds_[i])] += static_cast<uint64_t>(duration);
    longest_[i / kBlock] = std::max(longest_[i / kBlock], duration);
    longest_of_huge_[i / kHuge] = std::max(longest_of_huge_[i / kHuge], duration);
  }
}

size_t EventStore::RowOf(size_t event) const {
  const auto after = std::ranges::upper_bound(row_begins_, event);
  return static_cast<size_t>(after - row_begins_.begin()) - 1;
}

bool EventStore::Crowded(size_t row) const { return row + 1 == kMostRows; }

std::pair<size_t, size_t> EventStore::Meeting(size_t row, int64_t from, int64_t to) const {
  const auto [begin, end] = Row(row);
  size_t first = FirstFrom(begin, end, from);
  const size_t last = FirstFrom(first, end, to);
  if (Crowded(row)) return {begin, last};
  if (first > begin && End(first - 1) > from) --first;
  return {first, last};
}

void EventStore::BusyBefore(size_t i, std::span<uint64_t> busy) const {
  const size_t block = std::min(i, size() - 1) / kBlock;
  for (size_t k = 0; k < busy.size(); ++k) busy[k] = busy_[block * busy.size() + k];
  for (size_t e = block * kBlock; e < i; ++e) {
    busy[SlotOf(kinds_[e])] += static_cast<uint64_t>(Duration(e));
  }
}

size_t EventStore::bytes() const {
  const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return starts_.bytes() + of(durations_) + of(names_) + of(sources_) + of(kinds_) + of(long_) +
         of(row_begins_) + of(crowded_ends_) + of(longest_) + of(longest_of_huge_) + of(busy_);
}

}  // namespace stepscope
