// The pieces of accelerator work of a recording, as columns: see facts/host_lists.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/narrow_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"
#include "facts/host_lists.h"
#include "trace/vocabulary.h"

namespace stepscope {

inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
inline constexpr int32_t kNoStep = -1;
inline constexpr uint32_t kNoCall = UINT32_MAX;
inline constexpr int32_t kNoDetail = -1;

// A kernel, copy or set on a device.
struct Work {
  int64_t start = 0;  // ns
  int64_t end = 0;    // ns, not before start
  int64_t launched =
      kNoTime;  // when the call began that launched it; kNoTime: no call in the trace
  // When all earlier work of its stream had ended; kNoTime for the first. The stream was idle from
  // then to `start`, unless that is not positive: work of one stream can overlap.
  int64_t free_since = kNoTime;
  StringId name = 0;
  uint32_t stream = 0;      // index into RankWork::streams
  uint32_t call = kNoCall;  // index into HostWork::calls: the call that launched it
  int32_t step =
      kNoStep;  // index into RankWork::steps: the step whose annotation the call began in
  int32_t detail = kNoDetail;  // index into RankWork::kernels, ::collectives or ::copies, by kind
  Kind kind = Kind::kCompute;

  int64_t duration() const { return end - start; }
};

class WorkList {
 public:
  void Append(const Work& work) {
    rows_.Append({work.start, work.duration(), work.launched, work.free_since, work.stream,
                  work.call, work.step, work.detail, static_cast<int64_t>(work.kind)});
    names_.Append(work.name);
  }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  [[gnu::always_inline]] Work operator[](size_t i) const {
    const auto row = rows_[i];
    const int64_t start = row.Get<kStart>();
    return {.start = start,
            .end = start + row.Get<kDuration>(),
            .launched = row.Get<kLaunched>(),
            .free_since = row.Get<kFreeSince>(),
            .name = names_[i],
            .stream = static_cast<uint32_t>(row.Get<kStream>()),
            .call = static_cast<uint32_t>(row.Get<kCall>()),
            .step = static_cast<int32_t>(row.Get<kStep>()),
            .detail = static_cast<int32_t>(row.Get<kDetail>()),
            .kind = static_cast<Kind>(row.Get<kKind>())};
  }
  // REQUIRES: !empty()
  [[gnu::always_inline]] Work front() const { return (*this)[0]; }
  [[gnu::always_inline]] Work back() const { return (*this)[size() - 1]; }
  auto begin() const { return ItemIterator(*this, 0); }
  auto end() const { return ItemIterator(*this, size()); }

  template <class F>
  void ForEachName(const F& f) {
    ChangeEach(names_, f);
  }

 private:
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
  NarrowRows<kColumns> rows_;
  NarrowArray<StringId> names_;
};

}  // namespace stepscope
