// Looks for the annotation around each broadcast.
#include "analyses/comm_overlap_buffers.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr double kMost = 0.5;  // of the communication beyond waiting

// The forward passes of a recording, in order.
std::vector<Interval> PassesOf(const Facts& facts, const RankActivity& rank) {
  std::vector<Interval> passes;
  for (const HostRange& range : rank.host->ranges) {
    if (range.kind == Kind::kAnnotation &&
        (*facts.names)[range.name] == "DistributedDataParallel.forward")
      passes.push_back({range.start, range.end});
  }
  std::ranges::sort(passes, {}, &Interval::start);
  return passes;
}

}  // namespace

std::optional<BufferBroadcasts> FindBufferBroadcasts(const Facts& facts) {
  if (!facts.OnHost()) return std::nullopt;
  std::map<uint32_t, std::vector<Interval>> passes;  // by recording
  for (uint32_t r = 0; r < facts.ranks.size(); ++r) passes[r] = PassesOf(facts, facts.ranks[r]);
  BufferBroadcasts sum;
  int64_t all = 0, bytes = 0, parts = 0;
  bool sizes_known = true;
  std::set<std::pair<uint32_t, int64_t>> with_any;  // recording, begin
  for (const CollectiveMatch& match : facts.collectives.matches) {
    for (const CollectivePart& part : facts.collectives.Parts(match)) {
      const int64_t time = part.duration() - std::max<int64_t>(part.wait, 0);
      all = AddSaturated(all, time);
      if (match.op != CollectiveOp::kBroadcast) continue;
      const std::vector<Interval>& own = passes[part.recording];
      const auto after = std::ranges::upper_bound(own, part.start, {}, &Interval::start);
      if (after == own.begin() || std::prev(after)->end <= part.start) continue;
      sum.time = AddSaturated(sum.time, time);
      with_any.emplace(part.recording, std::prev(after)->start);
      ++parts;
      sizes_known = sizes_known && match.bytes >= 0;
      bytes = AddSaturated(bytes, std::max<int64_t>(match.bytes, 0));
    }
  }
  const auto ranks = std::max<int64_t>(std::ssize(facts.ranks), 1);
  if (parts == 0 || static_cast<double>(sum.time) < kMost * static_cast<double>(all))
    return std::nullopt;
  sum.passes = std::ssize(with_any) / ranks;
  if (sizes_known) sum.bytes = bytes / std::ssize(with_any);
  sum.time /= ranks;
  return sum;
}

}  // namespace stepscope
