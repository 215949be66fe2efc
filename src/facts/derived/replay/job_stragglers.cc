// Replays the graph with what each part of the job takes, and with what it should take.
#include "facts/derived/replay/job_stragglers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "base/robust.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/replay/job_lags.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/own_work.h"

namespace stepscope {
namespace {

constexpr size_t kMostWorkers = 16;

// What can take what it took while the rest takes what it should.
enum class WorkType : uint8_t { kCompute, kHost, kCollectives, kMessages, kCount };
constexpr auto kWorkTypes = static_cast<size_t>(WorkType::kCount);
constexpr std::array<std::string_view, kWorkTypes> kWorkTypeNames = {
    "compute", "host", "collective transfers", "message transfers"};

WorkType TypeOfUnit(UnitKind kind) {
  return kind == UnitKind::kDevice ? WorkType::kCompute : WorkType::kHost;
}

// What each unit and transfer should take.
struct IdealWork {
  struct Unit {
    float share = 1;  // of what it took
    WorkType type = WorkType::kHost;
  };
  std::vector<std::vector<Unit>> units;  // by rank, then unit
  std::vector<int64_t> excess;           // ns that the units of each rank take beyond
  std::vector<int64_t> transfers;        // ns, of each of JobGraph::members
  int64_t unsized = 0;
};

struct MeanTime {
  double sum = 0, count = 0;
};

// The mean over ranks with the same work, and steps but the first.
void FindIdealUnits(const JobGraph& graph, IdealWork& ideal) {
  std::map<uint32_t, std::map<WorkName, std::vector<MeanTime>>> means;  // by first peer
  const size_t first = graph.FirstSince(std::nullopt);
  for (const OwnWork& own : graph.work) {
    auto& of_peers = means[own.peers.front()];
    for (const UnitRun& run : own.runs) {
      if (run.step < first) continue;
      std::vector<MeanTime>& of_units = of_peers[run.of];
      of_units.resize(std::max<size_t>(of_units.size(), run.count));
      for (uint32_t n = 0; n < run.count; ++n) {
        of_units[n].sum += static_cast<double>(own.TimesOf(run)[n]);
        ++of_units[n].count;
      }
    }
  }
  for (const OwnWork& own : graph.work) {
    auto& of_peers = means[own.peers.front()];
    auto& units = ideal.units.emplace_back(own.times.size());
    int64_t& excess = ideal.excess.emplace_back(0);
    for (const UnitRun& run : own.runs) {
      const std::vector<MeanTime>& of_units = of_peers[run.of];
      for (uint32_t n = 0; n < run.count; ++n) {
        const int64_t time = own.TimesOf(run)[n];
        IdealWork::Unit& unit = units[run.first + n];
        unit.type = TypeOfUnit(run.of.kind);
        if (n >= of_units.size()) continue;
        const double mean = of_units[n].sum / of_units[n].count;
        if (time > 0) unit.share = static_cast<float>(mean / static_cast<double>(time));
        excess = AddSaturated(excess, SubtractSaturated(time, RoundToInt64(mean)));
      }
    }
  }
}

// The median over members with the same group, kind and size.
void FindIdealTransfers(const Facts& facts, const JobGraph& graph, IdealWork& ideal) {
  using Alike = std::tuple<bool, uint32_t, CollectiveOp, int64_t>;
  const auto alike = [&](const JobMember& member) -> std::optional<Alike> {
    const CollectiveMatch& of = MatchOfPart(facts.collectives, member.part);
    if (of.bytes < 0) return std::nullopt;
    const JobInstance& instance = graph.instances[member.instance];
    return Alike(instance.message, instance.group, of.op, of.bytes);
  };
  std::map<Alike, std::vector<double>> transfers;
  for (const JobMember& member : graph.members)
    if (const auto of = alike(member))
      transfers[*of].push_back(static_cast<double>(member.transfer));
  std::map<Alike, int64_t> medians;
  for (auto& [of, times] : transfers) medians[of] = ToInt64(Median(std::move(times)));
  for (const JobMember& member : graph.members) {
    const auto of = alike(member);
    if (!of) ++ideal.unsized;
    ideal.transfers.push_back(of && member.transfer >= 0 ? medians[*of] : member.transfer);
  }
}

// The ideal, but what was chosen takes what it took.
class StragglerLags {
 public:
  StragglerLags(const JobGraph& graph, const IdealWork& ideal, const ExplainedLags& explained)
      : graph_(graph), ideal_(ideal), explained_(explained), ranks_(graph.ranks.size(), false) {}

  StragglerLags& KeepType(WorkType type) {
    types_[static_cast<size_t>(type)] = true;
    return *this;
  }
  StragglerLags& KeepRank(uint32_t rank) {
    ranks_[rank] = true;
    return *this;
  }
  StragglerLags& KeepAll() {
    types_.fill(true);
    return *this;
  }
  // After KeepAll(): all but these ranks, which take what they should.
  StragglerLags& RestoreRanks(std::vector<bool> ranks) {
    restored_ = std::move(ranks);
    return *this;
  }

