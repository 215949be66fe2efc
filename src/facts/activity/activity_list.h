// Stores the device activities of a trace in narrow columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/string_table.h"
#include "facts/activity/item_list.h"
#include "trace/vocabulary.h"

namespace stepscope {

// Stands for an absent time in columns of millions: std::optional would take twice the room. Single
// values outside columns are optional.
inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
inline constexpr int32_t kNoStep = -1;
inline constexpr uint32_t kNoCall = UINT32_MAX;
inline constexpr int32_t kNoDetail = -1;

// A kernel, copy or set on a device.
struct Activity {
  int64_t start = 0;  // ns
  int64_t end = 0;    // ns, not before start
  int64_t launched =
      kNoTime;  // when the call began that launched it; kNoTime: no call in the trace
  // When all earlier activities of its stream had ended; kNoTime for the first. The stream was idle
  // from then to `start`, unless that is not positive: activities of one stream can overlap.
  int64_t free_since = kNoTime;
  StringId name = 0;
  uint32_t stream = 0;      // index into RankActivity::streams
  uint32_t call = kNoCall;  // index into HostOps::calls: the call that launched it
  int32_t step =
      kNoStep;  // index into RankActivity::steps: the step whose annotation the call began in
  int32_t detail =
      kNoDetail;  // index into RankActivity::kernels, ::collectives or ::copies, by kind
  Kind kind = Kind::kCompute;

  int64_t duration() const { return end - start; }
};

// How activities are kept.
struct ActivityColumns {
  using Item = Activity;
  enum Column : size_t {
    kStart,
    kDuration,
    kLaunched,
    kFreeSince,
    kStream,
    kCall,
    kStep,
    kDetail,
    kKind,
    kColumns
  };

  static ItemRow<kColumns> ToRow(const Activity& activity, size_t /*i*/) {
    return {activity.start,      activity.duration(), activity.launched,
            activity.free_since, activity.stream,     activity.call,
            activity.step,       activity.detail,     static_cast<int64_t>(activity.kind)};
  }
  template <class Place>
  [[gnu::always_inline]] static Activity FromRow(const Place& row, StringId name, size_t /*i*/) {
    const int64_t start = row.template Get<kStart>();
    return {.start = start,
            .end = start + row.template Get<kDuration>(),
            .launched = row.template Get<kLaunched>(),
            .free_since = row.template Get<kFreeSince>(),
            .name = name,
            .stream = static_cast<uint32_t>(row.template Get<kStream>()),
            .call = static_cast<uint32_t>(row.template Get<kCall>()),
            .step = static_cast<int32_t>(row.template Get<kStep>()),
            .detail = static_cast<int32_t>(row.template Get<kDetail>()),
            .kind = static_cast<Kind>(row.template Get<kKind>())};
  }
};
using ActivityList = ItemList<ActivityColumns>;

}  // namespace stepscope
