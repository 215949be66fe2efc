// Compares transfers of the same operation and size, step by step.
#include "facts/derived/replay/slow_links.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/change_point.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

constexpr double kSlow = 1.3, kNotSlow = 1.15;  // times what is usual
constexpr size_t kFewestAlike = 2;              // other groups, to compare with
constexpr size_t kFewestSteps = 3;              // that are slow
constexpr size_t kMostLinks = 3;

using Alike = std::tuple<StringId, int64_t, int64_t>;  // operation, ranks, bytes
using Steps = std::vector<std::vector<double>>;        // transfers of each step, ns
using Levels = std::vector<std::optional<double>>;     // of each step

class LinkFinder {
 public:
  explicit LinkFinder(const Facts& facts)
      : facts_(facts), graph_(JobGraphOf(facts)), lacks_ranks_(LacksRanks(facts)) {}

  std::vector<SlowLink> Find() {
    if (graph_.Contradicts()) return {};
    Collect();
    for (const auto& [alike, groups] : transfers_) {
      std::map<uint32_t, Levels> levels;
      for (const auto& [group, steps] : groups) levels[group] = LevelsOf(steps);
      for (const auto& [group, steps] : groups) Compare(alike, group, levels);
    }
    std::vector<SlowLink> found;
    for (auto& [group, link] : links_) found.push_back(link);
    std::ranges::stable_sort(found, std::ranges::greater{}, &SlowLink::excess);
    if (found.size() > kMostLinks) found.resize(kMostLinks);
    return found;
  }

 private:
  void Collect() {
    for (const JobInstance& instance : graph_.instances) {
      if (instance.message) continue;
      const auto members = graph_.Members(instance);
      const CollectiveMatch& of = MatchOfPart(facts_.collectives, members.front().part);
      const size_t step = StepOf(members.front());
      const int64_t ranks = facts_.collectives.groups[instance.group].size;
      if (of.bytes < 0 || step == graph_.steps.size() || LacksMembers(ranks, members.size()))
        continue;
      std::vector<double> times;
      for (const JobMember& member : members) times.push_back(static_cast<double>(member.transfer));
      Steps& steps = transfers_[{of.operation, ranks, of.bytes}][instance.group];
      steps.resize(graph_.steps.size());
      steps[step].push_back(Median(std::move(times)));
    }
  }

  // Whether somebody without a trace may have come last: then nobody knows when the transfer began.
  bool LacksMembers(int64_t size, size_t members) const {
    return size >= 0 ? std::cmp_less(members, size) : lacks_ranks_;
  }

  static bool LacksRanks(const Facts& facts) {
    std::set<int64_t> recorded;
    int64_t world = 0;
    for (const RankActivity& rank : facts.ranks) {
      recorded.insert(rank.rank);
      world = std::max(world, rank.world_size);
    }
    return std::ssize(recorded) < world;
  }

  size_t StepOf(const JobMember& member) const {
    const CollectivePart& part = facts_.collectives.parts[member.part];
    const RankActivity& rank = facts_.ranks[part.recording];
    const int32_t step = rank.activities[part.activity].step;
    if (step == kNoStep) return graph_.steps.size();
    const int64_t number = rank.steps[static_cast<size_t>(step)].number;
    const auto at = std::ranges::lower_bound(graph_.steps, number);
    if (at == graph_.steps.end() || *at != number) return graph_.steps.size();
    return static_cast<size_t>(at - graph_.steps.begin());
  }

  static Levels LevelsOf(const Steps& steps) {
    Levels levels;
    for (const std::vector<double>& times : steps) {
      levels.emplace_back();
      if (!times.empty()) levels.back() = Median(times);
    }
    return levels;
  }

  // What the others take in a step.
  static std::optional<double> UsualIn(size_t step, uint32_t group,
                                       const std::map<uint32_t, Levels>& levels) {
    std::vector<double> others;
    for (const auto& [other, of_steps] : levels) {
      if (other != group && of_steps[step]) others.push_back(*of_steps[step]);
    }
    if (others.size() < kFewestAlike) return std::nullopt;
    return Median(std::move(others));
  }

