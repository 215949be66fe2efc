// Derives steps from executions of compiled programs.
#include "ingest/xplane/xplane_runs.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/distribution.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

enum class Trains : uint8_t { kUnknown, kByName, kByGradients };

Trains TrainsAs(std::string_view module, const Programs& programs) {
  if (programs.WorkOf(module).gradients) return Trains::kByGradients;
  const bool named = module.contains("train_step") || module.contains("training_step");
  return named ? Trains::kByName : Trains::kUnknown;
}

}  // namespace

void ModuleRuns::Add(StringId module, StringId op, int64_t run, int64_t launch, int64_t start,
                     int64_t end) {
  if (module == kNoString) return;
  if (last_ == nullptr || module != last_name_) {
    const auto [at, is_new] = modules_.try_emplace(module);
    if (is_new) at->second.end = end;
    last_ = &at->second;
    last_name_ = module;
  }
  Module& own = *last_;
  own.total += static_cast<uint64_t>(end) - static_cast<uint64_t>(start);
  own.end = std::max(own.end, end);
  if (run < 0) {
    if (own.runs.empty()) own.unnumbered.Append({op, launch, start, end - start});
    return;
  }
  if (own.runs.empty()) own.unnumbered = {};
  if (!own.runs.empty() && own.runs[own.runs.size() - 1].number == run) {
    Run& same = own.runs[own.runs.size() - 1];
    same.start = std::min(same.start, start);
    same.end = std::max(same.end, end);
    ++same.pieces;
  } else {
    own.runs.Append({run, start, end, 1});
  }
}

std::vector<ModuleRuns::Stretch> ModuleRuns::Numbered(const Module& module) {
  std::unordered_map<int64_t, Stretch> by_run;
  for (const Run& run : module.runs) {
    Stretch& own = by_run.try_emplace(run.number, Stretch{run.start, run.end}).first->second;
    own = {std::min(own.start, run.start), std::max(own.end, run.end), own.pieces + run.pieces};
  }
  std::vector<Stretch> found;
  for (const auto& [run, stretch] : by_run) found.push_back(stretch);
  std::ranges::sort(found, {}, [](const Stretch& s) { return std::tuple(s.start, s.end); });
  return found;
}

// Each from where its first operation begins; pieces before the first are of none.
std::vector<ModuleRuns::Stretch> ModuleRuns::Unnumbered(const Module& module) {
  std::vector<int64_t> starts = StartsOf(module, FirstOperation(module));
  std::ranges::sort(starts);
  std::vector<Stretch> found;
  for (const int64_t start : starts) found.push_back({start, start});
  for (size_t i = 0; i < module.unnumbered.size(); ++i) {
    const Piece own = PieceOf(module, i);
    const auto next = std::ranges::upper_bound(found, own.start, {}, &Stretch::start);
    if (next == found.begin()) continue;
    Stretch& execution = *std::prev(next);
    execution.end = std::max(execution.end, own.end);
    ++execution.pieces;
  }
  return found;
}

// Whether the recording ends within the last execution or its step: it has fewer pieces than each
// before it, of which there are two at least; or the program pauses behind each, which is part of
// the step. Where there are few it is kept all the same: one of many is no loss.
bool ModuleRuns::LacksItsEnd(std::span<const Stretch> executions) {
  constexpr size_t kEnough = 64;  // executions, as in PausesBefore()
  constexpr size_t kMany = 16;
  constexpr int64_t kLittle = 10;  // a pause of a tenth of the step is none
  if (executions.size() <= 2) return false;
  executions = executions.last(std::min(executions.size(), kEnough));
  bool fewer = true;
  std::vector<int64_t> pauses, times;
  for (size_t e = 0; e + 1 < executions.size(); ++e) {
    const int64_t next = executions[e + 1].start;
    fewer = fewer && executions.back().pieces < executions[e].pieces;
    pauses.push_back(std::max<int64_t>(0, next - executions[e].end));
    times.push_back(next - executions[e].start);
  }
  const bool pausing = Describe(pauses).p50 > Describe(times).p50 / kLittle;
  return fewer || (pausing && executions.size() >= kMany);
}

// By start, each start once. The last one counts if its end is known, and lasts to the program's
// last piece; where the recording does not number executions, each of the others lasts to the next.
std::vector<ModuleRuns::Stretch> ModuleRuns::Executions(const Module& module) {
  const bool numbered = !module.runs.empty();
  std::vector<Stretch> found = numbered ? Numbered(module) : Unnumbered(module);
  const auto repeated = std::ranges::unique(found, {}, &Stretch::start);
  found.erase(repeated.begin(), repeated.end());
  const bool whole = !LacksItsEnd(found);
  for (size_t e = 0; !numbered && e + 1 < found.size(); ++e) found[e].end = found[e + 1].start;
  if (!whole) {
    found.pop_back();
  } else if (!found.empty()) {
    found.back().end = std::max(found.back().end, module.end);
  }
  return found;
}

ModuleRuns::Piece ModuleRuns::PieceOf(const Module& module, size_t i) {
  const auto row = module.unnumbered[i];
  const int64_t start = row.Get<Module::kStart>();
  return {.op = static_cast<StringId>(row.Get<Module::kOp>()),
          .launch = row.Get<Module::kLaunch>(),
          .start = start,
          .end = start + row.Get<Module::kTime>()};
}