  int64_t Of(uint32_t rank, uint32_t edge) const {
    const int64_t lag = explained_.Of(rank, edge);
    const uint32_t u = graph_.work[rank].unit_of[edge];
    if (u == kNowhere) return lag;
    const IdealWork::Unit& unit = ideal_.units[rank][u];
    if (Keeps(rank, unit.type)) return lag;
    return RoundToInt64(static_cast<double>(lag) * static_cast<double>(unit.share));
  }
  int64_t OfTransfer(const JobMember& member) const {
    const bool message = graph_.instances[member.instance].message;
    if (Keeps(member.rank, message ? WorkType::kMessages : WorkType::kCollectives))
      return member.transfer;
    return ideal_.transfers[static_cast<size_t>(&member - graph_.members.data())];
  }
  static bool Waits(const JobInstance& /*instance*/) { return true; }

 private:
  bool Keeps(uint32_t rank, WorkType type) const {
    if (!restored_.empty() && restored_[rank]) return false;
    return ranks_[rank] || types_[static_cast<size_t>(type)];
  }

  const JobGraph& graph_;
  const IdealWork& ideal_;
  const ExplainedLags& explained_;
  std::array<bool, kWorkTypes> types_{};
  std::vector<bool> ranks_, restored_;
};

class JobStragglerAsker {
 public:
  explicit JobStragglerAsker(const Facts& facts) : graph_(JobGraphOf(facts)), explained_(graph_) {
    FindIdealUnits(graph_, ideal_);
    FindIdealTransfers(facts, graph_, ideal_);
  }

  JobStragglers Ask() {
    JobStragglers out;
    StragglerCost& cost = out.cost;
    const std::vector<int64_t> recorded = StepLengths(graph_, RecordedTimes(graph_));
    const std::vector<int64_t> no_delay = Lengths(Lags().KeepAll());
    const std::vector<int64_t> ideal = Lengths(Lags());
    for (size_t s = First(); s < graph_.steps.size(); ++s)
      cost.steps.push_back({graph_.steps[s], recorded[s], no_delay[s], ideal[s], no_delay[s]});
    cost.recorded = MeanStep(recorded);
    cost.no_delay = MeanStep(no_delay);
    cost.ideal = MeanStep(ideal);
    AskTypes(cost);
    AskRanks(cost);
    for (const OwnWork& own : graph_.work) out.alone += own.HasPeers() ? 0 : 1;
    out.unsized = ideal_.unsized;
    return out;
  }

 private:
  StragglerLags Lags() const { return {graph_, ideal_, explained_}; }

  std::vector<int64_t> Lengths(const StragglerLags& lags) const {
    StopIfAsked();
    return StepLengths(graph_, ReplayJob(graph_, lags));
  }

  size_t First() const { return graph_.FirstSince(std::nullopt); }

  double MeanStep(const std::vector<int64_t>& lengths) const {
    double sum = 0;
    for (size_t s = First(); s < lengths.size(); ++s) sum += static_cast<double>(lengths[s]);
    return sum / static_cast<double>(lengths.size() - First());
  }

  void AskTypes(StragglerCost& cost) const {
    for (size_t t = 0; t < kWorkTypes; ++t) {
      const auto type = static_cast<WorkType>(t);
      cost.types.push_back({.name = std::string(kWorkTypeNames[t]),
                            .step = MeanStep(Lengths(Lags().KeepType(type))),
                            .communicates = type >= WorkType::kCollectives});
    }
    std::ranges::stable_sort(cost.types, std::greater(), &StragglerPart::step);
  }

  void AskRanks(StragglerCost& cost) const {
    std::vector<std::pair<int64_t, uint32_t>> order;
    for (uint32_t r = 0; r < graph_.ranks.size(); ++r) order.emplace_back(-ideal_.excess[r], r);
    std::ranges::sort(order);
    order.resize(std::min(order.size(), kMostWorkers));
    std::vector<std::pair<StragglerWorker, uint32_t>> workers;
    for (const auto& [excess, rank] : order) {
      workers.push_back({{.rank = graph_.ranks[rank].rank->rank,
                          .step = MeanStep(Lengths(Lags().KeepRank(rank)))},
                         rank});
    }
    std::ranges::stable_sort(workers, {}, [](const auto& each) { return -each.first.step; });
    std::vector<bool> slowest(graph_.ranks.size(), false);
    for (size_t i = 0; i < workers.size(); ++i) {
      workers[i].first.slowest = i < SlowestWorkers(graph_.ranks.size());
      slowest[workers[i].second] = workers[i].first.slowest;
      cost.workers.push_back(workers[i].first);
    }
    const std::vector<int64_t> without = Lengths(Lags().KeepAll().RestoreRanks(std::move(slowest)));
    cost.without_workers = MeanStep(without);
    for (size_t s = First(); s < without.size(); ++s)
      cost.steps[s - First()].without_workers = without[s];
  }

  const JobGraph& graph_;
  ExplainedLags explained_;
  IdealWork ideal_;
};

JobStragglers AskStragglers(const Facts& facts) { return JobStragglerAsker(facts).Ask(); }

}  // namespace

const JobStragglers& JobStragglersOf(const Facts& facts) {
  return facts.memo.Of<AskStragglers>(facts);
}

}  // namespace stepscope
