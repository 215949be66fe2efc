// Compares each collective of a group with absent ranks with the usual time of its kind.
#include "facts/derived/collectives/absent_ranks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/change_point.h"
#include "base/rise.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr double kTimesUsual = 3;     // what takes longer waits
constexpr double kTimesBefore = 1.3;  // the same since a step
constexpr size_t kQuartile = 4;

// ns on gigabit Ethernet: what takes much longer does not only transfer.
double OnSlowNetwork(int64_t bytes, double bus_factor) {
  constexpr double kLatency = 200'000, kBytesPerNs = 0.125;
  return kLatency + bus_factor * static_cast<double>(bytes) / kBytesPerNs;
}

// The step in which the first recorded rank of a collective is in it; nothing outside of steps.
std::optional<int64_t> StepOf(const Facts& facts, const CollectiveMatch& match) {
  const CollectivePart& part = facts.collectives.parts[match.first];
  const RankActivity& rank = facts.ranks[part.recording];
  const int32_t step = rank.activities[part.activity].step;
  if (step == kNoStep) return std::nullopt;
  return rank.steps[static_cast<size_t>(step)].number;
}

class Finder {
 public:
  explicit Finder(const Facts& facts) : facts_(facts), c_(facts.collectives) {
    for (const RankCollectives& rank : c_.ranks) recorded_.insert(rank.rank);
    for (const CollectiveGroup& group : c_.groups) absent_.push_back(AbsentOf(group));
  }

  AbsentWaits Find() {
    out_.by_match.assign(c_.matches.size(), 0);
    const auto lacks = [](const Absent& absent) { return absent.first > 0; };
    if (recorded_.size() < 2 || std::ranges::none_of(absent_, lacks)) return std::move(out_);
    CollectUsual();
    CollectRises();
    for (uint32_t m = 0; m < c_.matches.size(); ++m) Add(m);
    for (auto& [absent, wait] : waits_) {
      std::ranges::sort(wait.waiting);
      const auto [rest, end] = std::ranges::unique(wait.waiting);
      wait.waiting.erase(rest, end);
      out_.of_absent.push_back(std::move(wait));
    }
    return std::move(out_);
  }

 private:
  using Kind = std::pair<CollectiveOp, int64_t>;  // operation, size of the group
  using Absent = std::pair<int64_t, std::vector<int64_t>>;
  using Alike = std::tuple<uint32_t, CollectiveOp, int64_t>;  // group, operation, bytes

  // Since which step collectives alike take longer, and ns that they took before.
  struct Rise {
    int64_t since = 0, before = 0;
  };

  // How many, and which.
  Absent AbsentOf(const CollectiveGroup& group) const {
    if (group.ambiguous || group.present >= group.size) return {};
    Absent absent{group.size - group.present, {}};
    for (const int64_t rank : group.members) {
      if (!recorded_.contains(rank)) absent.second.push_back(rank);
    }
    // A rank that was recorded, but not in this group, is not absent.
    if (!group.members.empty()) absent.first = std::ssize(absent.second);
    return absent;
  }

  Kind KindOf(const CollectiveMatch& match) const {
    return {match.op, c_.groups[match.group].size};
  }

  static bool Counts(const CollectiveMatch& match) {
    return match.count > 0 && Synchronizes(match.op);
  }

  void CollectUsual() {
    std::map<Kind, std::map<int64_t, std::vector<int64_t>>> times;  // by bytes
    for (const CollectiveMatch& match : c_.matches) {
      if (Counts(match)) times[KindOf(match)][match.bytes].push_back(TogetherIn(c_, match));
    }
    for (auto& [kind, by_bytes] : times) {
      for (auto& [bytes, values] : by_bytes) {
        const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / kQuartile);
        std::ranges::nth_element(values, at);
        usual_[kind][bytes] = *at;
      }
    }
  }

  static Alike AlikeOf(const CollectiveMatch& match) {
    return {match.group, match.op, match.bytes};
  }

  void CollectRises() {
    std::map<Alike, std::map<int64_t, std::pair<double, double>>> times;  // sum and count, by step
    for (const CollectiveMatch& match : c_.matches) {
      if (!Counts(match) || absent_[match.group].first <= 0) continue;
      const auto step = StepOf(facts_, match);
      if (!step) continue;
      auto& [sum, count] = times[AlikeOf(match)][*step];
      sum += static_cast<double>(TogetherIn(c_, match));
      ++count;
    }
    for (const auto& [alike, by_step] : times) {
      std::vector<int64_t> means;
      for (const auto& [step, all] : by_step) means.push_back(ToInt64(all.first / all.second));
      const auto change = FindChangePoint(means, 0);
      if (!change || change->before <= 0 || change->since < kTimesBefore * change->before) continue;
      const auto first = std::next(by_step.begin(), static_cast<std::ptrdiff_t>(change->at));
      rises_[alike] = {first->first, ToInt64(change->before)};
    }
  }

  // ns that it would take without waiting; nothing: it does not wait.
  std::optional<int64_t> UsualWhereItWaits(const CollectiveMatch& match) const {
    const int64_t usual = UsualOf(match);
    const auto together = static_cast<double>(TogetherIn(c_, match));
    if (together > kTimesUsual * static_cast<double>(usual)) return usual;
    const auto rise = rises_.find(AlikeOf(match));
    if (rise == rises_.end()) return std::nullopt;
    const auto step = StepOf(facts_, match);
    const auto& [since, before] = rise->second;
    if (!step || *step < since || together < kTimesBefore * static_cast<double>(before))
      return std::nullopt;
    return std::min(usual, before);
  }

  int64_t UsualOf(const CollectiveMatch& match) const {
    const auto& by_bytes = usual_.at(KindOf(match));
    auto usual = static_cast<double>(by_bytes.at(match.bytes));
    if (match.bytes < 0) return std::llround(usual);
    const auto factor = BusFactor(match.op, c_.groups[match.group].size);
    if (factor) usual = std::min(usual, OnSlowNetwork(match.bytes, *factor));
    for (const auto& [bytes, time] : by_bytes) {
      if (bytes <= 0) continue;
      const double times = static_cast<double>(match.bytes) / static_cast<double>(bytes);
      usual = std::min(usual, static_cast<double>(time) * std::max(times, 1.0));
    }
    return std::llround(usual);
  }

  void Add(uint32_t index) {
    const CollectiveMatch& match = c_.matches[index];
    if (!Counts(match)) return;
    const Absent& absent = absent_[match.group];
    if (absent.first <= 0) return;
    const auto usual = UsualWhereItWaits(match);
    if (!usual) return;
    const int64_t together = TogetherIn(c_, match);
    out_.by_match[index] = together - *usual;
    AbsentWait& wait = waits_[absent];
    std::tie(wait.absent_count, wait.absent) = absent;
    for (const CollectivePart& part : c_.Parts(match))
      wait.waiting.push_back(c_.ranks[part.rank].rank);
    wait.matches.push_back(index);
    wait.together = AddSaturated(wait.together, together);
    wait.usual = AddSaturated(wait.usual, *usual);
  }

  const Facts& facts_;
  const CollectiveFacts& c_;
  std::set<int64_t> recorded_;
  std::vector<Absent> absent_;                        // of each group
  std::map<Kind, std::map<int64_t, int64_t>> usual_;  // ns, by bytes
  std::map<Alike, Rise> rises_;
  std::map<Absent, AbsentWait> waits_;
  AbsentWaits out_;
};

