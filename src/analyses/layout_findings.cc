// Says what is certain of a pipeline's bubble, and which groups communication is exposed in.
#include "analyses/layout_findings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/layout/expert_exchanges.h"
#include "facts/derived/layout/kind_times.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr double kBeyondIdeal = 0.1;  // of the step
constexpr double kTimesIdeal = 1.5;
constexpr double kSlowerStage = 1.2;     // times the mean of stages
constexpr double kMinExposed = 0.05;     // of the span
constexpr double kLostByExperts = 0.05;  // of a step
constexpr double kMostly = 2.0 / 3;      // of exposed communication

// "; stage 2 (ranks 4 and 5) is busy for 8.1 ms per step, the mean is 5.2 ms".
Phrase SaySlowStage(const ModelPipeline& pipeline) {
  double sum = 0;
  for (const ModelStage& stage : pipeline.stages) sum += static_cast<double>(stage.busy);
  const double mean = sum / static_cast<double>(pipeline.stages.size());
  const ModelStage& most = *std::ranges::max_element(pipeline.stages, {}, &ModelStage::busy);
  if (static_cast<double>(most.busy) < kSlowerStage * mean) return {};
  return Say("; stage {stage} ({ranks}) is busy for {busy} per step, the mean is {mean}",
             most.stage, SayRanks(most.ranks), HumanTime(static_cast<double>(most.busy)),
             HumanTime(mean));
}

struct MostExposed {
  uint32_t of = 0;  // index into ParallelLayout::classes
  int64_t exposed = 0, all = 0;
  bool alone = false;  // no other class is exposed
};

std::optional<MostExposed> FindMostExposed(const KindTimes& times) {
  MostExposed most{.all = times.other.exposed};
  int64_t classes = times.other.exposed > 0 ? 1 : 0;
  for (uint32_t c = 0; c < times.classes.size(); ++c) {
    const int64_t exposed = times.classes[c].exposed;
    most.all = AddSaturated(most.all, exposed);
    classes += exposed > 0 ? 1 : 0;
    if (exposed > most.exposed) most = {c, exposed, most.all};
  }
  most.alone = classes == 1;
  const bool mostly = static_cast<double>(most.exposed) >= kMostly * static_cast<double>(most.all);
  return mostly && classes > 0 ? std::optional(most) : std::nullopt;
}

// Whether recorded members of one of the groups are on machines of different names.
bool CrossesHosts(const Facts& facts, const GroupClass& c) {
  const ProcessGroups& groups = ProcessGroupsOf(facts);
  if (groups.devices) return false;
  return std::ranges::any_of(c.groups, [&](uint32_t g) {
    std::set<std::string> machines;
    for (const int64_t rank : groups.groups[g].members) {
      for (const RankCollectives& own : facts.collectives.OfRank(rank)) {
        if (!own.machine.empty()) machines.insert(own.machine);
      }
    }
    return machines.size() > 1;
  });
}

// What GroupClass::known_by says, with the name at its end as a field.
Phrase SayKnownBy(const std::string& known_by) {
  constexpr std::string_view kDescribed = "described as ", kExperts = "all-to-all, in a job with ";
  if (known_by.starts_with(kDescribed))
    return Say("described as {name}", Phrase::Name(known_by.substr(kDescribed.size())));
  if (known_by.starts_with(kExperts))
    return Say("all-to-all, in a job with {name}", Phrase::Name(known_by.substr(kExperts.size())));
  return known_by;
}

// Whether the bubble is much larger than its schedule needs. REQUIRES: `ideal` is known.
bool IsBeyondIdeal(const ModelPipeline& pipeline) {
  return pipeline.bubble - *pipeline.ideal >= kBeyondIdeal &&
         pipeline.bubble >= kTimesIdeal * *pipeline.ideal;
}

// Names the bubble, where the exposed communication of a pipeline is what its schedule needs.
void NameBubble(const ModelPipeline& pipeline, Finding& finding) {
  const int64_t twice = 2 * *pipeline.microbatches;
  finding.message = Say(
      "Pipeline stages are idle for {share} of step: {stages} stages and {count} microbatches need "
      "{ideal}.",
      HumanRatio(pipeline.bubble), pipeline.depth, *pipeline.microbatches,
      HumanRatio(*pipeline.ideal));
  finding.hint =
      Say("more microbatches per step ({count} need {ideal}), or more chunks of layers per stage: "
          "an interleaved schedule",
          twice, HumanRatio(IdealBubble(pipeline.depth, pipeline.chunks * twice)));
  finding.impact = ToInt64(pipeline.bubble * static_cast<double>(pipeline.step));
  finding.extent = {.time = pipeline.step, .steps = 1};
  finding.table = "stages";
}

Phrase AdviceFor(ParallelKind kind, bool crosses) {
  switch (kind) {
    case ParallelKind::kTensor:
      return crosses ? "number ranks so that each tp group is within one host"
                     : "make tp groups smaller, or overlap them: sequence parallelism, "
                       "asynchronous tensor parallelism";
    case ParallelKind::kPipeline:
      return "more microbatches, or stages that take equally long: see stages";
    case ParallelKind::kData:
      return "overlap gradients with the backward pass, and reduce them once per optimizer step";
    case ParallelKind::kExpert:
      return "balance the experts: see experts; overlap all-to-alls with shared experts or "
             "another microbatch";
    case ParallelKind::kContext:
      return "overlap the exchange of keys and values with attention";
    default:
      return "see groups for what each kind costs";
  }
}

}  // namespace

