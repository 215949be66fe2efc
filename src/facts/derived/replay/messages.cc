// Walks the sends and receives of each pair of ranks by their ends.
#include "facts/derived/replay/messages.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/robust.h"
#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

struct End {
  int64_t time = 0;  // on the common clock
  uint32_t part = 0;
};
struct Pair {
  std::vector<End> sends, receives;
};
// By group, sender, receiver.
using Pairs = std::map<std::tuple<uint32_t, int64_t, int64_t>, Pair>;

constexpr int64_t kLeastTolerance = 20 * kMicrosecond;
constexpr int64_t kTolerance = 8;  // times the median difference of ends

Pairs CollectPairs(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  Pairs pairs;
  for (const CollectiveMatch& match : c.matches) {
    if (!IsPointToPoint(match.op)) continue;
    for (uint32_t p = match.first; p < match.first + match.count; ++p) {
      const CollectivePart& part = c.parts[p];
      const RankActivity& rank = facts.ranks[part.recording];
      const int32_t detail = rank.activities[part.activity].detail;
      if (detail == kNoDetail) continue;
      const Collective& told = rank.collectives[static_cast<size_t>(detail)];
      const bool sends = match.op == CollectiveOp::kSend;
      const int64_t from = sends ? rank.rank : told.from, to = sends ? told.to : rank.rank;
      if (from < 0 || to < 0) continue;
      Pair& pair = pairs[{match.group, from, to}];
      const End end{c.ranks[part.rank].clock.Aligned(part.end), p};
      (sends ? pair.sends : pair.receives).push_back(end);
    }
  }
  for (auto& [key, pair] : pairs) {
    std::ranges::stable_sort(pair.sends, {}, &End::time);
    std::ranges::stable_sort(pair.receives, {}, &End::time);
  }
  return pairs;
}

// How far receives end after sends, where some of either were not recorded: most common of those
// that may be partners, to the nearest microseconds; nothing where that is not half of them.
std::optional<int64_t> MostCommon(const Pair& pair) {
  constexpr std::ptrdiff_t kFewLost = 8;
  const std::ptrdiff_t sends = std::ssize(pair.sends), receives = std::ssize(pair.receives);
  const std::ptrdiff_t lost = std::abs(sends - receives);
  if (lost > kFewLost) return std::nullopt;
  std::vector<int64_t> apart;
  for (std::ptrdiff_t i = 0; i < sends; ++i) {
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, i - kFewLost);
    for (std::ptrdiff_t j = first; j < std::min(receives, i + kFewLost + 1); ++j) {
      apart.push_back(Apart(pair.sends[static_cast<size_t>(i)].time,
                            pair.receives[static_cast<size_t>(j)].time));
    }
  }
  std::ranges::sort(apart);
  size_t most = 0, at = 0;
  for (size_t first = 0, last = 0; last < apart.size(); ++last) {
    while (SubtractSaturated(apart[last], apart[first]) > kLeastTolerance) ++first;
    if (last + 1 - first <= most) continue;
    most = last + 1 - first;
    at = first + most / 2;
  }
  if (2 * most < static_cast<size_t>(std::min(sends, receives))) return std::nullopt;
  return apart[at];
}

// Joins clocks by messages where no collective does.
class ClockJoiner {
 public:
  explicit ClockJoiner(const CollectiveFacts& c) : c_(c) {
    for (uint32_t r = 0; r < c_.ranks.size(); ++r) {
      const Clock& clock = c_.ranks[r].clock;
      clocks_.push_back({clock.known ? clock.reference : r, 0});
    }
  }

  // Those with the most messages first.
  std::vector<CommonClock> Join(Pairs& pairs) {
    std::vector<Pair*> order;
    for (auto& [key, pair] : pairs) {
      if (!pair.sends.empty() && !pair.receives.empty()) order.push_back(&pair);
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [](const Pair* pair) { return pair->sends.size(); });
    for (Pair* pair : order) JoinBy(*pair);
    for (auto& [key, pair] : pairs) {
      for (End& end : pair.sends) end.time += clocks_[RankOf(end)].shift;
      for (End& end : pair.receives) end.time += clocks_[RankOf(end)].shift;
    }
    return std::move(clocks_);
  }

 private:
  uint32_t RankOf(const End& end) const { return c_.parts[end.part].rank; }