  void Compare(const Alike& alike, uint32_t group, const std::map<uint32_t, Levels>& levels) {
    const Levels& own = levels.at(group);
    const bool has_alike = levels.size() > kFewestAlike;
    std::vector<size_t> steps;  // that are compared, and in them:
    std::vector<double> now, usual;
    for (size_t s = 0; s < own.size(); ++s) {
      const auto others = has_alike ? UsualIn(s, group, levels) : own[s];
      if (!own[s] || !others || *others <= 0) continue;
      steps.push_back(s);
      now.push_back(*own[s]);
      usual.push_back(*others);
    }
    if (steps.size() < kFewestSteps) return;
    const auto first = has_alike ? FirstSlow(now, usual) : FirstRisen(now, usual);
    if (!first || steps.size() - *first < kFewestSteps) return;
    Add(alike, group, has_alike ? levels.size() - 1 : 0, steps, std::span(now).subspan(*first),
        std::span(usual).subspan(*first), *first);
  }

  // Since when a group is slower than others; 0: always.
  static std::optional<size_t> FirstSlow(std::span<const double> now,
                                         std::span<const double> usual) {
    std::vector<int64_t> ratios;  // in thousandths
    for (size_t i = 0; i < now.size(); ++i) ratios.push_back(ToInt64(1e3 * now[i] / usual[i]));
    const auto change = FindChangePoint(ratios, 1e3 * (kSlow - 1));
    if (change && change->before <= 1e3 * kNotSlow && change->since >= 1e3 * kSlow)
      return change->at;
    const bool always = std::ranges::all_of(
        ratios, [](int64_t ratio) { return static_cast<double>(ratio) >= 1e3 * kSlow; });
    return always ? std::optional<size_t>(0) : std::nullopt;
  }

  // Since when it is slower than before, which `usual` then holds.
  static std::optional<size_t> FirstRisen(std::span<const double> now, std::vector<double>& usual) {
    std::vector<int64_t> times;
    for (const double time : now) times.push_back(ToInt64(time));
    const auto change = FindChangePoint(times, 0);
    if (!change || change->before <= 0 || change->since < kSlow * change->before)
      return std::nullopt;
    usual.assign(now.size(), change->before);
    return change->at;
  }

  void Add(const Alike& alike, uint32_t group, size_t others, const std::vector<size_t>& steps,
           std::span<const double> now, std::span<const double> usual, size_t first) {
    SlowLink link{.group = group, .alike = others, .operation = std::get<StringId>(alike)};
    if (first > 0) link.since = graph_.steps[steps[first]];
    std::vector<double> ratios;
    const Steps& transfers = transfers_[alike][group];
    for (size_t i = 0; i < now.size(); ++i) {
      ratios.push_back(now[i] / usual[i]);
      const auto count = static_cast<double>(transfers[steps[first + i]].size());
      link.excess += count * (now[i] - usual[i]);
    }
    link.times = Median(std::move(ratios));
    link.now = Median({now.begin(), now.end()});
    link.usual = Median({usual.begin(), usual.end()});
    SlowLink& known = links_.try_emplace(group, link).first->second;
    if (known.excess < link.excess) known = link;
  }

  const Facts& facts_;
  const JobGraph& graph_;
  const bool lacks_ranks_;  // the job, as far as it says how many it has
  std::map<Alike, std::map<uint32_t, Steps>> transfers_;
  std::map<uint32_t, SlowLink> links_;  // by group
};

std::vector<SlowLink> FindSlowLinks(const Facts& facts) { return LinkFinder(facts).Find(); }

}  // namespace

const std::vector<SlowLink>& SlowLinksOf(const Facts& facts) {
  return facts.memo.Of<FindSlowLinks>(facts);
}

}  // namespace stepscope
