// Reports operators by the shapes, types and strides of their inputs.
#include "facts/derived/modules/shapes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/shape_label.h"
#include "analyses/shape_script.h"
#include "base/saturate.h"
#include "base/time_units.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace shapes {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which operators take device time with which input shapes, and how far is each below its roofline?

**Definition:** A row has all calls of one operator whose inputs have the same shapes, types and strides; of PyTorch's
own operators, whole numbers such as the stride of a convolution agree too. `id` is computed from these alone: it is the
same in every run: comparisons match rows by it. `call` is for people: M, N, K of a product (M x K times K x N), B, H,
S, D of attention (batch, heads, lengths of queries and keys, width). An activity belongs to the innermost operator
around its launch whose shapes are known, or to the one whose FLOPs count (see `flops`). `device_time` is the sum of its
activities. `mean` and `longest` are of one call; `longest_rank` and `longest_step` say where. `host_time` is the
duration of these calls on their threads. Where threads of the host are the device, `device_time` is the time of these
calls without other operators within that have a row. FLOP/s, bytes/s and
`roofline` are over the time of compute kernels, as in `flops`. `module` has half of `device_time` or more; it is a class
of modules if no single module has.

**Limitations:** Shapes need record_shapes=True; traces of older PyTorch have no strides. Activities of captured
graphs and of operators without shapes are left out: `covered` is the share of the others. Compiled operations of
TensorFlow and JAX are in `hlo_operators`. Modules are
known if Python calls were recorded (with_stack=True).

**Interpretation:** If one shape is far below its roofline while others of its operator are not, its sizes do not suit
the device: use multiples of 64. For a PyTorch script that runs the longest call of a row and times it, give its id as
the option `repro`. Try sizes, types and versions there.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    kPeakTflops,
    {"repro", Parameter::Type::kText, "", Unit::kNone,
     "id of a row: adds a PyTorch script that runs its longest call"},
});

// A finding needs all of these.
constexpr double kMatters = 0.05;  // of device time, of the shape and of others of its operator
constexpr double kFarFromRoof = 0.4;
constexpr double kNearRoof = 0.6;  // which others of its operator reach

constexpr Advice kRecordShapes{"record with record_shapes=True and ProfilerActivity.CPU",
                               "traces of TensorFlow have none; see hlo_operators",
                               "traces of JAX have none; see hlo_operators",
                               "capture it so: stepscope capture torch --shapes"};
// XLA's operations on processors are no table of `hlo_operators`.
constexpr Advice kRecordShapesOnHost{"record with record_shapes=True and ProfilerActivity.CPU",
                                     "traces of TensorFlow have none; see operators",
                                     "traces of JAX have none; see operators",
                                     "capture it so: stepscope capture torch --shapes"};

// A shape with what people call it.
struct Row {
  const ShapeUse* use = nullptr;
  std::string label;
};

bool HasRoof(const FlopsSum& s) { return s.time > 0 && s.at_peak > 0 && s.at_memory > 0; }

int64_t Mean(const ShapeUse& use) { return use.device_time / std::max<int64_t>(use.calls, 1); }

double RateOf(double amount, int64_t time) { return PerSecond(amount, static_cast<double>(time)); }

// Few are shown: calls take the width.
std::vector<Column> Columns() {
  return {KeyColumn("id", "id"),
          KeyColumn("call", "call"),
          Detail({"operator", "operator"}),
          CountColumn("calls", "calls"),
          TimeColumn("device_time", "time"),
          Detail(RatioColumn("share", "% of device time")),
          Detail(TimeColumn("mean", "mean")),
          TimeColumn("longest", "longest"),
          Detail(TimeColumn("host_time", "host time")),
          Detail({"longest_rank", "rank of longest"}),
          Detail({"longest_step", "step of longest"}),
          ValueColumn("flop_rate", "FLOP/s", Unit::kFlopPerSecond),
          ValueColumn("byte_rate", "bytes/s", Unit::kBytesPerSecond, /*detail=*/true),
          RatioColumn("roofline", "% of roofline"),
          Words(Detail({"bound", "bound by"})),
          {"module", "module"},
          Detail({"sizes", "sizes"}),
          Detail({"types", "types"}),
          Detail({"strides", "strides"})};
}

