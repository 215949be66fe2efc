// Finds what each change is about.
#include "facts/derived/replay/change_lags.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "base/robust.h"
#include "base/word_pattern.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/derived/replay/expected_work.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

// Which names hold a pattern; each is looked at once.
class NamesWith {
 public:
  NamesWith(const StringTable& names, std::string_view pattern)
      : names_(names), pattern_(pattern), known_(names.size()) {}

  bool Holds(StringId name) {
    if (name == kNoString) return false;
    std::optional<bool>& known = known_[name];
    if (!known) known = pattern_.IsIn(names_[name]);
    return *known;
  }

 private:
  const StringTable& names_;
  WordPattern pattern_;
  std::vector<std::optional<bool>> known_;
};

class ChangeMaker {
 public:
  explicit ChangeMaker(const Facts& facts)
      : facts_(facts), graph_(JobGraphOf(facts)), asked_{.lags = ChangedLags(graph_)} {}

  AskedLags Make(std::span<const JobChange> changes) {
    for (const JobChange& change : changes) {
      const std::string why = MakeOne(change);
      if (!why.empty() && asked_.absent.empty())
        asked_.absent = fmt::format("'{}' concerns nothing: {}", change.text, why);
    }
    return std::move(asked_);
  }

 private:
  using Target = JobChange::Target;

  // Why it concerns nothing; empty: it does.
  std::string MakeOne(const JobChange& change) {
    switch (change.target) {
      case Target::kRanks:
        return ChangeRanks(change);
      case Target::kKernel:
        return ScaleKernels(change);
      case Target::kOperator:
        return ScaleOperators(change);
      case Target::kLink:
        return ScaleGroups(change) ? "" : "no transfer between recorded ranks is known of it";
      case Target::kHidden:
        return Hide(change);
      case Target::kCollectives:
        asked_.lags.WaitForNobody();
        return graph_.instances.empty() ? "no rank is known to wait for another" : "";
      case Target::kInput:
        return ScaleBounds({Bound::kDataLoading}, 0) ? "" : "no wait for input was recorded";
      case Target::kBuckets:
        return EnlargeBuckets(change.factor);
      case Target::kMicrobatches:
        return ChangeMicrobatches(change.count);
      case Target::kHostGaps:
        return ScaleBounds({Bound::kCpu, Bound::kLaunch}, 0) ? "" : "the host decides nothing";
    }
    return "";
  }

  bool Scale(const std::function<double(const JobRank&, const Edge&)>& factor) {
    bool any = false;
    asked_.lags.ScaleEdges([&](const JobRank& job, const Edge& edge) {
      const double by = factor(job, edge);
      any = any || by != 1;
      return by;
    });
    return any;
  }

  bool ScaleBounds(std::initializer_list<Bound> bounds, double factor) {
    return Scale([&](const JobRank& /*job*/, const Edge& edge) {
      return std::ranges::find(bounds, edge.bound) != bounds.end() ? factor : 1;
    });
  }

  // A factor of 1 is asked for knowingly.
  std::string ScaleKernels(const JobChange& change) {
    NamesWith names(*facts_.names, change.pattern);
    bool any = false;
    Scale([&](const JobRank& /*job*/, const Edge& edge) {
      const bool of_work = edge.reason == Reason::kRunning && edge.activity != kNowhere;
      if (!of_work || edge.bound == Bound::kCommunication || !names.Holds(edge.name)) return 1.0;
      any = true;
      return change.factor;
    });
    return any ? "" : "no kernel or copy has this name; communication is changed by 'link'";
  }

  // What lies within the operators, on each rank, by range.
  std::string ScaleOperators(const JobChange& change) {
    NamesWith names(*facts_.names, change.pattern);
    bool any = false;
    const JobRank* of = nullptr;
    std::vector<bool> inside;
    Scale([&](const JobRank& job, const Edge& edge) {
      if (of != &job) {
        of = &job;
        inside = RangesWith(*job.rank->host, names);
      }
      const bool named = edge.reason == Reason::kThread && names.Holds(edge.name);
      const bool within = edge.range != kNoRange && inside[static_cast<size_t>(edge.range)];
      if (!named && !within) return 1.0;
      any = true;
      return change.factor;
    });
    return any ? "" : "no operator, call or annotation has this name";
  }

