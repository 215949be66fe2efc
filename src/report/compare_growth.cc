// Implements the search for what grew.
#include "report/compare_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/compare_sides.h"
#include "report/humanize.h"
#include "report/kernel_name.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kExplains = 0.3;                // of what a part of steps takes more
constexpr double kLeast = 0.7, kMost = 1.3;      // of that, where a function is all of it
constexpr double kMoreCalls = 0.05;              // of the calls before
constexpr double kSameCalls = 0.01;              // that calls may differ by and be as many
constexpr double kCounts = 0.01;                 // of compute, from which a kernel must fit in
constexpr double kSlower = 1.05, kAlike = 1.15;  // the factor, and what kernels may be off it
constexpr size_t kFewKernels = 3, kNamed = 3;

using Row = std::vector<Cell>;
using Rank = std::optional<int64_t>;

double Number(const Row& row, std::optional<size_t> at) {
  return at && IsNumber(row[*at]) ? NumberOf(row[*at]) : 0;
}

std::string_view Text(const Row& row, std::optional<size_t> at) {
  const auto* text = at ? std::get_if<std::string>(&row[*at]) : nullptr;
  return text == nullptr ? std::string_view() : *text;
}

// The steps of a rank, or of all.
double StepsOf(const ReportSet& answer, Rank rank) {
  if (!rank) return std::max(MetricOf(answer, "overview", "steps"), 1.0);
  const Table* table = FindTable(FindReport(answer, "overview"), "steps");
  const auto at = table == nullptr ? std::nullopt : FindColumn(*table, "rank");
  if (!at) return 1;
  const auto steps =
      std::ranges::count_if(table->rows, [&](const Row& row) { return row[*at] == Cell(*rank); });
  return static_cast<double>(std::max<int64_t>(steps, 1));
}

// Calls visit(table, row) for the rows of this rank, or all.
template <class Visit>
void ForRows(const ReportSet& answer, std::string_view analysis, std::string_view key, Rank rank,
             const Visit& visit) {
  const Table* table = FindTable(FindReport(answer, analysis), key);
  if (table == nullptr) return;
  const auto at = FindColumn(*table, "rank");
  for (const Row& row : table->rows) {
    if (rank && at && row[*at] != Cell(*rank)) continue;
    visit(*table, row);
  }
}

struct Function {
  Growth self, total;  // self: while no device ran anything, where that is known
  bool has_file = false;
};

// Lines move when code changes: functions are the same by name and file.
using Functions = std::map<std::pair<std::string, std::string>, Function>;

void AddFunctions(const ReportSet& answer, Rank rank, double Growth::* time, double Growth::* calls,
                  Functions& functions) {
  const double steps = StepsOf(answer, rank);
  ForRows(answer, "python", "functions", rank, [&](const Table& table, const Row& row) {
    const auto of = [&](std::string_view key) { return FindColumn(table, key); };
    if (Text(row, of("training")) != "yes") return;
    const std::string name(Text(row, of("function"))), file(Text(row, of("file")));
    Function& function = functions[{name, file}];
    function.has_file = !file.empty() && !file.starts_with('<');  // generated code has none
    const auto idle = of("idle");
    const bool known = idle && IsNumber(row[*idle]);
    function.self.*time += Number(row, known ? idle : of("self")) / steps;
    function.total.*time += Number(row, of("total")) / steps;
    function.self.*calls += Number(row, of("calls")) / steps;
    function.total.*calls = function.self.*calls;
    function.self.name =
        file.empty() ? name : fmt::format("{} ({}:{:.0f})", name, file, Number(row, of("line")));
    function.total.name = function.self.name;
  });
}

std::vector<Function> CompareFunctions(const ReportSet& a, const ReportSet& b, Rank rank) {
  Functions functions;
  AddFunctions(a, rank, &Growth::a, &Growth::calls_a, functions);
  AddFunctions(b, rank, &Growth::b, &Growth::calls_b, functions);
  std::vector<Function> all;
  for (auto& [name, function] : functions) all.push_back(std::move(function));
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const Function& f) { return f.self.Change(); });
  return all;
}

bool IsAllOf(const Growth& growth, double more) {
  return growth.Change() >= kLeast * more && growth.Change() <= kMost * more;
}

// The outermost new function of a file that takes what is more; null where none does.
const Growth* NewFunction(const std::vector<Function>& functions, double more) {
  const Growth* found = nullptr;
  for (const Function& f : functions) {
    if (!f.has_file || !f.total.IsNew() || !IsAllOf(f.total, more)) continue;
    if (found == nullptr || f.total.b > found->b) found = &f.total;
  }
  return found;
}

// The function that takes longer. A built-in one says little: of the functions around it, the
// innermost.
const Growth* LongerFunction(const std::vector<Function>& functions, double more) {
  if (functions.empty() || functions.front().self.Change() < kExplains * more) return nullptr;
  if (functions.front().has_file) return &functions.front().self;
  const Growth* found = nullptr;
  for (const Function& f : functions) {
    if (!f.has_file || !IsAllOf(f.total, more)) continue;
    if (found == nullptr || f.total.b < found->b) found = &f.total;
  }
  return found == nullptr ? &functions.front().self : found;
}

