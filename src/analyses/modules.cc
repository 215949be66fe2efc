// Reports host time, device time and memory of the modules of a model.
#include "facts/derived/modules/modules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/operators/path_tree.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace modules {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which layers of the model take host and device time, in forward and in backward?

**Definition:** Modules are those whose calls PyTorch records with `with_stack=True`: `Linear_0` is one module, however
often it is called. Where no calls are recorded, they are the name scopes that XLA keeps of its operations (modules of
Flax, layers of Keras). An activity of `forward` belongs to the innermost module around its launch call, on the call's
thread. One of `backward` belongs to the module of the forward operator that it is the gradient of: autograd gives both one
sequence number. What a module runs within backward, such as recomputation, is its backward. Times are sums of
durations, without the modules inside; `device` is with them. `host` is the duration of the module's calls, `host_self`
without the modules it called. `kernels` and `flops` (see `flops`) are without the modules inside. `exposed` is its
communication without concurrent compute. `share` is forward and backward as a share of device time. `allocated` are the
bytes that the module allocates on devices, freed or not. `at_peak` are those of them in use when the device has most in
use (see `memory_profile`), and `total_at_peak` includes the modules inside. An allocation belongs to a module as an
activity does, by the moment and the thread that asks for it. `types` adds up modules of one class. All tables add up all
ranks. `tree` has the modules by caller: `total` and `self` are host times. Findings about kernels name the module that
has half or more of a kernel's time, or else the class of modules.

**Limitations:** In code compiled by torch.compile, and in captured graphs, activities belong to the module that
called the compiled code or the graph. Optimizers, and communication of gradients, are in no module. Backward that
Python code computes itself (torch.autograd.Function) belongs to the module that called the function. Memory is unknown
without profile_memory=True. Parameters are usually allocated before the trace, and memory asked for outside of operators
is in no module. Name scopes have no calls and no host time, and scopes of other code look like modules.

**Interpretation:** The first rows of `types` and `modules` are where a faster implementation helps most. If a module
has much host time for little device time, compile it or capture it in a CUDA graph. Exposed communication of a module
starts too late or is too large: prefetch its parameters (FSDP), or shard it another way.
)md";

struct TypeSum {
  int64_t instances = 0, calls = 0, host_self = 0;
  ModuleSum self;
};

std::vector<Column> ValueColumns() {
  Column flops{"flops", "FLOP", Unit::kFlop};
  Column allocated = BytesColumn("allocated", "allocated memory");
  flops.detail = allocated.detail = true;
  return {CountColumn("calls", "calls"),
          TimeColumn("host_self", "host self time"),
          TimeColumn("forward", "forward"),
          TimeColumn("backward", "backward"),
          RatioColumn("share", "% of device time"),
          CountColumn("kernels", "kernels"),
          flops,
          TimeColumn("exposed", "exposed communication"),
          allocated,
          BytesColumn("at_peak", "memory at peak")};
}

std::vector<Cell> Values(const Modules& modules, int64_t calls, int64_t host_self,
                         const ModuleSum& self) {
  return {When(modules.host_known, calls),
          When(modules.host_known, host_self),
          self.forward,
          self.backward,
          Ratio(self.Device(), modules.device_time),
          self.kernels,
          When(self.flops > 0, self.flops),
          self.exposed,
          When(modules.memory_known, self.allocated),
          When(modules.blocks_known, self.at_peak)};
}

void SetKindsOf(Table& table) {
  SetKinds(table, {{"host_self", ColumnKind::kHost},
                   {"forward", ColumnKind::kForward},
                   {"backward", ColumnKind::kBackward},
                   {"exposed", ColumnKind::kCommunication}});
}

std::map<std::string, TypeSum> TypesOf(const Modules& modules) {
  std::map<std::string, TypeSum> types;
  for (const Module& module : modules.modules) {
    TypeSum& sum = types[module.type];
    ++sum.instances;
    sum.calls += module.calls;
    sum.host_self = AddSaturated(sum.host_self, module.host_self);
    sum.self.Add(module.self);
  }
  return types;
}

Table TypesTable(const Modules& modules) {
  Table table{.key = "types",
              .title = "Module types",
              .columns = {KeyColumn("type", "type"), CountColumn("instances", "modules")},
              .text_rows = 8};
  AddColumns(table, ValueColumns());
  SetKindsOf(table);
  const auto types = TypesOf(modules);
  std::vector<std::pair<std::string, TypeSum>> rows(types.begin(), types.end());
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const auto& row) {
    return std::pair(row.second.self.Device(), row.second.host_self);
  });
  for (const auto& [type, sum] : rows) {
    std::vector<Cell> row = {type, sum.instances};
    std::ranges::move(Values(modules, sum.calls, sum.host_self, sum.self), std::back_inserter(row));
    table.rows.push_back(std::move(row));
  }
  return table;
}

struct Row {
  std::string path;
  const Module* module = nullptr;
};

