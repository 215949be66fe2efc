// Compares the time of a step's all-reduces with the time expected from bytes and bandwidth.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analyses/all.h"
#include "analyses/allreduce_expectation.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/collectives/allreduce_sums.h"
#include "facts/derived/job/job_purpose.h"
#include "facts/derived/layout/parallel_layout.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace allreduce_check {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Do the all-reduces of a step take the time expected from parameters and bandwidth, and are there
all-reduces that do not reduce gradients?

**Definition:** `measured` is the time per step during which an all-reduce ran on a device, as the mean over complete
steps. Without steps the whole trace counts as one step. `exposed` is the part of it without any compute kernel.
`waiting` is until the last rank arrived, where clocks could be aligned; see `stragglers` for ranks without a trace.
Findings leave it out. `expected` is parameters × `bytes_per_parameter`
/ bandwidth. `expected_bus` is `expected` × 2(n-1)/n for a group of n ranks, the traffic of a ring. If `parameters` is not
given, a step's messages stand for the gradients: those launched in backward if the trace has phases, else all. Message
sizes come from kernel arguments, from the compiled program (XLA), or from the operator's input tensors
(record_shapes=True). If no bandwidth is given,
the best bandwidth of any all-reduce is used: bytes / time for the rank that arrived last. `expected` is then the time
of the same bytes at that rate and cannot reveal a network that is slow throughout. Where groups differ, as those of
tensor and data parallelism, whose links do, it is the time of all messages, each at the best bandwidth of any group of as
many ranks as far apart, and `bandwidth` is the mean of these. `calls` are per step.

**Limitations:** TensorFlow traces without a compiled program have no sizes, so nothing is expected without `parameters`.
Gradients reduced by reduce-scatter (FSDP, ZeRO) or all-to-all are not included. With one rank, wait time counts as measured.

**Interpretation:** If measured is far above expected with little waiting, the network is slow, or many small messages
are latency-bound: merge them (bucket_cap_mb). If most of measured overlaps with compute, it costs little. All-reduces
outside backward are batch norm, gradient norms, metrics, or tensor parallelism.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"parameters", Parameter::Type::kInteger, "0", Unit::kCount,
     "trainable parameters of the model; 0: derived from the messages of a step"},
    {"bytes_per_parameter", Parameter::Type::kInteger, "4", Unit::kBytes,
     "size of a gradient; 4 with mixed precision too, unless gradients are cast"},
    {"bandwidth", Parameter::Type::kNumber, "0", Unit::kBytesPerSecond,
     "bandwidth of the link between ranks, such as 25GB/s; 0: best observed"},
    {"tolerance", Parameter::Type::kNumber, "2", Unit::kNone,
     "all-reduces above this multiple of the expected time are slow"},
    {"merge_below", Parameter::Type::kInteger, "1000000", Unit::kBytes,
     "messages smaller than this are candidates for merging"},
});

constexpr int64_t kShort = 50'000;        // ns: without sizes, a shorter call is small
constexpr double kCallsToMerge = 3;       // small calls per step
constexpr double kExposedToMerge = 0.01;  // of span
constexpr double kExposedUnexplained = 0.01;
constexpr double kExposedSlow = 0.02;
constexpr double kMoreThanParameters = 1.2;

// No value below 0.
Cell NanosecondsCell(double ns) { return ns < 0 ? Cell() : Cell(RoundToInt64(ns)); }
// A whole mean is shown as an integer.
Cell MeanCell(double mean) {
  const auto whole = ToInt64(mean);
  return static_cast<double>(whole) == mean ? Cell(whole) : Cell(mean);
}

