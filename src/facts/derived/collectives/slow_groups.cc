// Compares medians of groups.
#include "facts/derived/collectives/slow_groups.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/robust.h"
#include "facts/derived/collectives/exposed_waits.h"

namespace stepscope {
namespace {

constexpr size_t kLeastCollectives = 3, kLeastOthers = 3;
constexpr double kLeastRatio = 1.1;
constexpr int64_t kDeviations = 6;  // median absolute ones

// What groups that are alike do.
using Kind = std::tuple<CollectiveOp, std::string_view, int64_t, int64_t, std::string_view>;

// Of one kind.
struct OfGroup {
  std::vector<uint32_t> matches;
  int64_t median = 0;  // ns
};
using ByGroup = std::map<uint32_t, OfGroup>;

class SlowGroups {
 public:
  explicit SlowGroups(const Facts& facts) : facts_(facts), c_(facts.collectives), waits_(facts) {}

  std::vector<SlowGroup> Find() {
    for (auto& [kind, groups] : Collect()) Compare(kind, groups);
    std::vector<SlowGroup> all;
    for (const auto& [group, slow] : found_) all.push_back(slow);
    std::ranges::stable_sort(all, std::greater(), &SlowGroup::exposed);
    return all;
  }

 private:
  std::map<Kind, ByGroup> Collect() {
    std::map<Kind, ByGroup> kinds;
    for (uint32_t m = 0; m < c_.matches.size(); ++m) {
      const CollectiveMatch& match = c_.matches[m];
      const CollectiveGroup& group = c_.groups[match.group];
      const bool whole = match.last != kNobody && group.size > 1 && match.count == group.size;
      if (!whole || match.bytes <= 0) continue;
      const Kind kind{match.op, Name(match.operation), match.bytes, group.size, group.description};
      kinds[kind][match.group].matches.push_back(m);
    }
    for (auto& [kind, groups] : kinds) {
      std::erase_if(groups,
                    [](const auto& of) { return of.second.matches.size() < kLeastCollectives; });
      for (auto& [group, of] : groups) of.median = MedianOf(of.matches);
    }
    return kinds;
  }

  std::string_view Name(StringId id) const {
    return id == kNoString ? std::string_view() : (*facts_.names)[id];
  }

  int64_t TimeOf(uint32_t match) const {
    return std::ranges::min(c_.Parts(c_.matches[match]), {}, &CollectivePart::duration).duration();
  }
  int64_t MedianOf(std::span<const uint32_t> matches) const {
    std::vector<int64_t> times;
    for (const uint32_t m : matches) times.push_back(TimeOf(m));
    return UpperMedian(times);
  }

  void Compare(const Kind& kind, const ByGroup& groups) {
    if (groups.size() <= kLeastOthers) return;
    std::vector<int64_t> medians;
    for (const auto& [group, of] : groups) medians.push_back(of.median);
    const int64_t usual = UpperMedian(medians);
    const int64_t most = usual + kDeviations * MadOf(medians);
    std::vector<uint32_t> slow;
    for (const auto& [group, of] : groups) {
      const bool is_slow = of.median > most && static_cast<double>(of.median) >
                                                   kLeastRatio * static_cast<double>(usual);
      if (is_slow) slow.push_back(group);
    }
    if (usual <= 0 || 4 * slow.size() > groups.size()) return;
    for (const uint32_t group : slow)
      Add(kind, group, groups.at(group), usual, groups.size() - slow.size());
  }

  void Add(const Kind& kind, uint32_t group, const OfGroup& of, int64_t usual, size_t others) {
    std::vector<PartWait> ends;
    for (const uint32_t m : of.matches) {
      const int64_t longer = std::max<int64_t>(TimeOf(m) - usual, 0);
      for (const CollectivePart& part : c_.Parts(c_.matches[m]))
        ends.push_back({&part, {part.end - longer, part.end}});
    }
    const int64_t exposed = waits_.Of(ends) / c_.groups[group].size;
    SlowGroup& slow = found_[group];
    const int64_t lost = (of.median - usual) * std::ssize(of.matches);
    if (lost > (slow.time - slow.usual) * slow.count) {
      slow = {.group = group,
              .op = std::get<CollectiveOp>(kind),
              .operation = c_.matches[of.matches.front()].operation,
              .bytes = c_.matches[of.matches.front()].bytes,
              .count = std::ssize(of.matches),
              .time = of.median,
              .usual = usual,
              .others = others,
              .exposed = slow.exposed};
    }
    slow.exposed = AddSaturated(slow.exposed, exposed);
  }

  const Facts& facts_;
  const CollectiveFacts& c_;
  ExposedWaits waits_;
  std::map<uint32_t, SlowGroup> found_;  // by group
};

}  // namespace

std::vector<SlowGroup> SlowGroupsOf(const Facts& facts) { return SlowGroups(facts).Find(); }

}  // namespace stepscope
