// Holds dependencies within one stretch of a trace: moments of host threads and of device
// activities, and edges from what had to end to what could then begin.
//
// An edge says: `to` could not come before `lag` ns after `from`. The edge that came last decided
// when its moment came, and its lag is exactly the time between the two; the other edges of the
// moment would have allowed it no later. Two things follow. Walking back from the end over deciding
// edges tiles the stretch without hole or overlap (critical_path.h), and timing all moments anew,
// in order, each as early as its edges allow, gives every one its recorded time back, so that the
// same with other lags answers "what if" (what_if.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// What a piece of time is spent on.
enum class Bound : uint8_t {
  kCompute,        // kernels that compute
  kCommunication,  // kernels that communicate
  kMemory,         // copies and sets
  kLaunch,         // the host inside launching calls, and from the call to the work's start
  kKernelGap,      // from the end of the work before, on its stream or awaited, to the start
  kCpu,            // the host's operators, other calls, and what it does between them
  kDataLoading,    // the host in a range that loads data
  kOneTime,        // the host in graph capture, context creation or module loading
  kSync,           // the host inside synchronizing calls, as far as no device work explains it
  kNoRecord,       // nothing was recorded that explains it
  kCount
};
std::string_view BoundName(Bound bound);  // "gpu_compute", "launch_overhead", "cpu", ...

// Why one moment waits for another. Of two that came at once, the one named first counts.
enum class Reason : uint8_t {
  kRunning,   // work runs from its start to its end
  kStream,    // work starts when earlier work of its stream has ended
  kWait,      // work starts when work of another stream has ended
  kLaunch,    // work starts when it has been launched
  kSync,      // the host goes on when the work it waited for has ended
  kThread,    // the host goes on after its own previous moment
  kHandOver,  // a thread that was quiet goes on after what another thread did
  kWindow,    // since the stretch began: nothing is known to have come before
  kPauses,    // of a partial: work starts after pauses between kernels that were put together
};

inline constexpr uint32_t kNowhere = UINT32_MAX;

struct Edge {
  int64_t lag = 0;    // ns
  uint32_t from = 0;  // a moment before the edge's own
  Bound bound = Bound::kNoRecord;
  Reason reason = Reason::kWindow;
  StringId name = kNoString;     // of the work, operator or call that takes this time
  uint32_t activity = kNowhere;  // index into RankActivity::activities: of a device's time
  uint32_t thread = kNowhere;    // index into HostOps::threads: of a host's time
  int32_t range = kNoRange;      // the innermost range of the host: around it, or around its launch

  bool OfHost() const { return reason == Reason::kThread || reason == Reason::kHandOver; }
};

// What an edge's time is called: its work, operator or call, or "(between operators)".
std::string_view NameOf(const Edge& edge, const StringTable& names);

// The stretch of a recording to explain.
struct PathWindow {
  int64_t start = 0;  // ns
  int64_t end = 0;    // when the host's part and all work that counts had ended
  int64_t host_end = 0;
  uint32_t thread = kNowhere;  // that the stretch was annotated on; kNowhere: the whole recording
  // Work counts that was launched from `start` until this; all of it in a whole recording.
  int64_t launched_until = 0;

  bool whole() const { return thread == kNowhere; }
  int64_t span() const { return end - start; }
  bool Counts(const Activity& activity) const {
    return whole() || (activity.launched >= start && activity.launched < launched_until);
  }
};

struct Dependencies {
  std::vector<int64_t> times;        // of each moment, ascending; the window's start to its end
  std::vector<uint32_t> first_edge;  // of each moment, into `edges`; one more than moments
  std::vector<Edge> edges;           // by moment; of each, the deciding one first
  int64_t guessed_waits = 0;         // between streams, without a record of a wait

  // Every moment but the first has at least one.
  std::span<const Edge> EdgesOf(uint32_t moment) const {
    return std::span(edges).subspan(first_edge[moment],
                                    first_edge[moment + 1] - first_edge[moment]);
  }
};

}  // namespace stepscope