void AddBubbleFinding(Report& report, const Facts& facts) {
  const ModelPipeline& pipeline = PipelineOf(facts);
  if (!pipeline.ideal || pipeline.step == 0 || !IsBeyondIdeal(pipeline)) return;
  const double beyond = pipeline.bubble - *pipeline.ideal;
  report.findings.push_back(
      {.message = Say("The pipeline's bubble is {share} of step; its schedule needs {ideal}.",
                      HumanRatio(pipeline.bubble), HumanRatio(*pipeline.ideal)),
       .because = Say("{stages} stages, {count} microbatches per step by their messages{slow}",
                      pipeline.depth, *pipeline.microbatches, SaySlowStage(pipeline)),
       .hint = "make stages take equally long, and see stragglers for ranks that are late",
       .impact = ToInt64(beyond * static_cast<double>(pipeline.step)),
       .table = "stages",
       .cause = {CauseKind::kWait},
       .extent = {.time = pipeline.step, .steps = 1},
       .at_most = facts.OnHost() ? Severity::kMedium : Severity::kHigh});
}

void AddKindFinding(Report& report, const Facts& facts) {
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  const KindTimes& times = KindTimesOf(facts);
  const auto most = FindMostExposed(times);
  if (!most || times.span == 0 || facts.devices.empty()) return;
  const GroupClass& c = layout.classes[most->of];
  if (c.kind == ParallelKind::kUnknown) return;
  const ModelPipeline& pipeline = PipelineOf(facts);
  const bool scheduled = c.kind == ParallelKind::kPipeline && pipeline.ideal && pipeline.step > 0;
  if (scheduled ? IsBeyondIdeal(pipeline) : most->alone) return;  // told by others
  const double share = static_cast<double>(most->exposed) / static_cast<double>(times.span);
  if (share < kMinExposed) return;
  const bool crosses = c.kind == ParallelKind::kTensor && CrossesHosts(facts, c);
  const KindTime& time = times.classes[most->of];
  // What ranks wait for is a matter of late ones.
  const int64_t waited = std::min(time.wait.value_or(0), time.exposed);
  const bool waits = c.kind == ParallelKind::kPipeline || waited > time.exposed / 2;
  const auto devices = static_cast<int64_t>(facts.devices.size());
  report.findings.push_back(
      {.message = crosses
                      ? Say("Exposed communication is mostly of {kind} groups, which reach across "
                            "hosts: {share} of span.",
                            c.label, HumanRatio(share))
                      : Say("Exposed communication is mostly of {kind} groups: {share} of span.",
                            c.label, HumanRatio(share)),
       .because = Say("{time} of {all} exposed per device; {known}",
                      HumanTime(static_cast<double>(most->exposed / devices)),
                      HumanTime(static_cast<double>(most->all / devices)), SayKnownBy(c.known_by)),
       .hint = AdviceFor(c.kind, crosses),
       .impact = (waits ? most->exposed : most->exposed - waited) / devices,
       .table = "groups",
       .cause = {waits ? CauseKind::kWait : CauseKind::kCommunication},
       .nearness = crosses && !waits ? Nearness::kPart : Nearness::kSymptom,
       .at_most = facts.OnHost() ? Severity::kMedium : Severity::kHigh});
  if (scheduled) NameBubble(pipeline, report.findings.back());
}

void AddExpertFinding(Report& report, const Facts& facts) {
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  const KindTimes& times = KindTimesOf(facts);
  int64_t lost = 0, mean = 0;  // ns of a rank and step
  for (const ExpertExchange& e : ExpertExchangesOf(facts)) {
    if (layout.classes[e.of].kind != ParallelKind::kExpert || !e.compute || !e.most) continue;
    lost = AddSaturated(lost, SubtractSaturated(*e.most, *e.compute));
    mean = AddSaturated(mean, *e.compute);
  }
  if (times.steps == 0 || times.span == 0) return;
  const double step = static_cast<double>(times.span) / times.steps;
  const double share = static_cast<double>(lost) / step;
  if (share < kLostByExperts) return;
  const double steps = times.steps / static_cast<double>(facts.devices.size());
  report.findings.push_back(
      {.message = Say("Experts are loaded unequally: {share} of span is lost until the slowest "
                      "rank has computed.",
                      HumanRatio(share)),
       .because = Say("between all-to-alls, ranks compute for {time} per step, the slowest of "
                      "each for {slowest}",
                      HumanTime(static_cast<double>(mean)),
                      HumanTime(static_cast<double>(AddSaturated(mean, lost)))),
       .hint = "balance the routing (auxiliary loss, capacity), or place busy experts on "
               "different ranks; see experts",
       .impact = ToInt64(static_cast<double>(lost) * steps),
       .table = "experts",
       .cause = {CauseKind::kCompute},
       .at_most = facts.OnHost() ? Severity::kMedium : Severity::kHigh});
}

}  // namespace stepscope
