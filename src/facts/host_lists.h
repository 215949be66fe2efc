// What the threads of a host did, as columns: there are millions of ranges and calls, each of them
// like its neighbours. An item is put together when it is asked for: always in place, so that only
// those of its fields are read that are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/narrow_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"
#include "trace/vocabulary.h"

namespace stepscope {

inline constexpr int32_t kNoRange = -1;

// An operator or an annotation.
struct HostRange {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;
  uint32_t thread = 0;        // index into HostWork::threads
  int32_t parent = kNoRange;  // index into HostWork::ranges, always lower than the own one
  int32_t detail = -1;        // index into HostWork::range_details; -1: it says nothing
  Kind kind = Kind::kOperator;

  int64_t duration() const { return end - start; }
};

// A call into the runtime or driver.
struct Call {
  int64_t start = 0;  // ns
  int64_t end = 0;
  int64_t correlation = 0;  // 0: it has none, and no work can be its own
  StringId name = 0;
  uint32_t thread = 0;
  int32_t range = kNoRange;  // the innermost range around it
  CallRole role = CallRole::kOther;

  int64_t duration() const { return end - start; }
};

// Goes through a list that makes its items.
template <class List>
class ItemIterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using value_type = decltype(std::declval<const List&>()[0]);
  using difference_type = std::ptrdiff_t;

  ItemIterator() = default;
  ItemIterator(const List& list, size_t at) : list_(&list), at_(at) {}
  [[gnu::always_inline]] value_type operator*() const { return (*list_)[at_]; }
  ItemIterator& operator++() {
    ++at_;
    return *this;
  }
  ItemIterator operator++(int) { return {*list_, at_++}; }
  bool operator==(const ItemIterator&) const = default;

 private:
  const List* list_ = nullptr;
  size_t at_ = 0;
};

// Calls f(name) for each of the names, so that it can be given another.
template <class F>
void ChangeEach(NarrowArray<StringId>& names, const F& f) {
  NarrowArray<StringId> changed;
  for (size_t i = 0; i < names.size(); ++i) {
    StringId name = names[i];
    f(name);
    changed.Append(name);
  }
  names = std::move(changed);
}

// A range's link to another one that is not behind it, or to none: as the distance back, which is
// small, from 1 for the range itself; 0 for none.
inline uint32_t LinkBack(size_t from, int32_t to) {
  return to == kNoRange ? 0 : static_cast<uint32_t>(from) + 1 - static_cast<uint32_t>(to);
}
inline int32_t LinkedTo(size_t from, uint32_t back) {
  return back == 0 ? kNoRange : static_cast<int32_t>(from + 1 - back);
}

// For each range another one that is not behind it, or kNoRange: the operator that it is part of.
class RangeLinks {
 public:
  // REQUIRES: `range` is not above size().
  void Append(int32_t range) { back_.Append(LinkBack(size(), range)); }
  size_t size() const { return back_.size(); }
  int32_t operator[](size_t i) const { return LinkedTo(i, back_[i]); }

 private:
  NarrowArray<uint32_t> back_;
};

class HostRanges {
 public:
  void Append(const HostRange& range) {
    rows_.Append({range.start, range.duration(), range.thread, LinkBack(size(), range.parent),
                  range.detail, static_cast<int64_t>(range.kind)});
    names_.Append(range.name);
  }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  [[gnu::always_inline]] HostRange operator[](size_t i) const {
    const auto row = rows_[i];
    const int64_t start = row.Get<kStart>();
    return {.start = start,
            .end = start + row.Get<kDuration>(),
            .name = names_[i],
            .thread = static_cast<uint32_t>(row.Get<kThread>()),
            .parent = LinkedTo(i, static_cast<uint32_t>(row.Get<kParent>())),
            .detail = static_cast<int32_t>(row.Get<kDetail>()),
            .kind = static_cast<Kind>(row.Get<kKind>())};
  }
  auto begin() const { return ItemIterator(*this, 0); }
  auto end() const { return ItemIterator(*this, size()); }

  // The first range of this thread, or else of the next that has any. REQUIRES: by thread.
  size_t FirstOf(uint32_t thread) const { return rows_.LowerBound<kThread>(thread); }

  template <class F>
  void ForEachName(const F& f) {
    ChangeEach(names_, f);
  }

 private:
  enum Column : size_t { kStart, kDuration, kThread, kParent, kDetail, kKind, kColumns };
  NarrowRows<kColumns> rows_;
  NarrowArray<StringId> names_;
};

class HostCalls {
 public:
  void Append(const Call& call) {
    rows_.Append({call.start, call.duration(), call.correlation, call.thread, call.range,
                  static_cast<int64_t>(call.role)});
    names_.Append(call.name);
  }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  [[gnu::always_inline]] Call operator[](size_t i) const {
    const auto row = rows_[i];
    const int64_t start = row.Get<kStart>();
    return {.start = start,
            .end = start + row.Get<kDuration>(),
            .correlation = row.Get<kCorrelation>(),
            .name = names_[i],
            .thread = static_cast<uint32_t>(row.Get<kThread>()),
            .range = static_cast<int32_t>(row.Get<kRange>()),
            .role = static_cast<CallRole>(row.Get<kRole>())};
  }
  auto begin() const { return ItemIterator(*this, 0); }
  auto end() const { return ItemIterator(*this, size()); }

  template <class F>
  void ForEachName(const F& f) {
    ChangeEach(names_, f);
  }

 private:
  enum Column : size_t { kStart, kDuration, kCorrelation, kThread, kRange, kRole, kColumns };
  NarrowRows<kColumns> rows_;
  NarrowArray<StringId> names_;
};

}  // namespace stepscope