  static std::vector<bool> RangesWith(const HostOps& host, NamesWith& names) {
    std::vector<bool> inside(host.ranges.size());
    for (size_t r = 0; r < inside.size(); ++r) {
      const HostRange range = host.ranges[r];
      const bool parent = range.parent != kNoRange && inside[static_cast<size_t>(range.parent)];
      inside[r] = parent || names.Holds(range.name);
    }
    return inside;
  }

  // What the group of an instance is for, as "tp".
  std::string_view PurposeOf(const JobInstance& instance) const {
    const CollectivePart& part = facts_.collectives.parts[graph_.members[instance.first].part];
    const ProcessGroups& groups = ProcessGroupsOf(facts_);
    const uint32_t group = groups.Of(facts_.collectives, MatchOf(instance), part);
    if (group == kNobody) return {};
    const ParallelLayout& layout = ParallelLayoutOf(facts_);
    return layout.classes[layout.class_of[group]].label;
  }

  const CollectiveMatch& MatchOf(const JobInstance& instance) const {
    const auto after =
        std::ranges::upper_bound(facts_.collectives.matches, graph_.members[instance.first].part,
                                 {}, &CollectiveMatch::first);
    return *std::prev(after);
  }

  bool ScaleGroups(const JobChange& change) {
    const WordPattern pattern(change.pattern);
    bool any = false;
    asked_.lags.ScaleTransfers([&](const JobInstance& instance) {
      const std::string& group = facts_.collectives.groups[instance.group].label;
      const bool meant =
          change.pattern.empty() || pattern.IsIn(group) || pattern.IsIn(PurposeOf(instance));
      if (!meant) return 1.0;
      any = true;
      return change.factor;
    });
    return any;
  }

  // A call takes `each` beside what its bytes take: a line through the medians of the smallest and
  // the largest size. Larger buckets are fewer calls with the same bytes.
  std::string EnlargeBuckets(double factor) {
    std::map<int64_t, std::vector<int64_t>> transfers;  // by bytes
    for (const JobInstance& instance : graph_.instances) {
      const CollectiveMatch& match = MatchOf(instance);
      if (!IsReduction(match) || match.bytes <= 0) continue;
      transfers[match.bytes].push_back(LeastTransfer(instance));
    }
    if (transfers.size() < 2) return "reductions of two sizes tell what a call takes at least";
    const auto small = transfers.begin(), large = std::prev(transfers.end());
    const auto low = static_cast<double>(UpperMedian(small->second));
    const auto high = static_cast<double>(UpperMedian(large->second));
    const double slope = (high - low) / static_cast<double>(large->first - small->first);
    const double each = low - std::max(slope, 0.0) * static_cast<double>(small->first);
    if (each <= 0) return "reductions take no time beside what their bytes take";
    asked_.lags.ScaleTransfers([&](const JobInstance& instance) {
      const auto now = static_cast<double>(LeastTransfer(instance));
      if (!IsReduction(MatchOf(instance)) || now <= 0) return 1.0;
      return std::clamp((now - each * (1 - 1 / factor)) / now, 0.0, 1000.0);
    });
    asked_.assumption = fmt::format(
        "buckets: a reduction takes {} ns beside what its bytes take, and larger buckets begin as "
        "early",
        ToInt64(each));
    return "";
  }

  static bool IsReduction(const CollectiveMatch& match) {
    return match.op == CollectiveOp::kAllReduce || match.op == CollectiveOp::kReduceScatter;
  }

  int64_t LeastTransfer(const JobInstance& instance) const {
    return std::ranges::min(graph_.Members(instance), {}, &JobMember::transfer).transfer;
  }

  // The bubble of a pipeline of p stages, m microbatches and v chunks per stage is (p-1)/(v*m) of
  // what a stage is busy (facts/derived/layout/pipeline_stages.h).
  std::string ChangeMicrobatches(int64_t count) {
    const ModelPipeline& pipeline = PipelineOf(facts_);
    if (pipeline.depth < 2) return "no pipeline is known";
    if (!pipeline.microbatches || pipeline.stages.empty())
      return pipeline.unknown.empty() ? "its microbatches are not known" : pipeline.unknown;
    double busy = 0;
    for (const ModelStage& stage : pipeline.stages) busy += static_cast<double>(stage.busy);
    busy /= static_cast<double>(pipeline.stages.size());
    const auto idle = [&](int64_t m) {
      return busy * static_cast<double>(pipeline.depth - 1) /
             (static_cast<double>(pipeline.chunks) * static_cast<double>(m));
    };
    asked_.saved_by_formula =
        AddSaturated(asked_.saved_by_formula, ToInt64(idle(*pipeline.microbatches) - idle(count)));
    asked_.assumption = fmt::format(
        "microbatches: {} now; a stage is as busy with other ones, and waits for (p-1)/(v*m) of "
        "that",
        *pipeline.microbatches);
    return "";
  }