  void JoinBy(const Pair& pair) {
    const uint32_t a = RankOf(pair.sends.front()), b = RankOf(pair.receives.front());
    const CommonClock own = clocks_[a], other = clocks_[b];
    if (own.set == other.set) return;
    const auto apart = Between(a, b, pair);
    if (!apart) return;
    const int64_t more = AddSaturated(SubtractSaturated(own.shift, other.shift), *apart);
    constexpr int64_t kMost = int64_t{1} << 60;  // so that shifted times can be compared
    for (CommonClock& clock : clocks_) {
      if (clock.set != other.set) continue;
      clock = {own.set, std::clamp(AddSaturated(clock.shift, more), -kMost, kMost)};
    }
  }

  // How far b's aligned time is behind a's. Ranks of one machine have one clock; else the ends of
  // as many sends as receives tell.
  std::optional<int64_t> Between(uint32_t a, uint32_t b, const Pair& pair) const {
    const std::string& machine = c_.ranks[a].machine;
    if (!machine.empty() && machine == c_.ranks[b].machine) {
      const int64_t time = c_.parts[pair.sends.front().part].end;
      return Apart(c_.ranks[a].clock.Aligned(time), c_.ranks[b].clock.Aligned(time));
    }
    if (pair.sends.size() != pair.receives.size()) return MostCommon(pair);
    std::vector<int64_t> apart;
    for (size_t i = 0; i < pair.sends.size(); ++i)
      apart.push_back(Apart(pair.sends[i].time, pair.receives[i].time));
    return UpperMedian(apart);
  }

  const CollectiveFacts& c_;
  std::vector<CommonClock> clocks_;
};

bool OnOneClock(const CollectiveFacts& c, const std::vector<CommonClock>& clocks,
                const Pair& pair) {
  if (pair.sends.empty() || pair.receives.empty()) return false;
  return clocks[c.parts[pair.sends.front().part].rank].set ==
         clocks[c.parts[pair.receives.front().part].rank].set;
}

// By the receive that ends nearest to each send: some of either may not have been recorded.
int64_t ToleranceOf(const Pair& pair) {
  std::vector<int64_t> apart;
  auto receive = pair.receives.begin();
  for (const End& send : pair.sends) {
    const auto is_nearer = [&](auto next) {
      return std::abs(Apart(send.time, next->time)) <= std::abs(Apart(send.time, receive->time));
    };
    while (std::next(receive) != pair.receives.end() && is_nearer(std::next(receive))) ++receive;
    apart.push_back(std::abs(Apart(send.time, receive->time)));
  }
  const int64_t usual = std::min(UpperMedian(apart), kSecond);
  return std::max(kLeastTolerance, kTolerance * usual);
}

// Where processors compute, each end of a message is recorded when its thread looks at it, maybe
// much later; but in order.
void MatchInOrder(const Pair& pair, Messages& out) {
  for (size_t i = 0; i < pair.sends.size(); ++i)
    out.matched.push_back({pair.sends[i].part, pair.receives[i].part});
}

void MatchPair(const Pair& pair, Messages& out) {
  const int64_t tolerance = ToleranceOf(pair);
  auto send = pair.sends.begin();
  auto receive = pair.receives.begin();
  while (send != pair.sends.end() && receive != pair.receives.end()) {
    const int64_t apart = Apart(send->time, receive->time);
    if (std::abs(apart) <= tolerance) {
      out.matched.push_back({send++->part, receive++->part});
    } else if (apart < 0) {
      ++send;
    } else {
      ++receive;
    }
  }
}

void AddLone(const std::vector<End>& ends, int64_t absent, Messages& out) {
  for (const End& end : ends) out.lone.push_back({end.part, absent});
}

Messages MatchMessages(const Facts& facts) {
  Messages out;
  int64_t all = 0;
  for (const RankCollectives& rank : facts.collectives.ranks) all += rank.point_to_point;
  Pairs pairs = CollectPairs(facts);
  out.clocks = ClockJoiner(facts.collectives).Join(pairs);
  for (auto& [key, pair] : pairs) {
    if (!OnOneClock(facts.collectives, out.clocks, pair)) continue;
    if (facts.OnHost() && pair.sends.size() == pair.receives.size())
      MatchInOrder(pair, out);
    else
      MatchPair(pair, out);
  }
  for (const auto& [key, pair] : pairs) {
    const auto& [group, from, to] = key;
    if (facts.collectives.OfRank(to).empty()) AddLone(pair.sends, to, out);
    if (facts.collectives.OfRank(from).empty()) AddLone(pair.receives, from, out);
  }
  out.unmatched = all - 2 * std::ssize(out.matched);
  return out;
}

}  // namespace

const Messages& MessagesOf(const Facts& facts) { return facts.memo.Of<MatchMessages>(facts); }

}  // namespace stepscope
