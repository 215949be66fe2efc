// Finds what each change is about.
#include "facts/derived/replay/change_lags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/word_pattern.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/replay/change_formulas.h"
#include "facts/derived/replay/expected_work.h"
#include "facts/derived/replay/function_lags.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/steps/of_partials.h"

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
      const Phrase why = MakeOne(change);
      if (!why.empty() && asked_.absent.empty())
        asked_.absent = Say("'{change}' concerns nothing: {why}", change.text, why);
    }
    return std::move(asked_);
  }

 private:
  using Target = JobChange::Target;

  // What partials do not tell: which kernel or operator it was, and what a host did: of its gaps
  // not which were waits for input.
  static bool NeedsTraces(const JobChange& change) {
    using enum JobChange::Target;
    const bool named = change.target == kRanks &&
                       (change.part == WorkPart::kKernel || change.part == WorkPart::kOperator ||
                        change.part == WorkPart::kBefore);
    return named || change.target == kKernel || change.target == kOperator ||
           change.target == kPython || change.target == kInput || change.target == kHostGaps;
  }

  // Why it concerns nothing; empty: it does.
  Phrase MakeOne(const JobChange& change) {
    if (IsOfPartials(facts_) && NeedsTraces(change)) return "partials do not tell: ask the traces";
    switch (change.target) {
      case Target::kRanks:
        return ChangeRanks(change);
      case Target::kKernel:
        return ScaleKernels(change);
      case Target::kOperator:
        return ScaleOperators(change);
      case Target::kPython:
        if (!HasPython(facts_)) return "the traces have no Python functions";
        if (ScaleFunctions(facts_, change.pattern, change.factor, asked_.lags)) return "";
        return OthersRunFunctions(facts_, change.pattern)
                   ? "threads run it that do not train, and when these hold up the one that does "
                     "is not recorded"
                   : "no Python function of this name was recorded in the steps";
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
        return EnlargeBuckets(facts_, change.factor, asked_);
      case Target::kMicrobatches:
        return ChangeMicrobatches(facts_, change.count, asked_);
      case Target::kHostGaps:
        return ScaleBounds({Bound::kCpu, Bound::kLaunch}, 0) ? "" : "the host decides nothing";
    }
    return "";
  }

  bool ScaleBounds(std::initializer_list<Bound> bounds, double factor) {
    for (const Bound bound : bounds) asked_.lags.ScaleBound(bound, factor);
    const auto is_meant = [&](const JobEdge& edge) {
      return std::ranges::find(bounds, edge.bound) != bounds.end();
    };
    return std::ranges::any_of(graph_.ranks, [&](const JobRank& job) {
      return std::ranges::any_of(job.graph.edges, is_meant);
    });
  }

  // A factor of 1 is asked for knowingly.
  Phrase ScaleKernels(const JobChange& change) {
    bool any = false;
    for (uint32_t r = 0; r < graph_.ranks.size(); ++r) {
      any = ScalePart(r, WorkPart::kKernel, change) || any;
    }
    return any ? "" : "no kernel or copy has this name; communication is changed by 'link'";
  }

  // What lies within the operators, on each rank, by range.
  Phrase ScaleOperators(const JobChange& change) {
    NamesWith names(*facts_.names, change.pattern);
    bool any = false;
    for (uint32_t r = 0; r < graph_.ranks.size(); ++r) {
      const JobRank& job = graph_.ranks[r];
      const std::vector<bool> inside = RangesWith(*job.rank->host, names);
      const Dependencies labelled = LabelledGraph(job, *facts_.names);
      asked_.lags.ScaleEdges(r, [&](size_t e) {
        const Edge& edge = labelled.edges[e];
        const bool named = edge.reason == Reason::kThread && names.Holds(edge.name);
        const bool within = edge.range != kNoRange && inside[static_cast<size_t>(edge.range)];
        if (!named && !within) return 1.0;
        any = true;
        return change.factor;
      });
    }
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

  bool ScaleGroups(const JobChange& change) {
    const WordPattern pattern(change.pattern);
    bool any = false;
    asked_.lags.ScaleTransfers([&](const JobInstance& instance) {
      const CollectiveGroup& group = facts_.collectives.groups[instance.group];
      const bool meant = change.pattern.empty() || pattern.IsIn(group.label) ||
                         pattern.IsIn(group.description) ||
                         pattern.IsIn(PurposeOf(facts_, graph_, instance));
      if (!meant) return 1.0;
      any = true;
      return change.factor;
    });
    return any;
  }

  // What is matched on no other rank is hidden with all the rest only.
  Phrase Hide(const JobChange& change) {
    bool any = ScaleGroups(change);
    if (change.pattern.empty()) any = ScaleBounds({Bound::kCommunication}, 0) || any;
    return any ? "" : "no communication is known of it";
  }

  Phrase ChangeRanks(const JobChange& change) {
    for (const int64_t rank : change.ranks) {
      if (graph_.IndexOf(rank) == kNowhere)
        return Say("rank {rank} has no trace that takes part in the replay", rank);
    }
    Phrase why = change.stage ? "no such stage of a pipeline was recorded"
                              : "no rank was recorded on this host";
    bool any = false;
    for (uint32_t r = 0; r < graph_.ranks.size(); ++r) {
      const RankActivity& rank = *graph_.ranks[r].rank;
      const bool meant = change.stage          ? IsOfStage(rank.rank, *change.stage)
                         : change.host.empty() ? Holds(change.ranks, rank.rank)
                                               : rank.machine == change.host;
      if (!meant) continue;
      Phrase own = ChangeRank(r, change);
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

  Phrase ChangeRank(uint32_t r, const JobChange& change) {
    const OwnWork& work = graph_.work[r];
    bool any = false;
    if (change.to == JobChange::To::kPeers) {
      if (!work.HasPeers()) return "no other rank does the same work";
      any = TakePart(r, change, ExpectedAsPeers(graph_.work, r));
    } else if (change.to == JobChange::To::kBefore) {
      const auto first = std::ranges::lower_bound(graph_.steps, change.step);
      if (first == graph_.steps.begin()) return "no step before that was recorded";
      if (first == graph_.steps.end()) return "no step since then was recorded";
      const auto index = static_cast<size_t>(first - graph_.steps.begin());
      any = TakePart(r, change, ExpectedAsBefore(work, index));
    } else {
      any = ScalePart(r, change.part, change);
    }
    return any ? "" : "the rank does no such work in complete steps";
  }

  // These have the rank's units of a part changed; false if there are none.
  bool ScalePart(uint32_t r, WorkPart part, const JobChange& change) {
    std::vector<bool> chosen = UnitsOf(r, part, change.pattern);
    if (chosen.empty()) return false;
    asked_.lags.ScaleUnits(r, std::move(chosen), change.factor);
    return true;
  }
  bool TakePart(uint32_t r, const JobChange& change, std::vector<int64_t> expected) {
    const std::vector<bool> chosen = UnitsOf(r, change.part, change.pattern);
    if (chosen.empty()) return false;
    for (size_t u = 0; u < expected.size(); ++u) {
      if (!chosen[u]) expected[u] = graph_.work[r].times[u];
    }
    asked_.lags.TakeUnits(r, expected);
    return true;
  }

  // Empty where there are none.
  std::vector<bool> UnitsOf(uint32_t r, WorkPart part, const std::string& pattern) {
    const OwnWork& work = graph_.work[r];
    NamesWith& names = NamesOf(pattern);
    std::vector<bool> chosen;
    for (const UnitRun& run : work.runs) {
      if (!IsPart(run.of, part, names)) continue;
      chosen.resize(work.times.size());
      std::fill_n(chosen.begin() + run.first, run.count, true);
    }
    return chosen;
  }

  NamesWith& NamesOf(const std::string& pattern) {
    return names_.try_emplace(pattern, *facts_.names, pattern).first->second;
  }

  static bool IsPart(const WorkName& unit, WorkPart part, NamesWith& names) {
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
  std::map<std::string, NamesWith> names_;  // by pattern
  AskedLags asked_;
};

}  // namespace

AskedLags LagsWith(const Facts& facts, std::span<const JobChange> changes) {
  return ChangeMaker(facts).Make(changes);
}

}  // namespace stepscope
