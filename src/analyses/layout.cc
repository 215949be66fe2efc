// Reports how ranks share the work: the parallel layout of the job, and what each kind of group
// costs.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/layout_findings.h"
#include "analyses/layout_tables.h"
#include "analyses/partial_note.h"
#include "facts/derived/layout/kind_times.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/paths/dependencies.h"
#include "report/humanize.h"

namespace stepscope {
namespace layout {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How do the ranks share the work, and which kind of process group costs what?

**Definition:** Kinds of process groups are `dp` (replicas of the model, or its shards), `pp` (stages of a pipeline), `cp`
(parts of a sequence), `tp` (parts of a layer), `ep` (experts; `edp` their replicas, `etp` their parts) and `all ranks`.
A kind is described by the framework (`mesh_tp` of a DeviceMesh, `TENSOR_MODEL_PARALLEL_GROUP` of Megatron-LM), or
inferred: `pp` from a chain of sends and receives, in which the first rank begins steps with a send and the last with a
receive; `dp` where DDP or FSDP ran and one group of all ranks only reduces and gathers, or where reductions begin after
half of the other collectives of a step; `tp` where neighbouring ranks reduce 4 times per step or more, beginning before a
quarter of the others; `ep` from all-to-alls in a job with operators of experts. What fits two kinds is `dp or tp`.

The kinds are a grid, `dp 2 x pp 4 x tp 2`, where groups of different kinds share at most one rank and the sizes multiply to
the number of ranks. A coordinate is the place in the group. `exposed` counts for both of two kinds that communicate
at once.

`stages`: bubble = 1 - busy / step, where messages of the pipeline and collectives of all ranks are not busy. The ideal
bubble of p stages, m microbatches and v chunks per stage is (p-1) / (v m + p-1) (Huang et al. 2019; Narayanan et al.
2021). A stage sends v m messages per step to the next, and the last sends (v-1) m to the first; of two stages, v is 1.

`experts`: of each all-to-all, the compute until the next. `loss` is the largest of ranks minus the mean.

**Limitations:** Stages that send several tensors per microbatch have an ideal bubble that is too small. Kernels that
exchange tokens themselves (DeepEP) are not among the all-to-alls.

**Interpretation:** Begin with the kind that has the most exposed time. Tensor parallelism belongs within a host. A bubble
above its ideal is due to unequal stages or late ranks (`stragglers`); loss, to unequal loads of experts.
)md";

Phrase SayRankCount(const ProcessGroups& groups, const Facts& facts) {
  const auto world = static_cast<size_t>(std::max<int64_t>(groups.world, 1));
  const Phrase ranks = Plural(world, groups.devices ? "device" : "rank");
  const auto recorded = std::ssize(facts.collectives.ranks);
  return recorded < groups.world ? Say("{ranks} ({recorded} recorded)", ranks, recorded) : ranks;
}

// "ep": kinds that are known, of groups whose members are not.
std::string SayKinds(const ParallelLayout& found) {
  std::string text;
  for (const GroupClass& c : found.classes) {
    const bool says = c.kind != ParallelKind::kUnknown && c.kind != ParallelKind::kAllRanks;
    if (says) text += fmt::format("{}{}", text.empty() ? "" : ", ", c.label);
  }
  return text;
}

Phrase SayLayout(const ParallelLayout& found) {
  Phrase text = found.Say();
  if (text.empty()) {
    const std::string kinds = SayKinds(found);
    const bool is_one =
        found.classes.size() == 1 && found.classes.front().kind == ParallelKind::kAllRanks;
    if (is_one) return "one group of all, for several uses";
    if (kinds.empty()) return "what process groups are for is not known";
    return Say("{kinds} (not a grid: members are not known, or groups overlap)", kinds);
  }
  for (const GroupClass& c : found.classes) {
    const bool experts = c.kind == ParallelKind::kExpert && c.size > 1;
    const auto index = static_cast<uint32_t>(&c - found.classes.data());
    if (experts && std::ranges::find(found.axes, index) == found.axes.end())
      text += Say(", {kind} {size} across these", c.label, c.size);
  }
  return found.is_grid ? text : Say("{layout} (not a grid: {problem})", text, found.problem);
}

// "exposed communication: tp 12.0%, pp 3.1% of span"; the largest first.
Phrase SayExposed(const ParallelLayout& found, const KindTimes& times) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t c = 0; c < times.classes.size(); ++c) {
    if (times.classes[c].calls > 0) order.emplace_back(-times.classes[c].exposed, c);
  }
  std::ranges::sort(order);
  std::string text;
  constexpr size_t kMost = 4;
  for (size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    const auto& [exposed, c] = order[i];
    if (times.span == 0) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found.classes[c].label,
                        HumanRatio(Share(-exposed, times.span)));
  }
  return text.empty() ? Phrase() : Say("; exposed communication: {kinds} of span", text);
}

void AddPipeline(Report& report, const Facts& facts) {
  const ModelPipeline& pipeline = PipelineOf(facts);
  if (pipeline.stages.empty()) return;
  report.metrics.push_back({"bubble_ratio", "bubble, % of step", pipeline.bubble, Unit::kRatio});
  if (pipeline.ideal)
    report.metrics.push_back(
        {"ideal_bubble_ratio", "ideal bubble, % of step", *pipeline.ideal, Unit::kRatio});
  if (!pipeline.unknown.empty())
    report.notes.push_back(
        {"ideal_bubble", 1, Say("the ideal bubble is not known: {why}", pipeline.unknown), ""});
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kLayout, facts);
  if (report.status == Status::kUnavailable) return report;
  if (facts.collectives.matches.empty()) {
    MakeUnavailable(report, NoCommunication(facts));
    return report;
  }
  const ProcessGroups& groups = ProcessGroupsOf(facts);
  const ParallelLayout& found = ParallelLayoutOf(facts);
  report.headline = Say("{ranks}: {layout}{exposed}.", SayRankCount(groups, facts),
                        SayLayout(found), SayExposed(found, KindTimesOf(facts)));
  report.metrics = {
      {"world", groups.devices ? "devices" : "ranks", groups.world, Unit::kCount},
      {"grid", "grid", TextCell(found.is_grid ? found.Say() : ""), Unit::kNone, true}};
  AddPipeline(report, facts);
  report.tables = {LayoutGroups(facts), LayoutRanks(facts)};
  for (Table& table : std::vector<Table>{LayoutStages(facts), LayoutExperts(facts)}) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
  AddBubbleFinding(report, facts);
  AddKindFinding(report, facts);
  AddExpertFinding(report, facts);
  NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace layout

const Analysis kLayout = {
    .name = "layout",
    .title = "Parallel layout",
    .label = "Layout",
    .group = AnalysisGroup::kRanks,
    .summary = "How ranks share the work, and what each kind of process group costs",
    .doc = layout::kDoc,
    .needs = kDependencyNeeds,
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &layout::Run,
};

}  // namespace stepscope
