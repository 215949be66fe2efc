// Measures the simulation and writes truth.json.
#include "demo/truth.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace stepscope::demo {
namespace {

using Json = nlohmann::ordered_json;

struct Edge {
  int64_t time = 0;
  size_t kind = 0;
  int change = 0;
};

// Work on the GPU, with copies and memsets as one kind: 0 compute, 1 communication, 2 memory.
size_t KindOf(const ActivitySpan& span) {
  return std::min<size_t>(static_cast<size_t>(span.kind), 2);
}

Json UsageJson(const Usage& usage) {
  const int64_t span = usage.end - usage.start;
  return {{"gpu_start", usage.start},
          {"gpu_end", usage.end},
          {"span", span},
          {"busy", usage.busy},
          {"idle", span - usage.busy},
          {"compute", usage.compute},
          {"communication", usage.communication},
          {"overlapped", usage.overlapped},
          {"exposed", usage.communication - usage.overlapped},
          {"memory", usage.memory},
          {"gpu_events", usage.gpu_events},
          {"launches", usage.gpu_events}};
}

// The usage of all steps. The work of one step ends before that of the next begins, so times add
// up.
Usage Total(std::span<const StepTruth> steps) {
  Usage total;
  if (steps.empty()) return total;
  total.start = steps.front().gpu.start;
  total.end = steps.back().gpu.end;
  for (const StepTruth& step : steps) {
    total.busy += step.gpu.busy;
    total.compute += step.gpu.compute;
    total.communication += step.gpu.communication;
    total.memory += step.gpu.memory;
    total.overlapped += step.gpu.overlapped;
    total.gpu_events += step.gpu.gpu_events;
  }
  return total;
}

int64_t TotalGap(const RankTruth& rank) {
  int64_t gap = 0;
  for (const StepTruth& step : rank.steps) gap += step.host_gap;
  return gap;
}

Json StepJson(const StepTruth& step) {
  Json json = {{"step", step.step}, {"start", step.start}, {"end", step.end}};
  json.update(UsageJson(step.gpu));
  json["host_gap"] = step.host_gap;
  return json;
}

Json KernelsJson(const RankTruth& rank) {
  Json json = Json::array();
  for (size_t i = 0; i < rank.kernels.size(); ++i) {
    if (rank.kernels[i].count == 0) continue;
    const Kernel& kernel = AllKernels()[i];
    json.push_back({{"name", kernel.name},
                    {"kind", ActivityKindName(kernel.kind)},
                    {"count", rank.kernels[i].count},
                    {"sum", rank.kernels[i].sum}});
  }
  return json;
}

Json RankJson(const Plan& plan, const RankTruth& rank) {
  Json json = {{"rank", rank.rank},           {"device", rank.device},
               {"file", rank.file},           {"events", rank.events},
               {"raw_bytes", rank.raw_bytes}, {"clock_offset", plan.ClockOffset(rank.rank)}};
  json.update(UsageJson(Total(rank.steps)));
  json["host_gap"] = TotalGap(rank);
  json["kernels"] = KernelsJson(rank);
  json["steps"] = Json::array();
  for (const StepTruth& step : rank.steps) json["steps"].push_back(StepJson(step));
  return json;
}

Json OptionsJson(const DemoOptions& options) {
  Json json = {{"ranks", options.ranks},
               {"devices", options.devices},
               {"steps", options.steps},
               {"seed", options.seed},
               {"slow_rank", options.slow_rank},
               {"other_slow_ranks", options.other_slow_ranks},
               {"ranks_per_host", options.ranks_per_host},
               {"slow_host", options.slow_host},
               {"slow_link", options.slow_link},
               {"slow_factor", options.slow_factor},
               {"slow_device", options.slow_device},
               {"slow_since", options.slow_since},
               {"exposed_fraction", options.exposed_fraction},
               {"host_gap_fraction", options.host_gap_fraction},
               {"gap_in_python", options.gap_in_python},
               {"clock_spread", options.clock_spread},
               {"graph_capture", options.graph_capture},
               {"unknown_library", options.unknown_library},
               {"layers", options.layers},
               {"stacks", options.stacks},
               {"compress", options.compress},
               {"min_raw_bytes", options.min_raw_bytes}};
  if (!HasParallelGroups(options)) return json;
  json.update({{"tensor", options.tensor},
               {"pipeline", options.pipeline},
               {"experts", options.expert_groups},
               {"microbatches", options.microbatches}});
  return json;
}

// What was planted, and what it came to over all ranks.
Json PlantedJson(const DemoOptions& options, std::span<const RankTruth> ranks) {
  int64_t communication = 0, exposed = 0, gap = 0;
  for (const RankTruth& rank : ranks) {
    const Usage total = Total(rank.steps);
    communication += total.communication;
    exposed += total.communication - total.overlapped;
    gap += TotalGap(rank);
  }
  const double ratio =
      communication == 0 ? 0 : static_cast<double>(exposed) / static_cast<double>(communication);
  return {{"slow_rank", options.slow_rank},
          {"slow_factor", options.slow_factor},
          {"slow_device", options.slow_device},
          {"graph_capture", options.graph_capture},
          {"unknown_library", options.unknown_library},
          {"slow_since", options.slow_since},
          {"exposed", exposed},
          {"communication", communication},
          {"exposed_ratio", ratio},
          {"host_gap", gap}};
}

}  // namespace

Usage Measure(std::span<const ActivitySpan> work) {
  std::vector<Edge> edges;
  for (const ActivitySpan& span : work) {
    edges.push_back({span.start, KindOf(span), +1});
    edges.push_back({span.end, KindOf(span), -1});
  }
  std::ranges::sort(edges, {}, &Edge::time);
  Usage usage;
  usage.gpu_events = static_cast<int64_t>(work.size());
  if (edges.empty()) return usage;
  usage.start = edges.front().time;
  usage.end = edges.back().time;
  std::array<int, 3> running = {};  // how many activities of each kind, since `now`
  int64_t now = usage.start;
  for (const Edge& edge : edges) {
    const int64_t passed = edge.time - now;
    if (running[0] + running[1] + running[2] > 0) usage.busy += passed;
    if (running[0] > 0) usage.compute += passed;
    if (running[1] > 0) usage.communication += passed;
    if (running[2] > 0) usage.memory += passed;
    if (running[0] > 0 && running[1] > 0) usage.overlapped += passed;
    running[edge.kind] += edge.change;
    now = edge.time;
  }
  return usage;
}

std::string TruthJson(const Plan& plan, std::span<const RankTruth> ranks) {
  Json json = {{"schema", "stepscope.demo/1"},
               {"time_unit", "ns"},
               {"options", OptionsJson(plan.options)},
               {"planted", PlantedJson(plan.options, ranks)},
               {"ranks", Json::array()}};
  for (const RankTruth& rank : ranks) json["ranks"].push_back(RankJson(plan, rank));
  return json.dump(1) + "\n";
}

}  // namespace stepscope::demo