  // What is matched on no other rank is hidden with all the rest only.
  std::string Hide(const JobChange& change) {
    bool any = ScaleGroups(change);
    if (change.pattern.empty()) any = ScaleBounds({Bound::kCommunication}, 0) || any;
    return any ? "" : "no communication is known of it";
  }

  std::string ChangeRanks(const JobChange& change) {
    std::string why = change.stage          ? "no such stage of a pipeline was recorded"
                      : change.host.empty() ? "the rank has no trace that takes part in the replay"
                                            : "no rank was recorded on this host";
    bool any = false;
    for (uint32_t r = 0; r < graph_.ranks.size(); ++r) {
      const RankActivity& rank = *graph_.ranks[r].rank;
      const bool meant = change.stage          ? IsOfStage(rank.rank, *change.stage)
                         : change.host.empty() ? Holds(change.ranks, rank.rank)
                                               : rank.machine == change.host;
      if (!meant) continue;
      std::string own = ChangeRank(r, change);
      if (own.empty())
        any = true;
      else
        why = std::move(own);
    }
    return any ? "" : why;
  }

  static bool Holds(const std::vector<int64_t>& ranks, int64_t rank) {
    return std::ranges::find(ranks, rank) != ranks.end();
  }

  bool IsOfStage(int64_t rank, int64_t number) const {
    return std::ranges::any_of(PipelineOf(facts_).stages, [&](const ModelStage& stage) {
      return stage.stage == number && Holds(stage.ranks, rank);
    });
  }

  std::string ChangeRank(uint32_t r, const JobChange& change) {
    const std::vector<OwnWork>& work = OwnWorkOf(facts_);
    const std::vector<OwnUnit>& units = work[r].units;
    std::vector<int64_t> expected;
    if (change.to == JobChange::To::kPeers) {
      if (!work[r].HasPeers()) return "no other rank does the same work";
      expected = ExpectedAsPeers(work, r);
    } else if (change.to == JobChange::To::kBefore) {
      const auto first = std::ranges::lower_bound(graph_.steps, change.step);
      if (first == graph_.steps.begin()) return "no step before that was recorded";
      if (first == graph_.steps.end()) return "no step since then was recorded";
      expected = ExpectedAsBefore(work[r], static_cast<size_t>(first - graph_.steps.begin()));
    } else {
      for (const OwnUnit& unit : units)
        expected.push_back(ToInt64(change.factor * static_cast<double>(unit.time)));
    }
    NamesWith names(*facts_.names, change.pattern);
    bool any = false;
    for (size_t u = 0; u < units.size(); ++u) {
      if (IsPart(units[u], change.part, names))
        any = true;
      else
        expected[u] = units[u].time;
    }
    if (any) asked_.lags.TakeUnits(work[r], r, expected);
    return any ? "" : "the rank does no such work in complete steps";
  }

  static bool IsPart(const OwnUnit& unit, WorkPart part, NamesWith& names) {
    switch (part) {
      case WorkPart::kAll:
        return true;
      case WorkPart::kCompute:
        return unit.kind == UnitKind::kDevice;
      case WorkPart::kHost:
        return unit.kind != UnitKind::kDevice;
      case WorkPart::kKernel:
        return unit.kind == UnitKind::kDevice && names.Holds(unit.name);
      case WorkPart::kOperator:
        return unit.kind == UnitKind::kHost && names.Holds(unit.name);
      case WorkPart::kBefore:
        return unit.kind == UnitKind::kBefore && names.Holds(unit.name);
    }
    return false;
  }

  const Facts& facts_;
  const JobGraph& graph_;
  AskedLags asked_;
};

}  // namespace

AskedLags LagsWith(const Facts& facts, std::span<const JobChange> changes) {
  return ChangeMaker(facts).Make(changes);
}

}  // namespace stepscope
