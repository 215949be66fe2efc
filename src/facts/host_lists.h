// What the threads of a host did, as columns: there are millions of ranges and calls, each of them
// like its neighbours. An item is put together when it is asked for: always in place, so that only
// those of its fields are read that are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/narrow_array.h"
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

// For each range another one that is not behind it, or kNoRange: the one around it, the operator
// that it is part of.
class RangeLinks {
 public:
  // REQUIRES: `range` is not above size().
  void Append(int32_t range) {
    back_.Append(
        range == kNoRange ? 0 : static_cast<uint32_t>(size()) + 1 - static_cast<uint32_t>(range));
  }
  size_t size() const { return back_.size(); }
  int32_t operator[](size_t i) const {
    const uint32_t back = back_[i];
    return back == 0 ? kNoRange : static_cast<int32_t>(i + 1 - back);
  }

 private:
  NarrowArray<uint32_t> back_;  // 1: the range itself
};

class HostRanges {
 public:
  void Append(const HostRange& range) {
    parents_.Append(range.parent);
    starts_.Append(range.start);
    durations_.Append(range.duration());
    names_.Append(range.name);
    threads_.Append(range.thread);
    details_.Append(range.detail);
    kinds_.Append(static_cast<uint8_t>(range.kind));
  }

  size_t size() const { return starts_.size(); }
  bool empty() const { return starts_.empty(); }
  [[gnu::always_inline]] HostRange operator[](size_t i) const {
    const int64_t start = starts_[i];
    return {.start = start,
            .end = start + durations_[i],
            .name = names_[i],
            .thread = threads_[i],
            .parent = parents_[i],
            .detail = details_[i],
            .kind = static_cast<Kind>(kinds_[i])};
  }
  auto begin() const { return ItemIterator(*this, 0); }
  auto end() const { return ItemIterator(*this, size()); }

  // The first range of this thread, or else of the next that has any. REQUIRES: by thread.
  size_t FirstOf(uint32_t thread) const { return threads_.LowerBound(thread); }

  template <class F>
  void ForEachName(const F& f) {
    ChangeEach(names_, f);
  }

 private:
  NarrowArray<int64_t> starts_, durations_;
  NarrowArray<StringId> names_;
  NarrowArray<uint32_t> threads_;
  RangeLinks parents_;
  NarrowArray<int32_t> details_;
  NarrowArray<uint8_t> kinds_;
};

class HostCalls {
 public:
  void Append(const Call& call) {
    starts_.Append(call.start);
    durations_.Append(call.duration());
    correlations_.Append(call.correlation);
    names_.Append(call.name);
    threads_.Append(call.thread);
    ranges_.Append(call.range);
    roles_.Append(static_cast<uint8_t>(call.role));
  }

  size_t size() const { return starts_.size(); }
  bool empty() const { return starts_.empty(); }
  [[gnu::always_inline]] Call operator[](size_t i) const {
    const int64_t start = starts_[i];
    return {.start = start,
            .end = start + durations_[i],
            .correlation = correlations_[i],
            .name = names_[i],
            .thread = threads_[i],
            .range = ranges_[i],
            .role = static_cast<CallRole>(roles_[i])};
  }
  auto begin() const { return ItemIterator(*this, 0); }
  auto end() const { return ItemIterator(*this, size()); }

  template <class F>
  void ForEachName(const F& f) {
    ChangeEach(names_, f);
  }

 private:
  NarrowArray<int64_t> starts_, durations_, correlations_;
  NarrowArray<StringId> names_;
  NarrowArray<uint32_t> threads_;
  NarrowArray<int32_t> ranges_;
  NarrowArray<uint8_t> roles_;
};

}  // namespace stepscope
