// Stores the events of one track, packed, row by row in order of start, with summaries of every 64
// and 4096, so that an interval of any length is drawn without reading each event.
//
// An event's number is its position here. In every row but the last of kMostRows, no two events
// overlap. Summaries run on over the ends of rows: they only serve to pass over what cannot matter,
// or as sums from the track's first event on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/narrow_array.h"
#include "timeline/packed_times.h"
#include "trace/vocabulary.h"

namespace stepscope {

// Columns of events in any order, from which stores are built.
struct EventColumns {
  const NarrowArray<int64_t>& starts;  // ns; starts + durations do not overflow
  const NarrowArray<int64_t>& durations;
  const NarrowArray<uint32_t>& names;
  std::span<const Kind> kinds;
};

class EventStore {
 public:
  EventStore() = default;
  // Of the events `ids` of these columns.
  EventStore(const EventColumns& columns, std::vector<uint32_t> ids);

  size_t size() const { return sources_.size(); }
  size_t rows() const { return row_begins_.size() - 1; }
  // The events of a row: from first to before second.
  std::pair<size_t, size_t> Row(size_t row) const {
    return {row_begins_[row], row_begins_[row + 1]};
  }
  size_t RowOf(size_t event) const;
  // Whether events of the row overlap one another.
  bool Crowded(size_t row) const;
  // The ends of the events of the crowded row, ascending; of those without a duration the moment
  // after, so that what has ended by a time has begun before it.
  std::span<const int64_t> CrowdedEnds() const { return crowded_ends_; }

  int64_t Start(size_t i) const { return starts_[i]; }
  int64_t Duration(size_t i) const {
    return durations_[i] < kLong ? durations_[i] : long_[durations_[i] - kLong];
  }
  int64_t End(size_t i) const { return Start(i) + Duration(i); }
  uint32_t Name(size_t i) const { return names_[i]; }
  Kind KindOf(size_t i) const { return kinds_[i]; }
  uint32_t Source(size_t i) const { return sources_[i]; }  // its number in the columns

  // Of [from, to) within a row, the first event that begins at `time` or later, else `to`.
  size_t FirstFrom(size_t from, size_t to, int64_t time) const {
    return FirstAtOrAfter(starts_, from, to, time);
  }
  // The events of a row that meet [from, to): those that begin in it, and those that last into it.
  // Of the crowded row all from its first on, some of which may have ended.
  std::pair<size_t, size_t> Meeting(size_t row, int64_t from, int64_t to) const;

  // Calls f(i) for the events in [from, to) that last `least` ns or longer.
  template <class F>
  void ForEachLong(size_t from, size_t to, int64_t least, const F& f) const {
    for (size_t i = from; i < to;) {
      if (i % kHuge == 0 && longest_of_huge_[i / kHuge] < least) {
        i += kHuge;
      } else if (i % kBlock == 0 && longest_[i / kBlock] < least) {
        i += kBlock;
      } else {
        if (Duration(i) >= least) f(i);
        ++i;
      }
    }
  }

  // Gives each event the kind kind_of(its name, its kind).
  template <class KindOfEvent>
  void TakeKinds(const KindOfEvent& kind_of) {
    for (size_t i = 0; i < size(); ++i) kinds_[i] = kind_of(names_[i], kinds_[i]);
    Summarize();
  }

  // The kinds of the events there are.
  std::span<const Kind> Kinds() const { return kinds_there_; }
  uint8_t SlotOf(Kind kind) const { return slots_[static_cast<size_t>(kind)]; }
  // Sums of durations from the track's first event to before event i, by place in Kinds(). They
  // wrap around: only differences within a row mean anything.
  void BusyBefore(size_t i, std::span<uint64_t> busy) const;

  int64_t first_start() const { return first_start_; }  // REQUIRES: size() > 0
  int64_t last_end() const { return last_end_; }
  size_t bytes() const;

 private:
  static constexpr size_t kBlock = PackedTimes::kBlock;
  static constexpr size_t kHuge = 64 * kBlock;
  // 2.1 s. A duration as long stands in long_, at what durations_ has more than this.
  static constexpr uint32_t kLong = uint32_t{1} << 31;

  void PlaceInRows(const EventColumns& columns, const std::vector<uint32_t>& ids);
  void Fill(const EventColumns& columns);
  void Summarize();

  PackedTimes starts_;
  std::vector<uint32_t> durations_, names_, sources_;
  std::vector<Kind> kinds_;
  std::vector<int64_t> long_;
  std::vector<size_t> row_begins_ = {0};  // and where the last row ends
  std::vector<int64_t> crowded_ends_;
  std::vector<int64_t> longest_, longest_of_huge_;  // of each block
  std::vector<uint64_t> busy_;                      // before each block, by kind
  std::vector<Kind> kinds_there_;
  std::array<uint8_t, static_cast<size_t>(Kind::kCount)> slots_{};
  int64_t first_start_ = 0, last_end_ = 0;
};

}  // namespace stepscope