// Where the recording does not number executions, an operation that runs once in each tells them
// apart. A recording that begins and ends within executions has one more of some of them: of those
// that ran least often, or once more, it is the one before which the program paused longest, so
// that recordings of one job that follow one another agree. Of equal ones it is the first.
StringId ModuleRuns::FirstOperation(const Module& module) {
  struct Use {
    size_t count = 0;
    int64_t first = INT64_MAX;
    int64_t last_launch = -1;
  };
  std::unordered_map<StringId, Use> uses;
  for (size_t i = 0; i < module.unnumbered.size(); ++i) {
    const Piece own = PieceOf(module, i);
    Use& use = uses[own.op];
    // What one call launched ran once.
    if (own.launch < 0 || own.launch != use.last_launch) ++use.count;
    use.last_launch = own.launch;
    use.first = std::min(use.first, own.start);
  }
  const auto rarest = std::ranges::min_element(uses, {}, [](const auto& use) {
    return std::tuple(use.second.count, use.second.first, use.first);
  });
  const size_t most = rarest->second.count + 1;
  const auto pauses = PausesBefore(module, StartsOf(module, rarest->first));
  const auto rank = [&](const auto& use) {
    const auto pause = pauses.find(use.first);
    return std::tuple(use.second.count <= most, pause == pauses.end() ? 0 : pause->second,
                      -use.second.first, ~use.first);
  };
  return std::ranges::max_element(uses, {}, rank)->first;
}

// For how long in all nothing of the program ran before each operation began, in the first of the
// executions that began at `starts`.
std::unordered_map<StringId, int64_t> ModuleRuns::PausesBefore(const Module& module,
                                                               std::vector<int64_t> starts) {
  constexpr size_t kEnough = 64;  // executions: a long recording has millions of pieces
  std::ranges::sort(starts);
  const int64_t first = starts.front(), last = starts[std::min(kEnough, starts.size() - 1)];
  std::vector<Piece> pieces;
  for (size_t i = 0; i < module.unnumbered.size(); ++i) {
    const Piece own = PieceOf(module, i);
    if (own.start >= first && own.start <= last) pieces.push_back(own);
  }
  std::ranges::sort(pieces, {}, [](const Piece& p) { return std::tuple(p.start, p.end, p.op); });
  std::unordered_map<StringId, int64_t> pauses;
  int64_t end = first;
  for (const Piece& piece : pieces) {
    if (piece.start > end) pauses[piece.op] = AddSaturated(pauses[piece.op], piece.start - end);
    end = std::max(end, piece.end);
  }
  return pauses;
}

// When `op` began in each execution: what one call launched is one.
std::vector<int64_t> ModuleRuns::StartsOf(const Module& module, StringId op) {
  std::vector<int64_t> starts;
  std::unordered_map<int64_t, size_t> of_launch;  // index into starts
  for (size_t i = 0; i < module.unnumbered.size(); ++i) {
    const Piece own = PieceOf(module, i);
    if (own.op != op) continue;
    const auto [at, is_new] = of_launch.try_emplace(own.launch, starts.size());
    if (own.launch < 0 || is_new) {
      starts.push_back(own.start);
    } else {
      starts[at->second] = std::min(starts[at->second], own.start);
    }
  }
  return starts;
}

std::vector<Evaluation> ModuleRuns::EvaluationsBetween(const std::vector<Stretch>& steps,
                                                       const Programs& programs,
                                                       const StringTable& names) const {
  std::vector<StepRoot> roots;
  for (const Stretch& step : steps)
    roots.push_back({.derived = true, .start = step.start, .end = step.end});
  std::vector<FunctionCall> others;
  for (const auto& [name, module] : modules_) {
    const ProgramWork work = programs.WorkOf(names[name]);
    if (work.gradients || !work.products) continue;
    for (const Stretch& run : Executions(module))
      others.push_back({.function = name, .start = run.start, .end = run.end});
  }
  return SplitTurns(roots, others);
}

ModuleRuns::Found ModuleRuns::Find(const StringTable& names, const Programs& programs) const {
  std::pair most{Trains::kUnknown, int64_t{-1}};
  StringId chosen = kNoString;
  std::vector<Stretch> steps;
  for (const auto& [name, module] : modules_) {
    const auto total = static_cast<int64_t>(std::min<uint64_t>(module.total, INT64_MAX));
    const std::pair own{TrainsAs(names[name], programs), total};
    auto executions = Executions(module);
    if (executions.size() < 2 || own <= most) continue;
    most = own;
    chosen = name;
    steps = std::move(executions);
  }
  Found found{.module = chosen, .steps = {}, .evaluations = {}};
  if (most.first == Trains::kByGradients)
    found.evaluations = EvaluationsBetween(steps, programs, names);
  size_t e = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    while (e < found.evaluations.size() && found.evaluations[e].start < steps[i].end) ++e;
    const bool last = i + 1 == steps.size();
    const bool evaluates =
        !last && e < found.evaluations.size() && found.evaluations[e].start <= steps[i + 1].start;
    const bool own = last || evaluates;
    found.steps.push_back({steps[i].start, own ? steps[i].end : steps[i + 1].start});
  }
  return found;
}

}  // namespace stepscope
