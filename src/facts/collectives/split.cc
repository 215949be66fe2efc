// Compares when the ranks of a collective arrived, on aligned clocks.
#include "facts/collectives/split.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/saturate.h"

namespace stepscope {
namespace {

// The clocks of all of them are on one reference.
bool Comparable(const CollectiveFacts& facts, std::span<const CollectivePart> parts) {
  const Clock& first = facts.ranks[parts.front().rank].clock;
  return std::ranges::all_of(parts, [&](const CollectivePart& part) {
    const Clock& clock = facts.ranks[part.rank].clock;
    return clock.known && clock.reference == first.reference;
  });
}

// When a part began, on aligned clocks.
int64_t BeginOf(const CollectiveFacts& facts, const CollectivePart& part) {
  return facts.ranks[part.rank].clock.Aligned(part.start);
}

// Of a collective with a root: whether all were still in it when the last one came. Over gloo a
// sender waits until the receiver is there, whatever fits into buffers.
bool NobodyLeftEarly(const CollectiveFacts& facts, std::span<const CollectivePart> parts) {
  int64_t all_there = INT64_MIN;
  for (const CollectivePart& part : parts) all_there = std::max(all_there, BeginOf(facts, part));
  return std::ranges::all_of(parts, [&](const CollectivePart& part) {
    return facts.ranks[part.rank].clock.Aligned(part.end) > all_there;
  });
}

void Split(CollectiveFacts& facts, CollectiveMatch& match) {
  const auto parts = std::span(facts.parts).subspan(match.first, match.count);
  const auto aligned = [&](const CollectivePart& part) { return BeginOf(facts, part); };
  const auto last = std::ranges::max_element(parts, {}, aligned);
  const int64_t all_there = aligned(*last);
  match.last = match.first + static_cast<uint32_t>(last - parts.begin());
  RankCollectives& late = facts.ranks[last->rank];
  ++late.times_last;
  for (CollectivePart& part : parts) {
    part.wait = std::clamp<int64_t>(all_there - aligned(part), 0, part.duration());
    RankCollectives& rank = facts.ranks[part.rank];
    ++rank.split;
    rank.wait = AddSaturated(rank.wait, part.wait);
    rank.transfer = AddSaturated(rank.transfer, part.duration() - part.wait);
    late.blame = AddSaturated(late.blame, part.wait);
  }
}

}  // namespace

void SplitCollectives(CollectiveFacts& facts) {
  for (RankCollectives& rank : facts.ranks) {
    rank.wait = rank.transfer = rank.split = rank.blame = rank.times_last = 0;
  }
  for (CollectiveMatch& match : facts.matches) {
    match.last = kNobody;
    const auto parts = std::span(facts.parts).subspan(match.first, match.count);
    for (CollectivePart& part : parts) part.wait = kNoTime;
    if (!match.Matched() || !Comparable(facts, parts)) continue;
    if (Synchronizes(match.op) || (HasRoot(match.op) && NobodyLeftEarly(facts, parts)))
      Split(facts, match);
  }
}

}  // namespace stepscope
