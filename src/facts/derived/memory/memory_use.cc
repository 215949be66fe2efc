// Sums the changes of a memory timeline.
#include "facts/derived/memory/memory_use.h"

#include <algorithm>

#include "base/saturate.h"

namespace stepscope {
namespace {

// The recordings of one rank: a timeline does not say which of them it accompanies.
std::vector<const RankActivity*> RecordingsOf(const Facts& facts, int64_t rank) {
  std::vector<const RankActivity*> recordings;
  for (const RankActivity& r : facts.ranks) {
    if (r.rank == rank) recordings.push_back(&r);
  }
  return recordings;
}

void AddPoint(std::vector<StepCurve::Point>& curve, int64_t time, int64_t level) {
  if (curve.empty() || curve.back().level != level) curve.push_back({time, level});
}

void Look(MemoryUseOverTime& out, int64_t time, const MemoryLevels& levels) {
  const int64_t sum = SumOf(levels);
  const bool first = out.moments++ == 0;
  if (first) out.first_time = time;
  if (first || sum > SumOf(out.at_peak)) {
    out.at_peak = levels;
    out.peak_time = time;
  }
  out.last = levels;
  AddPoint(out.total, time, sum);
  for (size_t use = 0; use < kMemoryUses; ++use) {
    out.highest[use] = first ? levels[use] : std::max(out.highest[use], levels[use]);
    AddPoint(out.curves[use], time, levels[use]);
  }
}

}  // namespace

int64_t SumOf(const MemoryLevels& levels) {
  int64_t sum = 0;
  for (const int64_t level : levels) sum = AddSaturated(sum, level);
  return sum;
}

MemoryUseOverTime FollowMemoryUse(const Facts& facts, const RankActivity& rank,
                                  const MemoryTimeline& timeline) {
  MemoryUseOverTime out;
  MemoryLevels levels{};
  const auto& changes = timeline.changes;
  const auto recordings = RecordingsOf(facts, rank.rank);
  const auto counts = [&](int64_t time) {
    return std::ranges::any_of(recordings, [&](auto* r) { return facts.Counts(*r, time); });
  };
  for (size_t c = 0; c < changes.size(); ++c) {
    int64_t& level = levels[static_cast<size_t>(changes[c].use)];
    level = AddSaturated(level, changes[c].bytes);
    if (changes[c].before) {
      out.before = levels;
      continue;
    }
    const bool moment_ends = c + 1 == changes.size() || changes[c + 1].time != changes[c].time;
    if (moment_ends && counts(changes[c].time)) Look(out, changes[c].time, levels);
  }
  const bool nothing_changed = !changes.empty() && changes.back().before;
  if (nothing_changed && facts.selected.empty()) Look(out, 0, levels);
  return out;
}

}  // namespace stepscope
