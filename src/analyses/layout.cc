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
#include "facts/derived/layout/kind_times.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "report/humanize.h"

namespace stepscope {
namespace layout {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How do the ranks share the work, and which kind of process group costs what?

**Definition:** A process group is of a kind: `dp` (data parallel: replicas of the model, or its shards), `pp` (stages of a
pipeline), `cp` (parts of a sequence), `tp` (parts of a layer), `ep` (experts), `edp` and `etp` (replicas and parts of
experts), or `all ranks`. The kind is `described` where the framework described the group (PyTorch's `group_desc`: a
DeviceMesh's "mesh_tp", Megatron-LM's "TENSOR_MODEL_PARALLEL_GROUP"). Else it is `inferred`:
- sends and receives in a chain, whose first rank begins steps with a send and whose last with a receive: `pp`;
- the only group, of all ranks, where DistributedDataParallel or FSDP ran, without all-to-alls: `dp`;
- reductions that begin when at least half of the other groups' collectives of a step have begun: `dp`;
- at least 4 reductions per step among neighbouring ranks, which begin before a quarter of the others': `tp`;
- all-to-alls, in a job with operators or kernels of experts: `ep`.

What fits two kinds is `ambiguous` and has both names, such as `dp or tp`. The kinds are a grid, `dp 2 x pp 4 x tp 2`,
where any two groups of different kinds share at most one rank and the sizes multiply to the number of ranks. A
rank's coordinate is its place in its group.

`exposed` is communication of that kind without concurrent compute. Where groups of two kinds communicate at once, the
time counts for both. `wait` and `transfer` are those of `collectives`; sends and receives are not split.

`stages`: a stage is busy while it neither is idle nor has only messages of the pipeline or collectives of all ranks;
bubble = 1 - busy / step. The ideal bubble of p stages with v chunks of layers each and m microbatches is
(p-1) / (v m + p-1) (GPipe, Huang et al. 2019; with v > 1 Megatron-LM, Narayanan et al. 2021). m is counted from messages:
a stage sends one per microbatch to the next, and the last sends (v-1) m to the first. With two stages, v is taken to be 1.

`experts`: all-to-alls by their place in a step; a layer of experts has one that sends tokens to experts (dispatch) and one
that sends results back (combine). `loss` is the largest compute of a rank until the next all-to-all, minus the mean of ranks.

**Limitations:** Groups that neither communicated nor were described are not known. A chain is not told from
ring attention where one end was not recorded. Stages that send several tensors per microbatch have an ideal bubble that
is too small. Libraries that exchange tokens by kernels of their own (DeepEP) leave no all-to-all.

**Interpretation:** Look first at the kind with the most exposed time. Tensor parallelism belongs within a host.
A bubble above its ideal is caused by unequal stages or late ranks (`stragglers`); a large ideal bubble, by too few
microbatches. Loss between all-to-alls is caused by unequal loads of experts.
)md";

std::string SayRankCount(const ProcessGroups& groups, const Facts& facts) {
  const auto world = static_cast<size_t>(std::max<int64_t>(groups.world, 1));
  std::string text = Plural(world, groups.devices ? "device" : "rank");
  const auto recorded = std::ssize(facts.collectives.ranks);
  if (recorded < groups.world) text += fmt::format(" ({} recorded)", recorded);
  return text;
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

std::string SayLayout(const ParallelLayout& found) {
  std::string text = found.Say();
  if (text.empty()) {
    text = SayKinds(found);
    const bool is_one =
        found.classes.size() == 1 && found.classes.front().kind == ParallelKind::kAllRanks;
    if (is_one) return "one group of all, for several uses";
    return text.empty() ? "what process groups are for is not known"
                        : text + " (not a grid: members are not known, or groups overlap)";
  }
  for (const GroupClass& c : found.classes) {
    const bool experts = c.kind == ParallelKind::kExpert && c.size > 1;
    const auto index = static_cast<uint32_t>(&c - found.classes.data());
    if (experts && std::ranges::find(found.axes, index) == found.axes.end())
      text += fmt::format(", {} {} across these", c.label, c.size);
  }
  return found.is_grid ? text : fmt::format("{} (not a grid: {})", text, found.problem);
}

// "exposed communication: tp 12.0%, pp 3.1% of span"; the largest first.
std::string SayExposed(const ParallelLayout& found, const KindTimes& times) {
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
  return text.empty() ? "" : "; exposed communication: " + text + " of span";
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
        {"ideal_bubble", 1, "the ideal bubble is not known: " + pipeline.unknown, ""});
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
  report.headline = fmt::format("{}: {}{}.", SayRankCount(groups, facts), SayLayout(found),
                                SayExposed(found, KindTimesOf(facts)));
  report.metrics = {{"world", groups.devices ? "devices" : "ranks", groups.world, Unit::kCount}};
  AddPipeline(report, facts);
  report.tables = {LayoutGroups(facts), LayoutRanks(facts)};
  for (Table& table : std::vector<Table>{LayoutStages(facts), LayoutExperts(facts)}) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
  AddBubbleFinding(report, facts);
  AddKindFinding(report, facts);
  AddExpertFinding(report, facts);
  return report;
}

}  // namespace
}  // namespace layout

const Analysis kLayout = {
    .name = "layout",
    .title = "Parallel layout",
    .summary = "How ranks share the work, and what each kind of process group costs",
    .doc = layout::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .params = {},
    .run = &layout::Run,
};

}  // namespace stepscope
