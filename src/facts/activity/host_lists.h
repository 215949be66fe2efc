// Stores the ranges, calls and Python frames of host threads, of which there are millions, in
// narrow columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/narrow_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"
#include "facts/activity/item_list.h"
#include "trace/vocabulary.h"

namespace stepscope {

inline constexpr int32_t kNoRange = -1;

// An operator or an annotation.
struct HostRange {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;
  uint32_t thread = 0;        // index into HostOps::threads
  int32_t parent = kNoRange;  // index into HostOps::ranges, always lower than the own one
  int32_t detail = -1;        // index into HostOps::range_details; -1: it says nothing
  Kind kind = Kind::kOperator;

  int64_t duration() const { return end - start; }
};

// A call into the runtime or driver.
struct Call {
  int64_t start = 0;  // ns
  int64_t end = 0;
  int64_t correlation = 0;  // 0: it has none, and no activities can be its own
  StringId name = 0;
  uint32_t thread = 0;
  int32_t range = kNoRange;  // the innermost range around it
  CallRole role = CallRole::kOther;

  int64_t duration() const { return end - start; }
};

// A call of a Python function, of a built-in one, or of a module ("nn.Module: Linear_0").
struct HostFrame {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;
  int32_t parent = kNoRange;  // the frame of the same thread around it, always lower

  int64_t duration() const { return end - start; }
};

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

// How ranges are kept.
struct RangeColumns {
  using Item = HostRange;
  enum Column : size_t { kStart, kDuration, kThread, kParent, kDetail, kKind, kColumns };

  static ItemRow<kColumns> ToRow(const HostRange& range, size_t i) {
    return {range.start,  range.duration(),
            range.thread, LinkBack(i, range.parent),
            range.detail, static_cast<int64_t>(range.kind)};
  }
  template <class Place>
  [[gnu::always_inline]] static HostRange FromRow(const Place& row, StringId name, size_t i) {
    const int64_t start = row.template Get<kStart>();
    return {.start = start,
            .end = start + row.template Get<kDuration>(),
            .name = name,
            .thread = static_cast<uint32_t>(row.template Get<kThread>()),
            .parent = LinkedTo(i, static_cast<uint32_t>(row.template Get<kParent>())),
            .detail = static_cast<int32_t>(row.template Get<kDetail>()),
            .kind = static_cast<Kind>(row.template Get<kKind>())};
  }
};
using HostRanges = ItemList<RangeColumns>;

// How calls are kept.
struct CallColumns {
  using Item = Call;
  enum Column : size_t { kStart, kDuration, kCorrelation, kThread, kRange, kRole, kColumns };

  static ItemRow<kColumns> ToRow(const Call& call, size_t /*i*/) {
    return {call.start,  call.duration(), call.correlation,
            call.thread, call.range,      static_cast<int64_t>(call.role)};
  }
  template <class Place>
  [[gnu::always_inline]] static Call FromRow(const Place& row, StringId name, size_t /*i*/) {
    const int64_t start = row.template Get<kStart>();
    return {.start = start,
            .end = start + row.template Get<kDuration>(),
            .correlation = row.template Get<kCorrelation>(),
            .name = name,
            .thread = static_cast<uint32_t>(row.template Get<kThread>()),
            .range = static_cast<int32_t>(row.template Get<kRange>()),
            .role = static_cast<CallRole>(row.template Get<kRole>())};
  }
};
using HostCalls = ItemList<CallColumns>;

// How frames are kept.
struct FrameColumns {
  using Item = HostFrame;
  enum Column : size_t { kStart, kDuration, kParent, kColumns };

  static ItemRow<kColumns> ToRow(const HostFrame& frame, size_t i) {
    return {frame.start, frame.duration(), LinkBack(i, frame.parent)};
  }
  template <class Place>
  [[gnu::always_inline]] static HostFrame FromRow(const Place& row, StringId name, size_t i) {
    const int64_t start = row.template Get<kStart>();
    return {.start = start,
            .end = start + row.template Get<kDuration>(),
            .name = name,
            .parent = LinkedTo(i, static_cast<uint32_t>(row.template Get<kParent>()))};
  }
};
using HostFrames = ItemList<FrameColumns>;

// An operator that autograd numbers. Those of forward, and those of backward that compute their
// gradients, have one number; it counts on each thread of forward.
struct AutogradOp {
  int32_t range = kNoRange;  // index into HostOps::ranges
  int64_t sequence = 0;
  int64_t forward_thread = 0;  // of backward: autograd's number of the thread of forward; else 0
};

class AutogradOps {
 public:
  void Append(const AutogradOp& op) { rows_.Append({op.range, op.sequence, op.forward_thread}); }
  size_t size() const { return rows_.size(); }
  AutogradOp operator[](size_t i) const {
    const auto row = rows_[i];
    return {static_cast<int32_t>(row.Get<0>()), row.Get<1>(), row.Get<2>()};
  }

 private:
  NarrowRows<3> rows_;
};

}  // namespace stepscope
