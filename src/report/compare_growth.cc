// Implements the search for what grew.
#include "report/compare_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/library_files.h"
#include "report/compare_callees.h"
#include "report/compare_sides.h"
#include "report/compare_sizes.h"
#include "report/humanize.h"
#include "report/kernel_name.h"

namespace stepscope::comparison {
namespace {

constexpr double kExplains = 0.3;                // of what a part of steps takes more
constexpr double kLeast = 0.7, kMost = 1.3;      // of that, where a function is all of it
constexpr double kOtherSizes = 0.1;              // of what computes, on other sizes
constexpr double kMostWaits = 0.5;               // of what a part takes more
constexpr double kMostOfTime = 0.7;              // of compute time before
constexpr double kCounts = 0.01;                 // of compute, from which a kernel must fit in
constexpr double kSlower = 1.05, kAlike = 1.15;  // the factor, and what kernels may be off it
constexpr size_t kFewKernels = 3, kNamed = 3;

struct Function {
  Growth self, total;  // self: while no device ran anything, where that is known
  bool has_file = false;
  bool of_library = false;
  bool of_training = false;
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
    function.of_library = IsLibraryFile(file);
    function.of_training = IsOfTraining(file);
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

// The one that takes longer itself. A built-in one says little, and one of a library is what many
// call: of the functions around it, the innermost of the user's program, or of any file.
const Function& LongestWithin(const std::vector<Function>& functions, double more) {
  const Function& longest = functions.front();
  if (longest.has_file && (!longest.of_library || longest.of_training)) return longest;
  const auto comes_before = [](const Function& f, const Function& other) {
    return std::pair(f.of_library, f.total.b) < std::pair(other.of_library, other.total.b);
  };
  const Function* found = nullptr;
  for (const Function& f : functions) {
    if (!f.has_file || !IsAllOf(f.total, more)) continue;
    if (found == nullptr || comes_before(f, *found)) found = &f;
  }
  return found == nullptr || (longest.has_file && found->of_library) ? longest : *found;
}

// Whether it only waits for others, such as the workers of a loader.
bool IsLibraryWait(const Function& function) {
  constexpr auto kWaits = std::to_array<std::string_view>({"select", "poll", "wait", "acquire"});
  const std::string_view name = std::string_view(function.self.name);
  return function.of_library && std::ranges::any_of(kWaits, [&](std::string_view wait) {
           return name.substr(0, name.find(' ')) == wait;
         });
}

// The function that takes longer. What runs any model waits there for other ranks: rather another
// of a file that takes much longer.
const Growth* LongerFunction(const std::vector<Function>& functions, double more) {
  const auto is_much = [&](const Function& f) { return f.self.Change() >= kExplains * more; };
  if (functions.empty() || !is_much(functions.front())) return nullptr;
  const Function& longest = LongestWithin(functions, more);
  if (IsLibraryWait(longest)) return nullptr;
  if (longest.of_training) {
    const auto own = std::ranges::find_if(
        functions, [](const Function& f) { return f.has_file && !f.of_training; });
    if (own != functions.end() && is_much(*own)) return &own->self;
  }
  return &longest == &functions.front() ? &longest.self : &longest.total;
}

// What a new function only calls, of the user's program and new as well; or the function itself.
const Growth* InnermostNew(const ReportSet& after, const Growth& outer,
                           const std::vector<Function>& functions) {
  const std::set<std::string> names = FunctionsWithin(after, outer.name);
  std::vector<const Growth*> within;
  for (const Function& f : functions) {
    const bool is_new = f.has_file && !f.of_library && f.total.IsNew();
    if (is_new && !f.total.name.starts_with('<') && names.contains(NameInTree(f.total.name)))
      within.push_back(&f.total);
  }
  return &CalledBy(outer, within, [](const Growth& growth) { return growth.b; });
}

// `after`: the run whose functions take more.
const Growth* FunctionBehind(const ReportSet& after, const std::vector<Function>& functions,
                             double more) {
  const Growth* named = NewFunction(functions, more);
  return named == nullptr ? LongerFunction(functions, more)
                          : InnermostNew(after, *named, functions);
}

Phrase SayBoth(const Growth& growth) {
  return Say("{name} {before} before, {after} after", Phrase::Name(growth.name),
             HumanTime(growth.a), HumanTime(growth.b));
}

// "; Python: f (a.py:1) 1 ms before, 2 ms after; ...": the largest first.
template <class Of>
Phrase SayLargest(std::string_view what, const auto& all, double more, const Of& of) {
  Phrase text;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    const Growth& growth = of(all[i]);
    if (growth.Change() < kExplains / kNamed * more) break;
    text += text.empty() ? Phrase("; ") + what + SayBoth(growth) : "; " + SayBoth(growth);
  }
  return text;
}

Phrase SayChange(const Growth& growth) {
  const Phrase name = Phrase::Name(growth.name);
  if (growth.IsNew()) return Say("{name} is new", name);
  const std::string time = HumanTime(growth.Change());
  return growth.HasMoreCalls()
             ? Say("{name} takes {time} more ({before} calls per step before, {after} after)", name,
                   time, HumanCount(growth.calls_a), HumanCount(growth.calls_b))
             : Say("{name} takes {time} more", name, time);
}

// The same without its numbers.
Phrase SayBriefly(const Growth& growth) {
  const Phrase name = Phrase::Name(growth.name);
  if (growth.IsNew()) return Say("{name} is new", name);
  return growth.HasMoreCalls() ? Say("{name} runs more often", name)
                               : Say("{name} takes longer", name);
}

Reason ReasonFor(const Phrase& is, const Phrase& brief) {
  return {.is = is, .because = {}, .hint = {}, .brief = brief};
}

// Of what grew from the run after to the one before.
Reason SayLess(const Growth& growth) {
  const Phrase name = Phrase::Name(growth.name);
  if (growth.IsNew()) {
    const Phrase gone = Say("{name} no longer runs", name);
    return ReasonFor(gone, gone);
  }
  return ReasonFor(Say("{name} takes {time} less", name, HumanTime(growth.Change())),
                   Say("{name} takes less", name));
}

// Kernels by the names that people read.
std::vector<Growth> CompareNamed(const ReportSet& a, const ReportSet& b, Rank rank) {
  std::vector<Growth> kernels = CompareCompute(a, b, rank, kKernels);
  for (Growth& kernel : kernels) kernel.name = ShortName(OperatorLabel(kernel.name));
  return kernels;
}

// Whether most of what computes became slower, by at least half of what all did: then it is no
// matter of single calls. Of the same calls, on sizes not known to differ.
bool MostAreSlower(const std::vector<Growth>& kernels, double factor) {
  double before = 0, slower = 0;
  size_t count = 0;
  for (const Growth& kernel : kernels) {
    before += kernel.a;
    if (kernel.a <= 0 || kernel.b / kernel.a < 1 + (factor - 1) / 2) continue;
    slower += kernel.a;
    ++count;
  }
  return count >= kFewKernels && slower >= kMostOfTime * before;
}

Phrase SayFactor(double factor) {
  return factor < 2 ? Say("{share} longer", HumanRatio(factor - 1))
                    : Say("{times}× as long", fmt::format("{:.1f}", factor));
}

// "the same calls on the same shapes take 4.9× as long"; empty where single calls do.
Phrase SayAllSlower(const std::vector<Growth>& kernels, Sizes sizes) {
  double before = 0, after = 0;
  for (const Growth& kernel : kernels) {
    before += kernel.a;
    after += kernel.b;
  }
  const double factor = before > 0 ? after / before : 0;
  if (factor < kSlower || sizes == Sizes::kDiffer || !SameCalls(kernels)) return {};
  if (!MostAreSlower(kernels, factor)) return {};
  return sizes == Sizes::kSame
             ? Say("the same calls on the same shapes take {longer}", SayFactor(factor))
             : Say("the same calls take {longer}", SayFactor(factor));
}

// A call by its first input, where its name is long.
std::string Brief(const std::string& call) {
  constexpr size_t kLong = 60;
  return call.size() <= kLong ? call : call.substr(0, call.find(", "));
}

Phrase SaySizes(const Growth& growth) {
  return Say("inputs have other sizes, as {call} ({before} times per step before, {after} after)",
             Phrase::Name(Brief(growth.name)), HumanCount(growth.calls_a),
             HumanCount(growth.calls_b));
}

constexpr std::string_view kConvert =
    "find what makes these inputs another type (.double(), torch.float64, arrays of NumPy), and "
    "convert them";

// "fp64" of "mm M=8 N=8 K=8 fp64", as calls by shape end; empty: they end otherwise.
std::string_view TypeOfCall(std::string_view call) {
  const std::string_view last = call.substr(call.rfind(' ') + 1);
  const bool is_type = last.starts_with("fp") || last.starts_with("bf") || last.starts_with("tf");
  return is_type && last.size() < call.size() ? last : std::string_view();
}

// The call of the same sizes that runs less often, on another type; null: there is none.
const Growth* OnOtherType(const std::vector<Growth>& shapes, const Growth& more) {
  const std::string_view call = more.name, type = TypeOfCall(call);
  if (type.empty()) return nullptr;
  const std::string_view sizes = call.substr(0, call.size() - type.size());
  const auto at = std::ranges::find_if(shapes, [&](const Growth& g) {
    const std::string_view of = TypeOfCall(g.name);
    return g.calls_b < g.calls_a && !of.empty() && of != type &&
           std::string_view(g.name).substr(0, g.name.size() - of.size()) == sizes;
  });
  return at == shapes.end() ? nullptr : &*at;
}

// What computing takes more time for, and the same briefly.
std::pair<Phrase, Phrase> SayMore(const ReportSet& a, const ReportSet& b,
                                  const std::vector<Growth>& kernels, Sizes sizes, double more) {
  const std::vector<Growth> other = OtherSizes(a, b);
  const std::vector<Growth> shapes = CompareCompute(a, b, std::nullopt, kShapes);
  if (const Growth* before = other.empty() ? nullptr : OnOtherType(shapes, other.front())) {
    const Phrase types =
        Say("inputs are {type} instead of {other}", std::string(TypeOfCall(other.front().name)),
            std::string(TypeOfCall(before->name)));
    return {Say("{types}, as {call}", types, Phrase::Name(Brief(other.front().name))), types};
  }
  if (sizes == Sizes::kDiffer && !other.empty() && SameCalls(kernels))
    return {SaySizes(other.front()), "inputs have other sizes"};
  if (kernels.front().Change() < kExplains * more) return {};
  return {SayChange(kernels.front()), SayBriefly(kernels.front())};
}

std::string_view HintForCompute(const Growth& most, Sizes sizes, bool one_factor, bool all_slower) {
  if (one_factor)
    return "the same calls on the same shapes are all slower: check clocks, temperature and other "
           "processes; see stragglers of the run after";
  if (all_slower)
    return sizes == Sizes::kSame
               ? "check what else ran on these machines (workers of data loading, other jobs), and "
                 "their clocks"
               : "compare batch size and lengths of inputs (record_shapes=True records them), and "
                 "what else ran on these machines (workers of data loading, other jobs)";
  if (most.HasMoreCalls())
    return "find what adds these calls: branches of the model, data, lengths, fused kernels that "
           "no longer apply; table kernels";
  if (sizes == Sizes::kUnknown)
    return "compare batch size and lengths of inputs (record_shapes=True records them), data "
           "types, library versions, and what else ran; table kernels";
  return sizes == Sizes::kSame
             ? "calls and shapes are the same: compare data types, library versions and "
               "settings, and what runs at the same time; table kernels"
             : "inputs have other sizes: check batch size, lengths and balance of the data, and "
               "sizes of layers";
}

// Kernels of the whole run say nothing of a change of steps where evaluation changed as much.
bool EvaluationHides(const ReportSet& a, const ReportSet& b, double change) {
  return std::abs(MoreEvaluation(a, b)) >= kExplains * std::abs(change);
}

}  // namespace

Phrase AfterColon(const Reason& reason) { return reason.is.empty() ? Phrase() : ": " + reason.is; }

double MoreWaiting(const ReportSet& a, const ReportSet& b, Rank rank) {
  if (!RecordedPython(a) || !RecordedPython(b)) return 0;
  double more = 0;
  for (const Function& function : CompareFunctions(a, b, rank)) {
    if (!function.has_file && function.self.name == "wait") more += function.self.Change();
  }
  return more;
}

Reason ReasonOnHost(const ReportSet& a, const ReportSet& b, Rank rank, double more) {
  // Where only one run has Python's functions, none of them is known to be new.
  if (!RecordedPython(a) || !RecordedPython(b)) return {};
  if (MoreWaiting(a, b, rank) >= kMostWaits * more)
    return {.is = "most of it waits in wait()",
            .because = {},
            .hint =
                "find what it waits for: ranks that come late, collectives; see stragglers and "
                "collectives of the run after",
            .brief = {}};
  const std::vector<Function> functions = CompareFunctions(a, b, rank);
  const Growth* named = FunctionBehind(b, functions, more);
  if (named == nullptr) return {};
  return {.is = SayChange(*named),
          .because = SayLargest("Python: ", functions, more,
                                [](const Function& f) -> const Growth& { return f.self; }),
          .hint = LookAt(Phrase::Name(named->name)),
          .brief = SayBriefly(*named)};
}

Phrase LookAt(const Phrase& function) {
  return Say("look at {name} and what calls it: changed code, arguments or data; see python",
             function);
}

Phrase FunctionThatGrew(const ReportSet& a, const ReportSet& b, Rank rank, double more) {
  if (!RecordedPython(a) || !RecordedPython(b)) return {};
  const std::vector<Function> functions = CompareFunctions(a, b, rank);
  const Growth* found = nullptr;
  for (const Function& f : functions) {
    if (!f.has_file || f.of_library || f.total.name.starts_with('<')) continue;
    if (IsAllOf(f.total, more) && (found == nullptr || f.total.b < found->b)) found = &f.total;
  }
  return found == nullptr ? Phrase() : Phrase::Name(found->name);
}

Reason ReasonInCompilation(const ReportSet& a, const ReportSet& b, double more) {
  const auto program = [](const ReportSet& of) {
    return Phrase::Name(TextOf(of, "overview", "compiled_program"));
  };
  const Phrase before = program(a), after = program(b);
  if (more > 0 && !after.empty() && before.empty()) {
    const Phrase is = Say("{program} is compiled within steps", after);
    return {.is = is, .because = {}, .hint = {}, .brief = is};
  }
  if (more < 0 && !before.empty() && after.empty()) {
    const Phrase gone = Say("{program} is no longer compiled within steps", before);
    return ReasonFor(gone, gone);
  }
  return {};
}

Reason ReasonAfterOnly(const ReportSet& a, const ReportSet& b) {
  const Phrase largest = Phrase::Name(TextOf(b, "overview", "largest_function"));
  if (largest.empty() || RecordedPython(a)) return {};
  return {.is = Say("after, the largest Python function between operators is {name}", largest),
          .because = "; Python functions are recorded only after",
          .hint = Say("look at {name}; record both runs with Python functions to compare them",
                      largest),
          .brief = {}};
}

Reason LessOnHost(const ReportSet& a, const ReportSet& b, Rank rank, double less) {
  if (!RecordedPython(a) || !RecordedPython(b)) return {};
  const std::vector<Function> functions = CompareFunctions(b, a, rank);
  const Growth* named = FunctionBehind(a, functions, less);
  return named == nullptr ? Reason() : SayLess(*named);
}

Phrase SayOtherSizes(const ReportSet& a, const ReportSet& b) {
  const std::vector<Growth> other = OtherSizes(a, b);
  double all = 0, of_other = 0;
  for (const Growth& shape : CompareCompute(a, b, std::nullopt, kShapes)) all += shape.b;
  for (const Growth& shape : other) of_other += shape.b;
  if (other.empty() || of_other < kOtherSizes * all || !SameCalls(CompareNamed(a, b, {})))
    return {};
  return " " + Capitalized(SaySizes(other.front())) + ".";
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
  if (EvaluationHides(a, b, more)) return {};
  const std::vector<Growth> kernels = CompareNamed(a, b, rank);
  if (kernels.empty() || kernels.front().Change() <= 0) return {};
  const std::vector<Growth> shapes = CompareCompute(a, b, std::nullopt, kShapes);
  constexpr std::identity itself;
  const Growth& most = kernels.front();
  const bool one_factor = SlowerByOneFactor(a, b, rank);
  const Sizes sizes = CompareSizes(a, b, rank);
  const Phrase all = SayAllSlower(kernels, sizes);
  const std::vector<Growth> other = OtherSizes(a, b);
  const bool types = all.empty() && !other.empty() && OnOtherType(shapes, other.front()) != nullptr;
  auto [is, brief] = all.empty() ? SayMore(a, b, kernels, sizes, more) : std::pair(all, all);
  const bool more_calls = all.empty() && !is.empty() && most.HasMoreCalls();
  const Phrase function = more_calls ? FunctionThatGrew(a, b, rank, more) : Phrase();
  if (!function.empty()) {
    const Phrase beside = Say(", while {function} takes longer", function);
    is += beside;
    brief += beside;
  }
  return {.is = is,
          .because = SayLargest("kernels: ", kernels, more, itself) +
                     SayLargest("calls by shape, all ranks: ", shapes, more, itself),
          .hint = types              ? Phrase(kConvert)
                  : function.empty() ? Phrase(HintForCompute(most, sizes, one_factor, !all.empty()))
                                     : LookAt(function),
          .brief = brief};
}

Reason LessInCompute(const ReportSet& a, const ReportSet& b, Rank rank, double less) {
  if (EvaluationHides(a, b, less)) return {};
  constexpr const char* kFaster = "the same calls on the same shapes are all faster";
  if (SlowerByOneFactor(b, a, rank)) return ReasonFor(kFaster, kFaster);
  const std::vector<Growth> kernels = CompareNamed(b, a, rank);
  const Sizes sizes = CompareSizes(b, a, rank);
  if (!SayAllSlower(kernels, sizes).empty()) {
    const char* because = sizes == Sizes::kSame ? "the same calls on the same shapes take less"
                                                : "the same calls take less";
    return ReasonFor(because, because);
  }
  if (kernels.empty() || kernels.front().Change() < kExplains * less) return {};
  return SayLess(kernels.front());
}

}  // namespace stepscope::comparison