// What the calls of a shape put on devices.
ColumnKind KindOf(const ShapeUse& use) {
  if (use.communicates) return ColumnKind::kCommunication;
  return use.between_memories ? ColumnKind::kMemory : ColumnKind::kCompute;
}

Table ShapesTable(const Facts& facts, const Shapes& shapes, const std::vector<Row>& rows) {
  Table table{
      .key = "shapes", .title = "Operators by shape", .columns = Columns(), .text_rows = 12};
  AddKindColumn(table);
  const auto text = [&](StringId id) {
    return id == kNoString ? Cell() : Cell(std::string((*facts.names)[id]));
  };
  for (const auto& [use, label] : rows) {
    const FlopsSum& s = use->counted;
    const bool roof = HasRoof(s);
    table.rows.push_back({use->id,
                          label,
                          text(use->op),
                          use->calls,
                          use->device_time,
                          Ratio(use->device_time, shapes.device_time),
                          Mean(*use),
                          use->longest,
                          use->host_time,
                          use->longest_rank,
                          When(use->longest_step >= 0, use->longest_step),
                          When(s.time > 0 && s.flops > 0, RateOf(s.flops, s.time)),
                          When(s.time > 0 && s.bytes > 0, RateOf(s.bytes, s.time)),
                          When(roof, s.Roofline()),
                          When(roof, std::string(s.MemoryBound() ? "memory" : "compute")),
                          When(!use->module.empty(), use->module),
                          text(use->inputs.shapes),
                          text(use->inputs.types),
                          text(use->inputs.strides),
                          KindCell(KindOf(*use))});
  }
  return table;
}

// What other shapes of the operator, with the same types, add up to.
FlopsSum OthersOf(const ShapeUse& use, const std::vector<Row>& rows) {
  FlopsSum sum;
  for (const Row& row : rows) {
    const bool other = row.use != &use && row.use->op == use.op &&
                       row.use->inputs.types == use.inputs.types && HasRoof(row.use->counted);
    if (other) sum.Add(row.use->counted);
  }
  return sum;
}

// The costliest shape that is far below its roofline, though others of its operator are not. What
// an operator as a whole misses is in flops.
void AddFinding(Report& report, const Facts& facts, const Shapes& shapes,
                const std::vector<Row>& rows) {
  const auto share_of = [&](int64_t time) {
    return static_cast<double>(time) /
           static_cast<double>(std::max<int64_t>(shapes.device_time, 1));
  };
  for (const auto& [use, label] : rows) {
    if (share_of(use->device_time) < kMatters) return;
    const FlopsSum& own = use->counted;
    if (!HasRoof(own) || own.Roofline() >= kFarFromRoof) continue;
    const FlopsSum others = OthersOf(*use, rows);
    if (share_of(others.time) < kMatters || others.Roofline() < kNearRoof) continue;
    const double left = 1 - own.Roofline() / others.Roofline();
    const double each = static_cast<double>(own.time) /
                        static_cast<double>(std::max<size_t>(facts.devices.size(), 1));
    report.findings.push_back(
        {.message =
             Say("{call} reaches {share} of its roofline; other shapes of {operator} reach "
                 "{others}.",
                 Phrase::Name(label), HumanRatio(own.Roofline()),
                 Phrase::Name(std::string((*facts.names)[use->op])), HumanRatio(others.Roofline())),
         .because = Say("{share} of device time in {calls} of {time} on average",
                        HumanRatio(share_of(use->device_time)),
                        Plural(static_cast<size_t>(use->calls), "call"),
                        HumanTime(static_cast<double>(Mean(*use)))),
         .hint = Say("use sizes that are multiples of 64, or merge calls of this shape; time it "
                     "alone (`repro` {id})",
                     use->id),
         .impact = ToInt64(each * left),
         .table = "shapes"});
    return;
  }
}