// By device time, then host time, then path.
std::vector<Row> LargestFirst(const Modules& modules) {
  std::vector<Row> rows;
  for (ModuleId m = 0; m < modules.modules.size(); ++m)
    rows.push_back({modules.PathOf(m), &modules.modules[m]});
  std::ranges::sort(rows, {}, [](const Row& row) {
    return std::tuple(-row.module->self.Device(), -row.module->host_self,
                      std::string_view(row.path));
  });
  return rows;
}

Table ModulesTable(const Modules& modules, const std::vector<Row>& rows) {
  Table table{.key = "modules",
              .title = "Modules by device time",
              .columns = {KeyColumn("path", "module")},
              .text_rows = 8};
  AddColumns(table, ValueColumns());
  AddColumns(table, {TimeColumn("host", "host time"), TimeColumn("device", "total device time"),
                     BytesColumn("total_at_peak", "total memory at peak")});
  SetKindsOf(table);
  for (const auto& [path, of] : rows) {
    const Module& module = *of;
    std::vector<Cell> row = {path};
    std::ranges::move(Values(modules, module.calls, module.host_self, module.self),
                      std::back_inserter(row));
    row.insert(row.end(), {When(modules.host_known, module.host), module.all.Device(),
                           When(modules.blocks_known, module.all.at_peak)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Modules of one name below one parent read alike, and are one there.
std::vector<PathRow> PathsOf(const Modules& modules) {
  std::map<std::string_view, StringId> numbers;
  std::vector<std::string_view> names;
  PathTree paths([&](StringId name) { return std::string(names[name]); }, {});
  std::vector<PathTree::NodeId> nodes(modules.modules.size(), PathTree::kRoot);
  std::vector<bool> placed(modules.modules.size());
  const auto place = [&](ModuleId m) {
    std::vector<ModuleId> way;
    for (; m != kNoModule && !placed[m]; m = modules.modules[m].parent) way.push_back(m);
    for (; !way.empty(); way.pop_back()) {
      const Module& module = modules.modules[way.back()];
      const auto [at, is_new] =
          numbers.try_emplace(module.name, static_cast<StringId>(names.size()));
      if (is_new) names.push_back(module.name);
      nodes[way.back()] = paths.Child(
          module.parent == kNoModule ? PathTree::kRoot : nodes[module.parent], at->second);
      placed[way.back()] = true;
    }
  };
  for (ModuleId m = 0; m < modules.modules.size(); ++m) {
    place(m);
    const Module& module = modules.modules[m];
    PathTree::Node& node = paths[nodes[m]];
    node.count += module.calls;
    node.total = AddSaturated(node.total, module.host);
    node.self = AddSaturated(node.self, module.host_self);
    node.device = AddSaturated(node.device, module.self.Device());
  }
  return paths.Finish();
}

Phrase Headline(const Modules& modules, const Table& types, const Module& module) {
  const int64_t in_modules = modules.device_time - modules.outside;
  if (in_modules <= 0) return "No device activity was launched in a module.";
  const auto& first = types.rows.front();
  const double* share = ColumnOf(types, "share").FindReal(first);
  return Say(
      "{type} modules have the most device time ({share}); the largest is {module} ({time}).",
      Phrase::Name(ColumnOf(types, "type").Text(first)), HumanRatio(share == nullptr ? 0 : *share),
      Phrase::Name(module.name), HumanTime(static_cast<double>(module.self.Device())));
}

constexpr Advice kRecordModules{
    "record with with_stack=True", "name layers, and record with device_tracer_level=1",
    "use modules with names (Flax), and record with device_tracer_level=1",
    "capture it so: stepscope capture torch --stacks"};

// PyTorch alone records the calls of modules among Python's.
bool RecordsCalls(const Facts& facts) {
  return RecordedPython(facts) && facts.ranks.front().framework == Framework::kPyTorch;
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kModules, facts);
  const Modules& modules = ModulesOf(facts);
  if (modules.modules.empty()) {
    MakeUnavailable(report,
                    RecordsCalls(facts) && HasPython(facts)
                        ? Phrase("no module was called while Python was recorded")
                        : Say("the traces name no modules: {how}", Say(kRecordModules, facts)));
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  Table types = TypesTable(modules);
  const std::vector<Row> rows = LargestFirst(modules);
  report.headline = Headline(modules, types, *rows.front().module);
  report.metrics = {{"outside_ratio", "in no module, % of device time",
                     Ratio(modules.outside, modules.device_time), Unit::kRatio}};
  report.tables.push_back(std::move(types));
  report.tables.push_back(ModulesTable(modules, rows));
  report.tables.push_back(PathTable("Modules by caller", "module", PathsOf(modules)));
  return report;
}

}  // namespace
}  // namespace modules

const Analysis kModules = {
    .name = "modules",
    .title = "Modules",
    .label = "Modules",
    .group = AnalysisGroup::kHost,
    .summary = "Host time, device time and memory per layer",
    .doc = modules::kDoc,
    .needs = Wanted(kRankActivityNeeds | kPythonFrames | KindSet{Kind::kOperator, Kind::kInstant},
                    true, true),
    .params = {},
    .run = &modules::Run,
};

}  // namespace stepscope
