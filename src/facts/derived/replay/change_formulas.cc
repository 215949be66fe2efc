// Fits what a reduction takes, and computes bubbles.
#include "facts/derived/replay/change_formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

const CollectiveMatch& MatchOf(const Facts& facts, const JobGraph& graph,
                               const JobInstance& instance) {
  return MatchOfPart(facts.collectives, graph.members[instance.first].part);
}

// Null: unknown.
const GroupClass* ClassOf(const Facts& facts, const JobGraph& graph, const JobInstance& instance) {
  const ProcessGroups& groups = ProcessGroupsOf(facts);
  const uint32_t group = groups.Of(facts.collectives, MatchOf(facts, graph, instance),
                                   facts.collectives.parts[graph.members[instance.first].part]);
  if (group == kNobody) return nullptr;
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  return &layout.classes[layout.class_of[group]];
}

// Within layers, nothing can be put off.
bool ReducesGradients(const Facts& facts, const JobGraph& graph, const JobInstance& instance) {
  const CollectiveOp op = MatchOf(facts, graph, instance).op;
  if (op != CollectiveOp::kAllReduce && op != CollectiveOp::kReduceScatter) return false;
  const GroupClass* c = ClassOf(facts, graph, instance);
  return c == nullptr || (c->kind != ParallelKind::kTensor && c->kind != ParallelKind::kContext &&
                          c->kind != ParallelKind::kExpert);
}

int64_t LeastTransfer(const JobGraph& graph, const JobInstance& instance) {
  return std::ranges::min(graph.Members(instance), {}, &JobMember::transfer).transfer;
}

}  // namespace

std::string_view PurposeOf(const Facts& facts, const JobGraph& graph, const JobInstance& instance) {
  const GroupClass* c = ClassOf(facts, graph, instance);
  return c == nullptr ? std::string_view() : c->label;
}

Phrase EnlargeBuckets(const Facts& facts, double factor, AskedLags& asked) {
  const JobGraph& graph = JobGraphOf(facts);
  std::map<int64_t, std::vector<int64_t>> transfers;  // by bytes
  for (const JobInstance& instance : graph.instances) {
    const int64_t bytes = MatchOf(facts, graph, instance).bytes;
    if (bytes > 0 && ReducesGradients(facts, graph, instance))
      transfers[bytes].push_back(LeastTransfer(graph, instance));
  }
  if (transfers.size() < 2)
    return "reductions of gradients of one size do not tell what a call takes beside its bytes";
  const auto small = transfers.begin(), large = std::prev(transfers.end());
  const auto low = static_cast<double>(UpperMedian(small->second));
  const auto high = static_cast<double>(UpperMedian(large->second));
  const double slope = (high - low) / static_cast<double>(large->first - small->first);
  const double each = low - std::max(slope, 0.0) * static_cast<double>(small->first);
  if (each <= 0) return "reductions take no time beside what their bytes take";
  asked.lags.ScaleTransfers([&](const JobInstance& instance) {
    const auto now = static_cast<double>(LeastTransfer(graph, instance));
    if (now <= 0 || !ReducesGradients(facts, graph, instance)) return 1.0;
    return std::clamp((now - each * (1 - 1 / factor)) / now, 0.0, 1000.0);
  });
  asked.assumption =
      Say("a reduction takes {time} µs beside what its bytes take, and larger buckets begin as "
          "early",
          fmt::format("{:.1f}", each / 1000));
  return "";
}

Phrase ChangeMicrobatches(const Facts& facts, int64_t count, AskedLags& asked) {
  const ModelPipeline& pipeline = PipelineOf(facts);
  if (pipeline.depth < 2) return "no pipeline is known";
  if (!pipeline.microbatches || pipeline.stages.empty())
    return pipeline.unknown.empty() ? "its microbatches are not known" : pipeline.unknown;
  double busy = 0;
  for (const ModelStage& stage : pipeline.stages) busy += static_cast<double>(stage.busy);
  busy /= static_cast<double>(pipeline.stages.size());
  const auto idle = [&](int64_t microbatches) {
    return busy * static_cast<double>(pipeline.depth - 1) /
           (static_cast<double>(pipeline.chunks) * static_cast<double>(microbatches));
  };
  const int64_t saved = ToInt64(idle(*pipeline.microbatches) - idle(count));
  asked.saved_by_formula = AddSaturated(asked.saved_by_formula, saved);
  asked.assumption = Say(
      "{now} microbatches now; a stage is as busy with {count}, and waits for (p-1)/(v*m) of that",
      *pipeline.microbatches, count);
  return "";
}

}  // namespace stepscope