Table DeviceTable(const Facts& facts, const AllReduceSums& sums,
                  const AllReduceExpectation& expected) {
  Table table{.key = "ranks",
              .title = Say("All-reduces per {noun}", DeviceNoun(facts)),
              .columns = DeviceKeys(),
              .text_rows = 12};
  AddColumns(table,
             {CountColumn("calls", "calls"), BytesColumn("bytes", "bytes"),
              TimeColumn("measured", "measured"), TimeColumn("exposed", "exposed"),
              RatioColumn("hidden_ratio", "overlap, % of measured"), TimeColumn("waiting", "wait"),
              TimeColumn("transfer", "transfer"), CountColumn("times_expected", "× expected")});
  SetKinds(table, {{"transfer", ColumnKind::kCommunication}, {"waiting", ColumnKind::kWait}});
  for (const AllReduceSum& d : sums.devices) {
    auto row = DeviceCells(*d.device);
    const double calls = static_cast<double>(d.calls) / static_cast<double>(d.steps);
    const double transfer = static_cast<double>(d.Each(d.transfer));
    row.insert(row.end(), {MeanCell(calls), When(d.sized, d.Each(d.bytes)), d.Each(d.measured),
                           d.Each(d.exposed), Ratio(d.measured - d.exposed, d.measured),
                           d.Each(d.waiting), d.Each(d.transfer),
                           When(expected.Best() > 0, transfer / std::max(expected.Best(), 1e-9))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table MessageTable(const AllReduceSums& sums) {
  Table table{
      .key = "messages",
      .title = "All-reduces by kind",
      .columns = {KeyColumn("group", "group"), KeyColumn("bytes", "size", Unit::kBytes),
                  Words(KeyColumn("phase", "phase")), CountColumn("calls", "calls per step"),
                  TimeColumn("time", "mean time"), TimeColumn("waiting", "mean wait"),
                  TimeColumn("exposed", "total exposed")},
      .text_rows = 6};
  std::vector<const std::pair<const AllReduceKind, AlikeAllReduces>*> order;
  for (const auto& alike : sums.alike) order.push_back(&alike);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto* a) {
    return std::pair(a->second.exposed, a->second.time);
  });
  const auto steps = static_cast<double>(std::max<int64_t>(sums.Steps(), 1));
  for (const auto* a : order) {
    const auto& [key, alike] = *a;
    const auto& [group, bytes, phase] = key;
    table.rows.push_back({group, When(bytes >= 0, bytes), phase.empty() ? Cell() : Cell(phase),
                          MeanCell(static_cast<double>(alike.calls) / steps),
                          alike.time / alike.calls, alike.waiting / alike.calls, alike.exposed});
  }
  return table;
}

std::string Time(double ns) { return HumanTime(ns); }

// The mean over devices of a sum over devices.
int64_t PerDevice(const AllReduceSums& sums, int64_t part) {
  return part / std::ssize(sums.devices);
}

Phrase HintFor(const Facts& facts) {
  const bool trains = PurposeOfJob(facts) == Purpose::kTraining;
  const Phrase merge =
      trains ? "merge small messages and overlap large ones with backward (table messages)"
             : "merge small messages and overlap large ones with compute (table messages)";
  if (facts.OnHost()) {
    return merge + "; " +
           "leave processors for the threads of the library: fewer threads that compute "
           "(OMP_NUM_THREADS)";
  }
  // RCCL reads NCCL's variables.
  return merge + "; " +
         Say("compare the network with {test}, and check with NCCL_DEBUG=INFO that the library "
             "uses it",
             NetworkTest(facts));
}

// Whether all ranks of the groups that all-reduce were recorded. A rank that was not may be late,
// and waiting for it looks like transfer.
bool HasAllRanks(const CollectiveFacts& c) {
  return std::ranges::none_of(c.matches, [&](const CollectiveMatch& match) {
    const CollectiveGroup& group = c.groups[match.group];
    return match.op == CollectiveOp::kAllReduce && group.present < group.size;
  });
}

std::string_view SayBandwidth(const AllReduceExpectation& expected) {
  if (expected.given) return "given bandwidth";
  return expected.by_axis ? "best observed bandwidths of groups alike" : "best observed bandwidth";
}

void AddSlowFinding(Report& report, const Facts& facts, const AllReduceSums& sums,
                    const AllReduceExpectation& expected, double tolerance) {
  const double transfer = sums.Mean(&AllReduceSum::transfer);
  int64_t exposed = 0;
  for (const AllReduceSum& d : sums.devices) exposed = AddSaturated(exposed, d.exposed_transfer);
  // Threads that communicate share processors with those that compute: the best of them was lucky.
  if (facts.OnHost() && !expected.given) return;
  const bool has_all = HasAllRanks(facts.collectives);
  if (!has_all && !expected.given) return;
  if (expected.Best() <= 0 || transfer <= tolerance * expected.Best()) return;
  if (sums.ShareOfTime(exposed) < kExposedSlow) return;
  const double beyond = (transfer - expected.Best()) * static_cast<double>(sums.Steps()) /
                        static_cast<double>(sums.devices.size());
  report.findings.push_back(
      {.message = Say("All-reduces take {ratio}× the expected time.",
                      fmt::format("{:.1f}", transfer / expected.Best())),
       .because =
           Say("{measured} per step{without} vs {expected} for {bytes} at {bandwidth}/s ({source})",
               Time(transfer), sums.Mean(&AllReduceSum::waiting) > 0 ? " without wait time" : "",
               Time(expected.Best()), HumanBytes(expected.bytes), HumanBytes(expected.bandwidth),
               SayBandwidth(expected)) +
           (has_all ? "" : "; waits for ranks without a trace are part of it"),
       .hint = HintFor(facts),
       .impact = std::min(PerDevice(sums, exposed), ToInt64(beyond)),
       .table = "ranks",
       .cause = {CauseKind::kCommunication},
       .nearness = Nearness::kPart});
}

bool IsSmall(const AllReduceKind& key, const AlikeAllReduces& alike, int64_t merge_below) {
  const int64_t bytes = std::get<1>(key);
  return bytes >= 0 ? bytes < merge_below : (alike.time - alike.waiting) / alike.calls < kShort;
}

// Small messages of one group cost latency each.
constexpr AdviceByPurpose kMerge{
    {"send fewer, larger messages: one flat tensor for several small ones",
     "pack gradients into fewer messages: bytes_per_pack of tf.distribute, "
     "HOROVOD_FUSION_THRESHOLD, or one flat tensor",
     "pack gradients into fewer messages: a larger threshold of XLA's combiner "
     "(--xla_gpu_all_reduce_combine_threshold_bytes in XLA_FLAGS), or one flat array"},
    ForAll("reduce small messages with less latency: a custom or one-shot all-reduce of the "
           "server, fused with the norm behind it, or tensor parallelism over fewer devices"),
    ForAll("send fewer, larger messages: one flat tensor for several small ones")};
constexpr AdviceByPurpose kReduceOnce{
    {"with gradient accumulation, reduce with the last micro-batch only (no_sync()); check for "
     "gradients that are reduced twice",
     "with gradient accumulation, reduce with the last micro-batch only; check for gradients that "
     "are reduced twice",
     "with gradient accumulation, reduce with the last micro-batch only; check for gradients that "
     "are reduced twice"},
    ForAll("tensor parallelism reduces activations in each layer: parameters say nothing of them"),
    ForAll("check for values that are reduced twice")};

void AddMergeFinding(Report& report, const Facts& facts, const AllReduceSums& sums,
                     int64_t merge_below) {
  std::map<std::string_view, AlikeAllReduces> groups;
  for (const auto& [key, alike] : sums.alike) {
    if (!IsSmall(key, alike, merge_below)) continue;
    AlikeAllReduces& group = groups[std::get<0>(key)];
    group.calls += alike.calls;
    group.exposed = AddSaturated(group.exposed, alike.exposed);
    group.exposed_transfer = AddSaturated(group.exposed_transfer, alike.exposed_transfer);
  }
  const auto most =
      std::ranges::max_element(groups, {}, [](const auto& g) { return g.second.exposed_transfer; });
  if (most == groups.end()) return;
  const auto& [name, group] = *most;
  const double each = static_cast<double>(group.calls) / static_cast<double>(sums.Steps());
  if (each < kCallsToMerge || sums.ShareOfTime(group.exposed_transfer) < kExposedToMerge) return;
  const double saved = static_cast<double>(group.exposed_transfer) * (1 - 1 / each);
  report.findings.push_back(
      {.message =
           Say("{count} small all-reduces per step are exposed.", fmt::format("{:.3g}", each)),
       .because =
           Say("exposed all-reduces of group {group} below {size} are {share} of span{without}",
               Phrase::Name(std::string(name)), HumanBytes(static_cast<double>(merge_below)),
               HumanRatio(sums.ShareOfTime(group.exposed_transfer)),
               group.exposed > group.exposed_transfer ? " without wait time" : ""),
       .hint = Say(kMerge, facts),
       .impact = PerDevice(sums, static_cast<int64_t>(saved)),
       .table = "messages",
       .cause = {CauseKind::kCommunication},
       .nearness = Nearness::kPart});
}

// Only of training: inference has no backward. Groups for parts of layers reduce in each layer.
void AddUnexplainedFinding(Report& report, const Facts& facts, const AllReduceSums& sums) {
  if (PurposeOfJob(facts) != Purpose::kTraining) return;
  const GroupClass* of_layers = ParallelLayoutOf(facts).OfKind(ParallelKind::kTensor);
  if (of_layers != nullptr && of_layers->described) return;
  AlikeAllReduces outside;
  bool has_backward = false;
  std::map<std::string_view, int64_t> phases;
  for (const auto& [key, alike] : sums.alike) {
    const std::string& phase = std::get<2>(key);
    has_backward = has_backward || phase == PhaseName(Phase::kBackward);
    if (phase.empty() || phase == PhaseName(Phase::kBackward)) continue;
    outside.calls += alike.calls;
    outside.exposed = AddSaturated(outside.exposed, alike.exposed_transfer);
    phases[phase] += alike.calls;
  }
  const double share = sums.ShareOfTime(outside.exposed);
  // Without any in backward, the phase is not known where buckets are reduced.
  if (!has_backward || outside.calls == 0 || share < kExposedUnexplained) return;
  const auto most = std::ranges::max_element(phases, {}, [](const auto& p) { return p.second; });
  report.findings.push_back(
      {.message = Say("{count} all-reduces per step are launched outside backward.",
                      fmt::format("{:.3g}", static_cast<double>(outside.calls) /
                                                static_cast<double>(sums.Steps()))),
       .because = Say("most in phase {phase}; exposed they are {share} of span", most->first,
                      HumanRatio(share)),
       .hint = "reduce metrics and losses every N steps, and gradient norms in one message; "
               "SyncBatchNorm and tensor parallelism reduce in each layer",
       .impact = PerDevice(sums, outside.exposed),
       .table = "messages",
       .cause = {CauseKind::kCommunication},
       .nearness = Nearness::kPart});
}

void AddBeyondFinding(Report& report, const Facts& facts, const AllReduceSums& sums,
                      const AllReduceExpectation& expected, bool parameters_given) {
  const double bytes = sums.Mean(&AllReduceSum::bytes);
  if (!parameters_given || bytes <= kMoreThanParameters * expected.bytes) return;
  int64_t exposed = 0;
  for (const AllReduceSum& d : sums.devices) exposed = AddSaturated(exposed, d.exposed);
  const double beyond = 1 - expected.bytes / bytes;
  report.findings.push_back(
      {.message = Say("A step reduces {ratio}× the bytes of its parameters.",
                      fmt::format("{:.1f}", bytes / expected.bytes)),
       .because =
           Say("{bytes} per step vs {expected} for {parameters} parameters", HumanBytes(bytes),
               HumanBytes(expected.bytes), fmt::format("{:.4g}", expected.parameters)),
       .hint = Say(kReduceOnce, facts),
       .impact = PerDevice(sums, static_cast<int64_t>(beyond * static_cast<double>(exposed))),
       .table = "ranks",
       .cause = {CauseKind::kCommunication},
       .nearness = Nearness::kPart});
}

void AddMetrics(Report& report, const AllReduceSums& sums, const AllReduceExpectation& e,
                const AllReduceFacts& allreduces) {
  const double measured = sums.Mean(&AllReduceSum::measured);
  const auto rate = [](double value) { return value > 0 ? Cell(value) : Cell(); };
  report.metrics = {
      {"expected", "expected per step", NanosecondsCell(e.simple), Unit::kNanoseconds},
      {"expected_bus", "expected with ring factor", NanosecondsCell(e.bus), Unit::kNanoseconds,
       true},
      {"measured", "measured per step", NanosecondsCell(measured), Unit::kNanoseconds},
      {"calls", "calls per step", MeanCell(sums.Mean(&AllReduceSum::calls)), Unit::kCount},
      {"exposed", "exposed per step", NanosecondsCell(sums.Mean(&AllReduceSum::exposed)),
       Unit::kNanoseconds},
      {"hidden_ratio", "overlap, % of measured",
       When(measured > 0, 1 - sums.Mean(&AllReduceSum::exposed) / std::max(measured, 1e-9)),
       Unit::kRatio, true},
      {"parameters", "parameters", e.parameters < 0 ? Cell() : Cell(ToInt64(e.parameters)),
       Unit::kCount, true},
      {"bandwidth", "bandwidth", rate(e.bandwidth), Unit::kBytesPerSecond},
      {"bandwidth_from", "bandwidth source",
       e.bandwidth <= 0 ? Cell() : Cell(e.given ? "given" : "the best seen")},
      {"best_bandwidth", "best observed bandwidth", rate(allreduces.best_bandwidth),
       Unit::kBytesPerSecond, true},
      {"best_bus_bandwidth", "best bandwidth, ring factor", rate(allreduces.best_bus_bandwidth),
       Unit::kBytesPerSecond, true}};
  report.headline = Say("All-reduces take {time} per step in {calls} calls, {exposed} exposed",
                        Time(measured), fmt::format("{:.3g}", sums.Mean(&AllReduceSum::calls)),
                        Time(sums.Mean(&AllReduceSum::exposed)));
  if (e.simple >= 0)
    report.headline += "; " + Say("expected {time} at {bandwidth}", Time(e.simple),
                                  e.given     ? "the given bandwidth"
                                  : e.by_axis ? "the best observed bandwidths of groups alike"
                                              : "the best observed bandwidth");
  report.headline += ".";
}

void AddNotes(Report& report, const AllReduceSums& sums, const AllReduceFacts& allreduces) {
  const auto add = [&](std::string name, int64_t count, Phrase message) {
    if (count > 0) report.notes.push_back({std::move(name), count, std::move(message), ""});
  };
  add("outside_steps", sums.outside,
      "all-reduces were left out: outside steps or in a truncated step");
  add("no_message_size", sums.unsized, "all-reduces have no recorded size");
  add("mismatched", allreduces.mismatched,
      "all-reduces were left out: other ranks ran a different collective");
  const auto unmarked = std::ranges::count_if(
      sums.devices, [](const auto& d) { return d.device->rank->steps.empty(); });
  add("no_steps", unmarked, "devices have no marked steps (the whole trace counts as one)");
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kAllreduceCheck, facts);
  if (report.status == Status::kUnavailable) return report;
  const AllReduceFacts allreduces = FindAllReduces(facts);
  const AllReduceSums sums = AddUp(facts, allreduces);
  if (sums.devices.empty()) {
    MakeUnavailable(report, allreduces.all.empty() ? "there are no all-reduces in the selection"
                                                   : "no all-reduce is in a complete step");
    return report;
  }
  const AllReduceExpectation expected = ExpectAllReduces(sums, allreduces, params);
  AddMetrics(report, sums, expected, allreduces);
  report.tables.push_back(DeviceTable(facts, sums, expected));
  report.tables.push_back(MessageTable(sums));
  AddSlowFinding(report, facts, sums, expected, params.Number("tolerance"));
  AddMergeFinding(report, facts, sums, params.Integer("merge_below"));
  AddUnexplainedFinding(report, facts, sums);
  AddBeyondFinding(report, facts, sums, expected, params.Integer("parameters") > 0);
  AddNotes(report, sums, allreduces);
  return report;
}

}  // namespace
}  // namespace allreduce_check

const Analysis kAllreduceCheck = {
    .name = "allreduce_check",
    .title = "All-reduce check",
    .label = "All-reduce",
    .group = AnalysisGroup::kRanks,
    .summary = "Measured versus expected time",
    .doc = allreduce_check::kDoc,
    .needs = {kRankActivityNeeds | KindSet{Kind::kOperator}, true},
    .params = allreduce_check::kParams,
    .run = &allreduce_check::Run,
};

}  // namespace stepscope
