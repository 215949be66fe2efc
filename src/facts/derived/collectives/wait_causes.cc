// Walks the collectives in the order in which their last ranks arrived, and passes on what those
// waited for themselves.
#include "facts/derived/collectives/wait_causes.h"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

#include "facts/activity/compute_cover.h"
#include "facts/derived/collectives/absent_ranks.h"

namespace stepscope {
namespace {

class Walker {
 public:
  Walker(const Facts& facts, const AbsentWaits& absent)
      : facts_(facts),
        c_(facts.collectives),
        absent_(absent),
        covers_(facts.ranks.size()),
        waits_(c_.ranks.size()) {}

  std::vector<WaitCause> Walk() {
    for (const uint32_t match : InOrder()) {
      if (absent_.by_match[match] > 0)
        AddAbsent(match);
      else
        AddMatch(match);
    }
    std::ranges::sort(out_, {}, [](const WaitCause& w) {
      return std::tuple(w.match, w.part, w.time.start, w.time.end);
    });
    return std::move(out_);
  }

 private:
  // A wait of a rank, on the common clock.
  struct Wait {
    Interval time;
    uint32_t part = 0, rank = 0;
  };

  int64_t Aligned(const CollectivePart& part, int64_t time) const {
    return c_.ranks[part.rank].clock.Aligned(time);
  }

  // By when waiting ended.
  std::vector<uint32_t> InOrder() const {
    std::vector<std::pair<int64_t, uint32_t>> order;
    for (uint32_t m = 0; m < c_.matches.size(); ++m) {
      const CollectiveMatch& match = c_.matches[m];
      if (absent_.by_match[m] > 0) {
        const CollectivePart& first = c_.Parts(match).front();
        order.emplace_back(Aligned(first, first.end), m);
      } else if (match.last != kNobody) {
        const CollectivePart& last = c_.parts[match.last];
        order.emplace_back(Aligned(last, last.start), m);
      }
    }
    std::ranges::sort(order);
    std::vector<uint32_t> matches;
    for (const auto& [time, match] : order) matches.push_back(match);
    return matches;
  }

  void Add(uint32_t match, uint32_t part, uint32_t rank, Interval time) {
    if (time.start >= time.end) return;
    out_.push_back({match, part, rank, time});
    const CollectivePart& p = c_.parts[part];
    waits_[p.rank].push_back({{Aligned(p, time.start), Aligned(p, time.end)}, part, rank});
  }

  void AddAbsent(uint32_t m) {
    const CollectiveMatch& match = c_.matches[m];
    for (uint32_t p = match.first; p < match.first + match.count; ++p) {
      const CollectivePart& part = c_.parts[p];
      const int64_t known = std::max<int64_t>(part.wait, 0);
      const int64_t until = std::min(part.end, part.start + known + absent_.by_match[m]);
      Add(m, p, kNobody, {part.start, until});
    }
  }

  void AddMatch(uint32_t m) {
    const CollectiveMatch& match = c_.matches[m];
    const uint32_t last = c_.parts[match.last].rank;
    for (uint32_t p = match.first; p < match.first + match.count; ++p) {
      const CollectivePart& part = c_.parts[p];
      if (part.wait > 0) AddPart(m, p, last);
    }
  }

  // From its end on: the latest waits of the last rank come first.
  void AddPart(uint32_t m, uint32_t p, uint32_t last) {
    const CollectivePart& part = c_.parts[p];
    const int64_t ahead = Aligned(part, part.start) - part.start;
    Interval rest{part.start, part.start + part.wait};
    std::vector<std::pair<uint32_t, Interval>> found;
    for (const Wait& wait : waits_[last] | std::views::reverse) {
      const Interval own{wait.time.start - ahead, wait.time.end - ahead};
      if (own.end <= part.start || rest.start >= rest.end) break;
      const Interval both{std::max(rest.start, own.start), std::min(rest.end, own.end)};
      if (both.start >= both.end || wait.rank == part.rank || !HoldsUp(wait)) continue;
      found.emplace_back(last, Interval{both.end, rest.end});
      found.emplace_back(wait.rank, both);
      rest.end = both.start;
    }
    Add(m, p, last, rest);
    for (const auto& [rank, time] : found | std::views::reverse) Add(m, p, rank, time);
  }

  // A rank that computes meanwhile is not held up.
  bool HoldsUp(const Wait& wait) {
    const CollectivePart& part = c_.parts[wait.part];
    const RankActivity& rank = facts_.ranks[part.recording];
    auto& covers = covers_[part.recording];
    if (covers.empty()) covers = ComputeCover::Of(rank);
    const Activity& activity = rank.activities[part.activity];
    const int64_t end = std::min(part.end, part.start + (wait.time.end - wait.time.start));
    const ComputeCover& cover = covers[rank.streams[activity.stream].device_index];
    return 2 * cover.Within(part.start, end) < end - part.start;
  }

  const Facts& facts_;
  const CollectiveFacts& c_;
  const AbsentWaits& absent_;
  std::vector<std::vector<ComputeCover>> covers_;  // by recording
  std::vector<std::vector<Wait>> waits_;           // by rank; ends ascend
  std::vector<WaitCause> out_;
};

std::vector<WaitCause> FindWaitCauses(const Facts& facts) {
  return Walker(facts, AbsentWaitsOf(facts)).Walk();
}

}  // namespace

const std::vector<WaitCause>& WaitCausesOf(const Facts& facts) {
  return facts.memo.Of<FindWaitCauses>(facts);
}

}  // namespace stepscope
