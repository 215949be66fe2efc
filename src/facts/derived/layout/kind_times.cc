// Collects the stretches of each kind on each device.
#include "facts/derived/layout/kind_times.h"

#include <map>
#include <tuple>
#include <utility>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/activity/compute_cover.h"
#include "facts/derived/layout/parallel_layout.h"

namespace stepscope {
namespace {

// By recording, device and class.
using KindStretches = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<Interval>>;

KindTime& KindTimeAt(KindTimes& times, uint32_t c) {
  return c == kNobody ? times.other : times.classes[c];
}

void AddKindPart(const CollectivePart& part, KindTime& time) {
  ++time.calls;
  if (part.wait == kNoTime) return;
  time.wait = AddSaturated(time.wait.value_or(0), part.wait);
  time.transfer = AddSaturated(time.transfer.value_or(0), part.duration() - part.wait);
}

KindStretches CollectKindStretches(const Facts& facts, KindTimes& times) {
  const ProcessGroups& groups = ProcessGroupsOf(facts);
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  const CollectiveFacts& c = facts.collectives;
  KindStretches stretches;
  for (const CollectiveMatch& match : c.matches) {
    for (const CollectivePart& part : c.Parts(match)) {
      const uint32_t group = groups.Of(c, match, part);
      const uint32_t of = group == kNobody ? kNobody : layout.class_of[group];
      AddKindPart(part, KindTimeAt(times, of));
      const RankActivity& rank = facts.ranks[part.recording];
      const uint32_t device = rank.streams[rank.activities[part.activity].stream].device_index;
      stretches[{part.recording, device, of}].push_back({part.start, part.end});
    }
  }
  return stretches;
}

KindTimes SumKinds(const Facts& facts) {
  KindTimes times;
  times.classes.resize(ParallelLayoutOf(facts).classes.size());
  uint32_t recording = kNobody;
  std::vector<ComputeCover> covers;
  for (auto& [place, stretches] : CollectKindStretches(facts, times)) {
    const auto [r, device, of] = place;
    if (r != recording) covers = ComputeCover::Of(facts.ranks[r]);
    recording = r;
    KindTime& time = KindTimeAt(times, of);
    for (const Interval& i : UnionOf(std::move(stretches))) {
      const int64_t length = i.end - i.start;
      time.communication = AddSaturated(time.communication, length);
      time.exposed = AddSaturated(time.exposed, length - covers[device].Within(i.start, i.end));
    }
  }
  for (const DeviceFacts& device : facts.devices)
    times.span = AddSaturated(times.span, device.total.Span());
  for (const RankActivity& rank : facts.ranks)
    times.steps += static_cast<double>(rank.steps.size());
  return times;
}

}  // namespace

const KindTimes& KindTimesOf(const Facts& facts) { return facts.memo.Of<SumKinds>(facts); }

}  // namespace stepscope
