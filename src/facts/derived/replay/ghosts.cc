// Walks the instances with absent members in the order of their ends.
#include "facts/derived/replay/ghosts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/robust.h"
#include "base/saturate.h"
#include "base/time_units.h"
#include "facts/derived/collectives/absent_ranks.h"

namespace stepscope {
namespace {

constexpr int64_t kLeastLate = 5 * kMicrosecond;
constexpr double kFarBeyond = 6;    // deviations of usual transfers
constexpr size_t kEnough = 8;       // instances, to know what is usual without any that is whole
constexpr double kTimesSpread = 4;  // of the shorter quarter

struct Usual {
  int64_t time = 0;  // ns, of a transfer
  int64_t late = 0;  // from how much more on somebody came late
};

// Operation, size of the group, bytes.
using TransferKind = std::tuple<CollectiveOp, int64_t, int64_t>;

class GhostMaker {
 public:
  GhostMaker(const Facts& facts, JobGraph& graph)
      : facts_(facts),
        c_(facts.collectives),
        graph_(graph),
        begins_(graph.instances.size(), kNoTime) {}

  void Make(std::vector<GhostInstance>& some) {
    std::vector<bool> lacks(graph_.instances.size(), false);
    for (const GhostInstance& g : some) {
      if (g.index != kNowhere) lacks[g.index] = true;
    }
    CollectUsual(lacks);
    std::vector<std::pair<int64_t, GhostInstance*>> order;
    for (GhostInstance& g : some) order.emplace_back(EndOf(g), &g);
    std::ranges::stable_sort(order, {}, [](const auto& o) { return o.first; });
    for (const auto& [end, g] : order) Add(*g, end);
    std::ranges::sort(graph_.followers);
  }

 private:
  int64_t TimeOf(uint32_t rank, uint32_t moment) const { return graph_.ranks[rank].TimeOf(moment); }

  int64_t EndOf(const GhostInstance& g) const {
    int64_t end = INT64_MAX;
    for (const JobMember& m : g.members) end = std::min(end, TimeOf(m.rank, m.end));
    return end;
  }

  int64_t BeginOf(std::span<const JobMember> members) const {
    int64_t begins = kNoTime;
    for (const JobMember& m : members) begins = std::max(begins, TimeOf(m.rank, m.start));
    return begins;
  }

  TransferKind KindOf(const JobInstance& instance, const JobMember& member) const {
    const CollectiveMatch& match = MatchOfPart(c_, member.part);
    const bool message = instance.message;
    return {message ? CollectiveOp::kSend : match.op, message ? 2 : c_.groups[match.group].size,
            match.bytes};
  }

  void CollectUsual(const std::vector<bool>& lacks) {
    std::map<TransferKind, std::vector<int64_t>> transfers, lacking;
    for (uint32_t i = 0; i < graph_.instances.size(); ++i) {
      const auto members = graph_.Members(graph_.instances[i]);
      begins_[i] = BeginOf(members);
      const int64_t least = std::ranges::min(members, {}, &JobMember::transfer).transfer;
      auto& of_these = lacks[i] ? lacking : transfers;
      if (least >= 0) of_these[KindOf(graph_.instances[i], members.front())].push_back(least);
    }
    for (auto& [kind, values] : transfers) {
      const int64_t usual = UpperMedian(values);
      const double deviation = kDeviationPerMad * static_cast<double>(MadOf(values));
      usual_[kind] = {usual, AddSaturated(kLeastLate, ToInt64(kFarBeyond * deviation))};
    }
    for (auto& [kind, values] : lacking) {
      if (!usual_.contains(kind) && values.size() >= kEnough) usual_[kind] = UsualOfShorter(values);
    }
  }

  // Of instances that all lack a rank: as long as in the quarter of them in which it came first.
  static Usual UsualOfShorter(std::vector<int64_t>& values) {
    std::ranges::sort(values);
    const int64_t quartile = values[values.size() / 4];
    const int64_t spread = SubtractSaturated(quartile, values.front());
    return {quartile,
            AddSaturated(kLeastLate, ToInt64(kTimesSpread * static_cast<double>(spread)))};
  }

  // Nothing: that is not known. Of a kind with few instances it is where they wait by far.
  std::optional<Usual> UsualOf(const GhostInstance& g) const {
    const auto usual = usual_.find(KindOf(g.instance, g.members.front()));
    if (usual != usual_.end()) return usual->second;
    if (g.instance.message) return std::nullopt;
    const CollectiveMatch& match = MatchOfPart(c_, g.members.front().part);
    const auto index = static_cast<size_t>(&match - c_.matches.data());
    const int64_t waits = AbsentWaitsOf(facts_).by_match[index];
    if (waits <= 0) return std::nullopt;
    return Usual{SubtractSaturated(TogetherIn(c_, match), waits), kLeastLate};
  }

  void Add(GhostInstance& g, int64_t end) {
    const auto usual = UsualOf(g);
    if (!usual) return;
    const int64_t came = BeginOf(g.members);
    int64_t begins = SubtractSaturated(end, usual->time);
    const bool late = begins > AddSaturated(came, usual->late);
    if (!late) begins = std::max(begins, came);
    if (g.index == kNowhere) AddInstance(g);
    JobInstance& instance = graph_.instances[g.index];
    if (late) {
      ++graph_.ghosts;
      instance.ghost = begins;
      for (uint32_t m = instance.first; m < instance.first + instance.count; ++m) {
        JobMember& member = graph_.members[m];
        member.transfer = SubtractSaturated(TimeOf(member.rank, member.end), begins);
      }
      Follow(g, instance, begins);
    }
    begins_[g.index] = begins;
    for (const int64_t rank : g.absent) last_of_[rank] = g.index;
  }

  void AddInstance(GhostInstance& g) {
    g.index = static_cast<uint32_t>(graph_.instances.size());
    g.instance.first = static_cast<uint32_t>(graph_.members.size());
    g.instance.count = static_cast<uint32_t>(g.members.size());
    for (JobMember member : g.members) {
      member.instance = g.index;
      member.transfer = SubtractSaturated(TimeOf(member.rank, member.end), BeginOf(g.members));
      graph_.members.push_back(member);
    }
    graph_.instances.push_back(g.instance);
    begins_.push_back(kNoTime);
  }

  // Of several that may be the last, the first that was seen before.
  void Follow(const GhostInstance& g, JobInstance& instance, int64_t begins) {
    for (const int64_t rank : g.absent) {
      const auto before = last_of_.find(rank);
      if (before == last_of_.end() || before->second == g.index) continue;
      instance.after = before->second;
      const int64_t lag = SubtractSaturated(begins, begins_[before->second]);
      instance.ghost = std::max<int64_t>(lag, 0);
      graph_.followers.emplace_back(before->second, g.index);
      return;
    }
  }

  const Facts& facts_;
  const CollectiveFacts& c_;
  JobGraph& graph_;
  std::vector<int64_t> begins_;  // of each instance, as recorded
  std::map<TransferKind, Usual> usual_;
  std::map<int64_t, uint32_t> last_of_;  // of each absent rank, the last instance so far
};

}  // namespace

void AddGhosts(const Facts& facts, std::vector<GhostInstance> some, JobGraph& graph) {
  if (!some.empty()) GhostMaker(facts, graph).Make(some);
}

}  // namespace stepscope