// How many steps of any rank there are before a number, and from it on.
std::pair<int64_t, int64_t> CountSteps(const Facts& facts, int64_t since) {
  std::set<int64_t> before, later;
  for (const RankActivity& rank : facts.ranks) {
    for (const Step& step : rank.steps) (step.number < since ? before : later).insert(step.number);
  }
  return {std::ssize(before), std::ssize(later)};
}

AbsentWaits FindAbsentWaits(const Facts& facts) { return Finder(facts).Find(); }

}  // namespace

int64_t TogetherIn(const CollectiveFacts& facts, const CollectiveMatch& match) {
  return std::ranges::min(facts.Parts(match), {}, &CollectivePart::duration).duration();
}

const AbsentWaits& AbsentWaitsOf(const Facts& facts) {
  return facts.memo.Of<FindAbsentWaits>(facts);
}

std::optional<int64_t> AbsentSince(const Facts& facts, const AbsentWait& wait) {
  constexpr double kLeftBefore = 0.2;  // of what they wait since then
  const AbsentWaits& waits = AbsentWaitsOf(facts);
  std::map<int64_t, int64_t> by_step;
  for (const RankActivity& rank : facts.ranks) {
    for (const Step& step : rank.steps) by_step[step.number] = 0;
  }
  for (const uint32_t match : wait.matches) {
    const auto step = StepOf(facts, facts.collectives.matches[match]);
    if (step) by_step[*step] = AddSaturated(by_step[*step], waits.by_match[match]);
  }
  std::vector<int64_t> sums;
  for (const auto& [step, sum] : by_step) sums.push_back(sum);
  const auto at_step = [&](size_t at) {
    return std::next(by_step.begin(), static_cast<std::ptrdiff_t>(at))->first;
  };
  const auto begins = [](double before, double now) {
    return now > 0 && before <= kLeftBefore * now;
  };
  const auto change = FindChangePoint(sums, 0);
  if (change && begins(change->before, change->since)) return at_step(change->at);
  // On a busy machine ranks are late in other steps, too, which only adds.
  double all = 1;
  for (const int64_t sum : sums) all += static_cast<double>(sum);
  const double least = all / static_cast<double>(2 * sums.size());
  const auto rise = FindRise(sums, {.least = least, .times = kTimesUsual});
  if (!rise || rise->end < sums.size() || !begins(rise->before, rise->since)) return std::nullopt;
  return at_step(rise->at);
}

AbsentWait WaitSince(const Facts& facts, const AbsentWait& wait, int64_t since) {
  const AbsentWaits& waits = AbsentWaitsOf(facts);
  AbsentWait later{
      .waiting = wait.waiting, .absent = wait.absent, .absent_count = wait.absent_count};
  for (const uint32_t m : wait.matches) {
    const CollectiveMatch& match = facts.collectives.matches[m];
    const auto step = StepOf(facts, match);
    if (!step || *step < since) continue;
    const int64_t together = TogetherIn(facts.collectives, match);
    later.matches.push_back(m);
    later.together = AddSaturated(later.together, together);
    later.usual = AddSaturated(later.usual, SubtractSaturated(together, waits.by_match[m]));
  }
  return later;
}

AbsentRise AbsentRiseSince(const Facts& facts, int64_t since) {
  const AbsentWaits& waits = AbsentWaitsOf(facts);
  const auto [steps_before, steps_later] = CountSteps(facts, since);
  AbsentRise most;
  if (steps_before == 0 || steps_later == 0) return most;
  for (const AbsentWait& wait : waits.of_absent) {
    int64_t before = 0, later = 0;
    for (const uint32_t match : wait.matches) {
      const auto step = StepOf(facts, facts.collectives.matches[match]);
      if (!step) continue;
      int64_t& sum = *step < since ? before : later;
      sum = AddSaturated(sum, waits.by_match[match]);
    }
    const int64_t difference = later / steps_later - before / steps_before;
    if (difference > most.difference) most = {&wait, difference};
  }
  return most;
}

}  // namespace stepscope
