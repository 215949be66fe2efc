// How long the all-reduces of a step take, and how long they should.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/allreduce_sums.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** do the all-reduces of a step take the time they should, for as many parameters over such a network,
and is there one that no gradient explains?

**Counts:** `measured` is the time per step during which an all-reduce ran on a device, the mean over steps that
are complete (all that was recorded counts as one step where no steps are marked), `exposed` the part of it
without any compute kernel, `waiting` until the last rank arrived, where clocks could be aligned. `expected` is
parameters x `bytes_per_parameter` / bandwidth; `expected_bus` is the same x 2(n-1)/n for a group of n
ranks, what a ring has to carry. Where parameters are not given, the messages of a step stand for the
gradients: those launched in backward, where the trace tells phases, else all. Sizes are those of the kernels'
arguments, or of the operator's input tensors (record_shapes=True). Where no bandwidth is given, it is the best
that any all-reduce reached here, bytes / time for the rank that arrived last: `expected` is then what the same
bytes would take at that rate, and says nothing about a network that is slow throughout. `calls` are per step.

**Cannot see:** sizes in traces without them (XLA and TensorFlow give none): without `parameters` nothing is expected
then. Gradients that are reduced otherwise: by reduce-scatter (FSDP, ZeRO) or all-to-all. On one rank alone
waiting for the others counts as measured.

**Read it so:** measured far above expected with little waiting is a slow network, or many small messages that
are bound by latency: merge them (bucket_cap_mb). Measured mostly hidden by compute costs little, however long it
takes. All-reduces outside of backward are batch norms, norms of gradients, metrics, or tensor parallelism.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"parameters", Parameter::Type::kInteger, "0", Unit::kCount,
     "that the model trains; 0: as many as the messages of a step hold"},
    {"bytes_per_parameter", Parameter::Type::kInteger, "4", Unit::kBytes,
     "of a gradient; 4 with mixed precision too, unless gradients are cast"},
    {"bandwidth", Parameter::Type::kNumber, "0", Unit::kBytesPerSecond,
     "of the link between ranks, such as 25e9; 0: the best seen"},
    {"tolerance", Parameter::Type::kNumber, "2", Unit::kNone,
     "all-reduces that take more than so many times what is expected are slow"},
    {"merge_below", Parameter::Type::kInteger, "1000000", Unit::kBytes,
     "smaller messages had better be merged"},
});

constexpr int64_t kShort = 50'000;        // ns: without sizes, a shorter call is small
constexpr double kCallsToMerge = 3;       // small ones, per step
constexpr double kExposedToMerge = 0.01;  // of the device's time
constexpr double kExposedUnexplained = 0.01;
constexpr double kExposedSlow = 0.02;
constexpr double kMoreThanParameters = 1.2;
constexpr double kMostNs = 9e18;  // what parameters give may be any time; this fits int64

// What the all-reduces of a step should take.
struct Expectation {
  double parameters = -1, bytes = -1;  // of a step; -1: not known
  double bandwidth = -1;               // bytes/s; -1: not known
  bool given = false;                  // the bandwidth is
  double simple = -1, bus = -1;        // ns

  // What to hold the measured time against. A bandwidth that was seen is bytes / time already.
  double Best() const { return given && bus >= 0 ? bus : simple; }
};

Expectation Expect(const AllReduceSums& sums, const AllReduceFacts& allreduces,
                   const Params& params) {
  Expectation e;
  if (const int64_t given = params.Integer("parameters"); given > 0) {
    e.parameters = static_cast<double>(given);
    e.bytes = e.parameters *
              static_cast<double>(std::max<int64_t>(params.Integer("bytes_per_parameter"), 1));
  } else if (std::ranges::all_of(sums.devices, &AllReduceSum::sized)) {
    const double bytes = sums.Mean(&AllReduceSum::gradient_bytes);
    if (bytes > 0) e.bytes = bytes;
    if (bytes > 0) e.parameters = sums.Mean(&AllReduceSum::gradient_elements);
  }
  e.given = params.Number("bandwidth") > 0;
  e.bandwidth = e.given ? params.Number("bandwidth") : allreduces.best_bandwidth;
  if (e.bytes < 0 || e.bandwidth <= 0) return e;
  e.simple = std::min(e.bytes / e.bandwidth * 1e9, kMostNs);
  const double bus = e.given ? e.bandwidth : allreduces.best_bus_bandwidth;
  const auto factor = BusFactor(CollectiveOp::kAllReduce, sums.devices.front().group_size);
  if (factor && bus > 0) e.bus = std::min(e.bytes * *factor / bus * 1e9, kMostNs);
  return e;
}