const Growth* FunctionBehind(const std::vector<Function>& functions, double more) {
  const Growth* named = NewFunction(functions, more);
  return named == nullptr ? LongerFunction(functions, more) : named;
}

std::string SayBoth(const Growth& growth) {
  return fmt::format("{} {} before, {} after", growth.name, HumanTime(growth.a),
                     HumanTime(growth.b));
}

// "; Python: f (a.py:1) 1 ms before, 2 ms after; ...": the largest first.
template <class Of>
std::string SayLargest(std::string_view what, const auto& all, double more, const Of& of) {
  std::string text;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    const Growth& growth = of(all[i]);
    if (growth.Change() < kExplains / kNamed * more) break;
    text += fmt::format("; {}{}", text.empty() ? what : "", SayBoth(growth));
  }
  return text;
}

std::string SayChange(const Growth& growth) {
  if (growth.IsNew()) return fmt::format("{} is new", growth.name);
  return fmt::format("{} takes {} more", growth.name, HumanTime(growth.Change()));
}

// Of what grew from the run after to the one before.
std::string SayLess(const Growth& growth) {
  if (growth.IsNew()) return fmt::format("{} no longer runs", growth.name);
  return fmt::format("{} takes {} less", growth.name, HumanTime(growth.Change()));
}

std::vector<Growth> Sorted(std::map<std::string, Growth> by_name) {
  std::vector<Growth> all;
  for (auto& [name, growth] : by_name) {
    growth.name = name;
    all.push_back(std::move(growth));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Growth::Change);
  return all;
}

bool IsCompute(std::string_view kind) {
  return kind.empty() || kind == ColumnKindName(ColumnKind::kCompute);
}

struct Source {
  std::string_view analysis, table, name, count, time;
};
constexpr Source kKernels{"kernel_breakdown", "kernels", "name", "count", "sum"};
constexpr Source kShapes{"shapes", "shapes", "call", "calls", "device_time"};

// What computes. Shapes are of all ranks.
std::vector<Growth> CompareCompute(const ReportSet& a, const ReportSet& b, Rank rank,
                                   const Source& source) {
  std::map<std::string, Growth> by_name;
  const auto add = [&](const ReportSet& answer, double Growth::* time, double Growth::* calls) {
    const double steps = StepsOf(answer, rank);
    ForRows(answer, source.analysis, source.table, rank, [&](const Table& table, const Row& row) {
      const auto of = [&](std::string_view key) { return FindColumn(table, key); };
      if (!IsCompute(Text(row, of("kind")))) return;
      Growth& growth = by_name[std::string(Text(row, of(source.name)))];
      growth.*time += Number(row, of(source.time)) / steps;
      growth.*calls += Number(row, of(source.count)) / steps;
    });
  };
  add(a, &Growth::a, &Growth::calls_a);
  add(b, &Growth::b, &Growth::calls_b);
  return Sorted(std::move(by_name));
}

// Kernels by the names that people read.
std::vector<Growth> CompareNamed(const ReportSet& a, const ReportSet& b, Rank rank) {
  std::vector<Growth> kernels = CompareCompute(a, b, rank, kKernels);
  for (Growth& kernel : kernels) kernel.name = ShortName(OperatorLabel(kernel.name));
  return kernels;
}

bool AsManyCalls(const Growth& growth) {
  return std::abs(growth.calls_b - growth.calls_a) <= kSameCalls * growth.calls_a;
}

// Whether the same calls were made, as far as they take time; false where none is known.
bool SameCalls(const std::vector<Growth>& all) {
  double sum = 0;
  for (const Growth& growth : all) sum += growth.a + growth.b;
  return !all.empty() && std::ranges::all_of(all, [&](const Growth& growth) {
    return growth.a + growth.b < kCounts * sum || AsManyCalls(growth);
  });
}

enum class Sizes : uint8_t { kUnknown, kSame, kDiffer };

Sizes CompareFlopsIn(const ReportSet& a, const ReportSet& b, Rank rank, const Source& source) {
  std::map<std::string, std::pair<double, double>> flops;
  const auto add = [&](const ReportSet& answer, double std::pair<double, double>::* side) {
    ForRows(answer, source.analysis, source.table, rank, [&](const Table& table, const Row& row) {
      const double of_rows = Number(row, FindColumn(table, source.time));
      if (of_rows <= 0) return;
      flops[std::string(Text(row, FindColumn(table, source.name)))].*side +=
          of_rows / StepsOf(answer, rank);
    });
  };
  add(a, &std::pair<double, double>::first);
  add(b, &std::pair<double, double>::second);
  double before = 0, after = 0;
  for (const auto& [name, of] : flops) {
    before += of.first;
    after += of.second;
  }
  if (before == 0 || after == 0) return Sizes::kUnknown;
  const bool same = std::ranges::all_of(flops, [](const auto& of) {
    const auto& [in_a, in_b] = of.second;
    return std::abs(in_b - in_a) <= kSameCalls * in_a;
  });
  return same ? Sizes::kSame : Sizes::kDiffer;
}