Table ScriptTable(std::string_view script) {
  Table table{.key = "script",
              .title = "PyTorch script",
              .columns = {KeyColumn("line", "line"), {"text", "text"}}};
  for (int64_t line = 1; !script.empty(); ++line) {
    const size_t end = std::min(script.find('\n'), script.size());
    table.rows.push_back({line, std::string(script.substr(0, end))});
    script.remove_prefix(std::min(end + 1, script.size()));
  }
  return table;
}

void AddScript(Report& report, const Facts& facts, const Shapes& shapes, const std::string& id) {
  const auto use = std::ranges::find(shapes.shapes, id, &ShapeUse::id);
  if (use == shapes.shapes.end()) {
    report.absent = Error{"there is no call of the id '" + id + "'", "`repro`",
                          "ids are in the first column of analysis shapes"};
    return;
  }
  const FlopsSum& s = use->counted;
  const auto script =
      ScriptOf(ReadCall(*facts.names, use->op, use->inputs),
               {.id = use->id,
                .device = use->longest_device,
                .calls = use->calls,
                .mean = Mean(*use),
                .longest = use->longest,
                .longest_rank = use->longest_rank,
                .flops = s.occurrences > 0 ? s.flops / static_cast<double>(s.occurrences) : 0,
                .flop_rate = s.time > 0 ? RateOf(s.flops, s.time) : 0,
                .between_memories = use->between_memories,
                .on_host = facts.OnHost()});
  if (script) {
    report.tables.push_back(ScriptTable(*script));
  } else {
    report.absent = script.error();
  }
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kShapes, facts);
  if (report.status == Status::kUnavailable) return report;
  const Shapes shapes = MeasureShapes(facts, params.Number("peak_tflops") * 1e12);
  if (shapes.shapes.empty()) {
    const Phrase how = Say(facts.OnHost() ? kRecordShapesOnHost : kRecordShapes, facts);
    MakeUnavailable(
        report,
        facts.OnHost()
            ? Say("nothing ran in an operator whose shapes are known: {how}", how)
            : Say("no activity was launched in an operator whose shapes are known: {how}", how));
    return report;
  }
  std::vector<Row> rows;
  for (const ShapeUse& use : shapes.shapes)
    rows.push_back({&use, LabelOfCall(ReadCall(*facts.names, use.op, use.inputs))});
  const auto share = [&](int64_t time) {
    return HumanRatio(static_cast<double>(time) /
                      static_cast<double>(std::max<int64_t>(shapes.device_time, 1)));
  };
  report.headline = Say("{call} has the most {time} ({share}) of {shapes}.",
                        Phrase::Name(rows.front().label), facts.OnHost() ? "time" : "device time",
                        share(rows.front().use->device_time), Plural(rows.size(), "shape"));
  report.metrics = {{"covered", "with shapes, % of device time",
                     Ratio(shapes.with_shapes, shapes.device_time), Unit::kRatio},
                    {"shapes", "shapes", static_cast<int64_t>(rows.size()), Unit::kCount}};
  report.tables.push_back(ShapesTable(facts, shapes, rows));
  AddFinding(report, facts, shapes, rows);
  if (!params.Text("repro").empty()) AddScript(report, facts, shapes, params.Text("repro"));
  return report;
}

}  // namespace
}  // namespace shapes

const Analysis kShapes = {
    .name = "shapes",
    .title = "Operators by shape",
    .label = "Shapes",
    .group = AnalysisGroup::kHost,
    .summary = "Time, FLOP/s and roofline per input shape",
    .doc = shapes::kDoc,
    .needs = Wanted(kRankActivityNeeds | kPythonFrames | KindSet{Kind::kOperator}, true, true),
    .params = shapes::kParams,
    .run = &shapes::Run,
};

}  // namespace stepscope