Cell TimeCell(double ns) {
  return ns < 0 ? Cell() : Cell(static_cast<int64_t>(std::llround(std::min(ns, kMostNs))));
}
// A mean that is a whole number is one.
Cell MeanCell(double mean) {
  const auto whole = static_cast<int64_t>(std::min(mean, kMostNs));
  return static_cast<double>(whole) == mean ? Cell(whole) : Cell(mean);
}

Table DeviceTable(const AllReduceSums& sums, const Expectation& expected) {
  Table table{.key = "ranks",
              .title = "All-reduces of each device, per step",
              .columns = DeviceKeys(),
              .text_rows = 12};
  AddColumns(table, {CountColumn("calls", "calls"), Column{"bytes", "bytes", Unit::kBytes},
                     TimeColumn("measured", "measured"), TimeColumn("exposed", "exposed"),
                     RatioColumn("hidden_ratio", "hidden"), TimeColumn("waiting", "waiting"),
                     TimeColumn("transfer", "without waiting"),
                     CountColumn("times_expected", "x expected")});
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
      .title = "All-reduces by group, size and phase, the most exposed first",
      .columns = {KeyColumn("group", "group"), Column{"bytes", "size", Unit::kBytes, Role::kKey},
                  KeyColumn("phase", "launched in"), CountColumn("calls", "per step"),
                  TimeColumn("time", "mean time"), TimeColumn("waiting", "mean waiting"),
                  TimeColumn("exposed", "exposed, all")},
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

// The mean over devices of a part that was added up over them.
int64_t PerDevice(const AllReduceSums& sums, int64_t part) {
  return part / std::ssize(sums.devices);
}

void AddSlowFinding(Report& report, const AllReduceSums& sums, const Expectation& expected,
                    double tolerance) {
  const double transfer = sums.Mean(&AllReduceSum::transfer);
  int64_t exposed = 0;
  for (const AllReduceSum& d : sums.devices) exposed = AddSaturated(exposed, d.exposed);
  if (expected.Best() <= 0 || transfer <= tolerance * expected.Best()) return;
  if (sums.ShareOfTime(exposed) < kExposedSlow) return;
  const double beyond = (transfer - expected.Best()) * static_cast<double>(sums.Steps()) /
                        static_cast<double>(sums.devices.size());
  report.findings.push_back(
      {.severity = Severity::kMedium,
       .message = fmt::format("All-reduces take {:.1f} times as long as expected.",
                              transfer / expected.Best()),
       .because = fmt::format(
           "{} per step{}; {} for {} at {}/s, the {}", Time(transfer),
           sums.Mean(&AllReduceSum::waiting) > 0 ? " without waiting for other ranks" : "",
           Time(expected.Best()), HumanBytes(expected.bytes), HumanBytes(expected.bandwidth),
           expected.given ? "bandwidth given" : "best that was seen here"),
       .hint = "see which messages are slow in the table messages: merge small ones, let backward "
               "hide large ones; check with nccl-tests what the network reaches, and with "
               "NCCL_DEBUG=INFO that NCCL uses it",
       .impact =
           std::min(PerDevice(sums, exposed), static_cast<int64_t>(std::min(beyond, kMostNs))),
       .table = "ranks"});
}

bool IsSmall(const AllReduceKind& key, const AlikeAllReduces& alike, int64_t merge_below) {
  const int64_t bytes = std::get<1>(key);
  return bytes >= 0 ? bytes < merge_below : (alike.time - alike.waiting) / alike.calls < kShort;
}

// Small ones of one group cost latency each.
void AddMergeFinding(Report& report, const AllReduceSums& sums, int64_t merge_below) {
  std::map<std::string_view, AlikeAllReduces> groups;
  for (const auto& [key, alike] : sums.alike) {
    if (!IsSmall(key, alike, merge_below)) continue;
    AlikeAllReduces& group = groups[std::get<0>(key)];
    group.calls += alike.calls;
    group.exposed = AddSaturated(group.exposed, alike.exposed);
  }
  const auto most =
      std::ranges::max_element(groups, {}, [](const auto& g) { return g.second.exposed; });
  if (most == groups.end()) return;
  const auto& [name, group] = *most;
  const double each = static_cast<double>(group.calls) / static_cast<double>(sums.Steps());
  if (each < kCallsToMerge || sums.ShareOfTime(group.exposed) < kExposedToMerge) return;
  const double saved = static_cast<double>(group.exposed) * (1 - 1 / each);
  report.findings.push_back(
      {.severity = Severity::kMedium,
       .message = fmt::format("{:.3g} small all-reduces per step could be merged.", each),
       .because = fmt::format("in group {} those below {} take {} of the devices' time unhidden",
                              name, HumanBytes(static_cast<double>(merge_below)),
                              HumanRatio(sums.ShareOfTime(group.exposed))),
       .hint = "pack gradients into fewer messages: DistributedDataParallel(bucket_cap_mb=...), "
               "tf.distribute's bytes_per_pack, Horovod's fusion threshold, or one flat tensor",
       .impact = PerDevice(sums, static_cast<int64_t>(saved)),
       .table = "messages"});
}

void AddUnexplainedFinding(Report& report, const AllReduceSums& sums) {
  AlikeAllReduces outside;
  std::map<std::string_view, int64_t> phases;
  for (const auto& [key, alike] : sums.alike) {
    const std::string& phase = std::get<2>(key);
    if (phase.empty() || phase == PhaseName(Phase::kBackward)) continue;
    outside.calls += alike.calls;
    outside.exposed = AddSaturated(outside.exposed, alike.exposed);
    phases[phase] += alike.calls;
  }
  const double share = sums.ShareOfTime(outside.exposed);
  if (outside.calls == 0 || share < kExposedUnexplained) return;
  const auto most = std::ranges::max_element(phases, {}, [](const auto& p) { return p.second; });
  report.findings.push_back(
      {.severity = Severity::kLow,
       .message =
           fmt::format("No gradient explains {:.3g} all-reduces per step: they are launched "
                       "outside of backward.",
                       static_cast<double>(outside.calls) / static_cast<double>(sums.Steps())),
       .because = fmt::format(
           "most of them in {}; unhidden they take {} of the devices' time",
           most->first == PhaseName(Phase::kOther) ? "no phase that is known" : most->first,
           HumanRatio(share)),
       .hint =
           "reduce metrics and losses every some steps only, norms of gradients in one message; "
           "SyncBatchNorm reduces in each layer, tensor parallelism too",
       .impact = PerDevice(sums, outside.exposed),
       .table = "messages"});
}

void AddBeyondFinding(Report& report, const AllReduceSums& sums, const Expectation& expected,
                      bool parameters_given) {
  const double bytes = sums.Mean(&AllReduceSum::bytes);
  if (!parameters_given || bytes <= kMoreThanParameters * expected.bytes) return;
  int64_t exposed = 0;
  for (const AllReduceSum& d : sums.devices) exposed = AddSaturated(exposed, d.exposed);
  const double beyond = 1 - expected.bytes / bytes;
  report.findings.push_back(
      {.severity = Severity::kMedium,
       .message = fmt::format("A step reduces {:.1f} times as many bytes as its parameters have.",
                              bytes / expected.bytes),
       .because = fmt::format("{} per step, {} for {:.4g} parameters", HumanBytes(bytes),
                              HumanBytes(expected.bytes), expected.parameters),
       .hint = "when gradients are accumulated, reduce them with the last part of the batch only "
               "(no_sync()); look for gradients that are reduced twice",
       .impact = PerDevice(sums, static_cast<int64_t>(beyond * static_cast<double>(exposed))),
       .table = "ranks"});
}

void AddMetrics(Report& report, const AllReduceSums& sums, const Expectation& e,
                const AllReduceFacts& allreduces) {
  const double measured = sums.Mean(&AllReduceSum::measured);
  const auto rate = [](double value) { return value > 0 ? Cell(value) : Cell(); };
  report.metrics = {
      {"expected", "expected per step", TimeCell(e.simple), Unit::kNanoseconds},
      {"expected_bus", "with the ring's factor", TimeCell(e.bus), Unit::kNanoseconds, true},
      {"measured", "measured per step", TimeCell(measured), Unit::kNanoseconds},
      {"calls", "calls per step", MeanCell(sums.Mean(&AllReduceSum::calls)), Unit::kCount},
      {"exposed", "not hidden by compute", TimeCell(sums.Mean(&AllReduceSum::exposed)),
       Unit::kNanoseconds},
      {"hidden_ratio", "hidden",
       When(measured > 0, 1 - sums.Mean(&AllReduceSum::exposed) / std::max(measured, 1e-9)),
       Unit::kRatio, true},
      {"parameters", "parameters",
       e.parameters < 0 ? Cell() : Cell(static_cast<int64_t>(std::min(e.parameters, kMostNs))),
       Unit::kCount, true},
      {"bandwidth", "bandwidth", rate(e.bandwidth), Unit::kBytesPerSecond},
      {"bandwidth_from", "bandwidth is",
       e.bandwidth <= 0 ? Cell() : Cell(e.given ? "given" : "the best seen")},
      {"best_bandwidth", "best seen", rate(allreduces.best_bandwidth), Unit::kBytesPerSecond, true},
      {"best_bus_bandwidth", "best seen, with the ring's factor",
       rate(allreduces.best_bus_bandwidth), Unit::kBytesPerSecond, true}};
  report.headline = fmt::format(
      "All-reduces take {} a step in {:.3g} calls, {} of it not hidden by compute", Time(measured),
      sums.Mean(&AllReduceSum::calls), Time(sums.Mean(&AllReduceSum::exposed)));
  report.headline += e.simple < 0
                         ? "."
                         : fmt::format("; {} are expected at {}.", Time(e.simple),
                                       e.given ? "the bandwidth given" : "the best bandwidth seen");
}

void AddNotes(Report& report, const AllReduceSums& sums, const AllReduceFacts& allreduces) {
  const auto add = [&](std::string name, int64_t count, std::string message) {
    if (count > 0) report.notes.push_back({std::move(name), count, std::move(message), ""});
  };
  add("outside_steps", sums.outside,
      "all-reduces lie in no step or in one that was not recorded to its end, and were left out");
  add("no_message_size", sums.unsized, "all-reduces do not say how many bytes they move");
  add("mismatched", allreduces.mismatched,
      "all-reduces stand where other ranks did something else, and were left out");
  const auto unmarked = std::ranges::count_if(
      sums.devices, [](const auto& d) { return d.device->rank->steps.empty(); });
  add("no_steps", unmarked, "devices have no steps marked: all that was recorded counts as one");
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kAllreduceCheck, facts);
  if (report.status == Status::kUnavailable) return report;
  const AllReduceFacts allreduces = FindAllReduces(facts);
  const AllReduceSums sums = AddUp(facts, allreduces);
  if (sums.devices.empty()) {
    MakeUnavailable(report, allreduces.all.empty()
                                ? "there is no all-reduce in what was selected"
                                : "no all-reduce lies in a step that was recorded to its end");
    return report;
  }
  const Expectation expected = Expect(sums, allreduces, params);
  AddMetrics(report, sums, expected, allreduces);
  report.tables.push_back(DeviceTable(sums, expected));
  report.tables.push_back(MessageTable(sums));
  AddSlowFinding(report, sums, expected, params.Number("tolerance"));
  AddMergeFinding(report, sums, params.Integer("merge_below"));
  AddUnexplainedFinding(report, sums);
  AddBeyondFinding(report, sums, expected, params.Integer("parameters") > 0);
  AddNotes(report, sums, allreduces);
  return report;
}

}  // namespace

const Analysis kAllreduceCheck = {
    .name = "allreduce_check",
    .title = "All-reduce check",
    .summary = "Measured versus expected time",
    .doc = kDoc,
    .needs = {kRankActivityNeeds | KindSet{Kind::kOperator}, true},
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