// Of what operators, or else modules, work on, by their FLOP: of jobs that compute on their host.
Sizes CompareFlops(const ReportSet& a, const ReportSet& b, Rank rank) {
  Sizes sizes = CompareFlopsIn(a, b, rank, {"operators", "operators", "name", "", "flops"});
  if (sizes == Sizes::kUnknown)
    sizes = CompareFlopsIn(a, b, std::nullopt, {"modules", "types", "type", "", "flops"});
  return sizes;
}

Sizes CompareSizes(const ReportSet& a, const ReportSet& b, Rank rank) {
  const std::vector<Growth> shapes = CompareCompute(a, b, std::nullopt, kShapes);
  const auto in_a = [](const Growth& g) { return g.calls_a > 0; };
  const auto in_b = [](const Growth& g) { return g.calls_b > 0; };
  // Only one run may have recorded shapes.
  if (std::ranges::none_of(shapes, in_a) || std::ranges::none_of(shapes, in_b))
    return CompareFlops(a, b, rank);
  return SameCalls(shapes) ? Sizes::kSame : Sizes::kDiffer;
}

std::string HintForCompute(const Growth& most, Sizes sizes, bool one_factor) {
  if (one_factor)
    return "the same calls on the same shapes are all slower: check clocks, temperature and other "
           "processes; see stragglers of the run after";
  if (most.calls_b > (1 + kMoreCalls) * most.calls_a)
    return "find what adds these calls: branches of the model, data, lengths, fused kernels that "
           "no longer apply; table kernels";
  if (sizes == Sizes::kUnknown)
    return "compare batch size and lengths of inputs (record_shapes=True records them), data "
           "types, "
           "library versions, and what else ran; table kernels";
  return sizes == Sizes::kSame
             ? "calls and shapes are the same: compare data types, library versions and "
               "settings, and what runs at the same time; table kernels"
             : "inputs have other sizes: check batch size, lengths and balance of the data";
}

}  // namespace

Reason ReasonOnHost(const ReportSet& a, const ReportSet& b, Rank rank, double more) {
  const std::vector<Function> functions = CompareFunctions(a, b, rank);
  const Growth* named = FunctionBehind(functions, more);
  if (named == nullptr) return {};
  return {.is = SayChange(*named),
          .because = SayLargest("Python: ", functions, more,
                                [](const Function& f) -> const Growth& { return f.self; }),
          .hint = fmt::format(
              "look at {} and what calls it: changed code, arguments or data; see python",
              named->name)};
}

std::string LessOnHost(const ReportSet& a, const ReportSet& b, Rank rank, double less) {
  const std::vector<Function> functions = CompareFunctions(b, a, rank);
  const Growth* named = FunctionBehind(functions, less);
  return named == nullptr ? "" : SayLess(*named);
}

bool SlowerByOneFactor(const ReportSet& a, const ReportSet& b, Rank rank) {
  const std::vector<Growth> kernels = CompareCompute(a, b, rank, kKernels);
  if (!SameCalls(kernels) || CompareSizes(a, b, rank) != Sizes::kSame) return false;
  double before = 0, after = 0;
  for (const Growth& kernel : kernels) {
    before += kernel.a;
    after += kernel.b;
  }
  const double factor = before > 0 ? after / before : 0;
  if (factor < kSlower) return false;
  size_t counted = 0;
  for (const Growth& kernel : kernels) {
    if (kernel.a < kCounts * before) continue;
    const double own = kernel.b / kernel.a / factor;
    if (own > kAlike || own < 1 / kAlike) return false;
    ++counted;
  }
  return counted >= kFewKernels;
}

Reason ReasonInCompute(const ReportSet& a, const ReportSet& b, Rank rank, double more) {
  const std::vector<Growth> kernels = CompareNamed(a, b, rank);
  if (kernels.empty() || kernels.front().Change() <= 0) return {};
  const std::vector<Growth> shapes = CompareCompute(a, b, std::nullopt, kShapes);
  const auto itself = [](const Growth& growth) -> const Growth& { return growth; };
  const Growth& most = kernels.front();
  const bool one_factor = SlowerByOneFactor(a, b, rank);
  return {.is = one_factor || most.Change() < kExplains * more ? "" : SayChange(most),
          .because = SayLargest("kernels: ", kernels, more, itself) +
                     SayLargest("calls by shape, all ranks: ", shapes, more, itself),
          .hint = HintForCompute(most, CompareSizes(a, b, rank), one_factor)};
}

std::string LessInCompute(const ReportSet& a, const ReportSet& b, Rank rank, double less) {
  if (SlowerByOneFactor(b, a, rank)) return "the same calls on the same shapes are all faster";
  const std::vector<Growth> kernels = CompareNamed(b, a, rank);
  if (kernels.empty() || kernels.front().Change() < kExplains * less) return {};
  return SayLess(kernels.front());
}

}  // namespace stepscope::comparison
