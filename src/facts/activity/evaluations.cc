// Counts products of matrices behind each step of an optimizer.
#include "facts/activity/evaluations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trace/vocabulary.h"

namespace stepscope {
namespace {

constexpr std::string_view kOptimizerStep = "Optimizer.step#";
constexpr std::string_view kBackwardOf = "autograd::engine::evaluate_function";
constexpr auto kProducts =
    std::to_array<std::string_view>({"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm",
                                     "aten::convolution", "aten::scaled_dot_product_attention"});

// ns. What comes before the first product, such as loading a batch, may take longer by so much.
constexpr int64_t kLongLead = 10'000'000;

enum class Part : uint8_t { kUnknown, kNone, kOptimizer, kBackward, kProduct, kCompiler };

Part PartOf(std::string_view name) {
  if (name.starts_with(kOptimizerStep)) return Part::kOptimizer;
  if (name.starts_with(kBackwardOf)) return Part::kBackward;
  if (std::ranges::find(kProducts, name) != kProducts.end()) return Part::kProduct;
  return HostActivityOfName(name) == HostActivity::kCompilation ? Part::kCompiler : Part::kNone;
}

struct Stretch {
  int64_t start = 0;
  int64_t end = 0;
};

// What decides, by start.
struct Parts {
  std::vector<Stretch> optimizers, products;  // of the thread with the first optimizer's step
  std::vector<int64_t> backwards;             // starts
};

Parts Collect(const HostRanges& ranges, const StringTable& names) {
  std::vector<Part> known(names.size(), Part::kUnknown);
  const auto part_of = [&](StringId name) {
    if (known[name] == Part::kUnknown) known[name] = PartOf(names[name]);
    return known[name];
  };
  Parts parts;
  uint32_t thread = UINT32_MAX;
  for (const HostRange& range : ranges) {
    if (part_of(range.name) != Part::kOptimizer) continue;
    if (thread == UINT32_MAX) thread = range.thread;
    if (range.thread == thread) parts.optimizers.push_back({range.start, range.end});
  }
  if (parts.optimizers.empty()) return parts;
  std::vector<bool> compiles(ranges.size());  // a compiler runs operators to see what they return
  for (size_t r = 0; r < ranges.size(); ++r) {
    const HostRange range = ranges[r];
    const Part part = part_of(range.name);
    compiles[r] = part == Part::kCompiler ||
                  (range.parent != kNoRange && compiles[static_cast<size_t>(range.parent)]);
    if (part == Part::kBackward) parts.backwards.push_back(range.start);
    if (part == Part::kProduct && range.thread == thread && !compiles[r])
      parts.products.push_back({range.start, range.end});
  }
  std::ranges::sort(parts.optimizers, {}, &Stretch::start);
  std::ranges::sort(parts.products, {}, &Stretch::start);
  std::ranges::sort(parts.backwards);
  return parts;
}

// From the end of an optimizer's step to the next backward pass.
struct Turn {
  int64_t trained = 0;
  std::span<const Stretch> forward;
  bool is_last = false;  // no backward pass follows
};

std::vector<Turn> TurnsOf(const Parts& parts) {
  std::vector<Turn> turns;
  for (size_t i = 0; i < parts.optimizers.size(); ++i) {
    const int64_t trained = parts.optimizers[i].end;
    const auto backward = std::ranges::lower_bound(parts.backwards, trained);
    const bool is_last = backward == parts.backwards.end();
    const int64_t until = is_last ? INT64_MAX : *backward;
    // Of optimizers that step one after the other, the last one.
    if (i + 1 < parts.optimizers.size() && parts.optimizers[i + 1].start < until) continue;
    const auto from = std::ranges::lower_bound(parts.products, trained, {}, &Stretch::start);
    const auto to = std::ranges::lower_bound(parts.products, until, {}, &Stretch::start);
    turns.push_back({trained, {from, to}, is_last});
  }
  return turns;
}

// How many products a forward pass has; 0: not known.
size_t UsualOf(std::span<const Turn> turns) {
  std::vector<size_t> counts;
  for (const Turn& turn : turns) {
    if (!turn.is_last) counts.push_back(turn.forward.size());
  }
  if (counts.empty()) return 0;
  const auto middle = counts.begin() + std::ssize(counts) / 2;
  std::ranges::nth_element(counts, middle);
  return *middle;
}

// The evaluation behind a turn's optimizer step; nothing where there is none.
std::optional<EvaluationRun> EvaluationOf(const Turn& turn, size_t usual) {
  const size_t trains = turn.is_last ? 0 : usual;
  if (turn.forward.size() < trains + usual) return std::nullopt;
  const size_t products = turn.forward.size() - trains;
  return EvaluationRun{.start = turn.trained,
                       .end = turn.forward[products - 1].end,
                       .calls = static_cast<int64_t>(products / usual)};
}

// What ran before an evaluation of few, as a checkpoint, is none of it: each begins no longer
// before its first product than they mostly do. Half of them may have such a neighbour.
void CutLeads(std::span<EvaluationRun> runs, std::span<const Turn* const> of) {
  std::vector<int64_t> leads;
  for (const Turn* turn : of) leads.push_back(turn->forward.front().start - turn->trained);
  std::vector<int64_t> sorted = leads;
  std::ranges::sort(sorted);
  const int64_t usual = sorted[(sorted.size() - 1) / 2];
  for (size_t i = 0; i < runs.size(); ++i) {
    if (leads[i] - usual > kLongLead) runs[i].start = of[i]->forward.front().start - usual;
  }
}

// Whether the step that begins or ends with the evaluation is now without it. `trained`: when the
// optimizer's step before had ended.
bool CutStep(std::vector<Step>& steps, EvaluationRun& run, int64_t trained, int64_t trains_again) {
  const auto after = std::ranges::lower_bound(steps, run.end, {}, &Step::start);
  if (after == steps.begin()) return false;
  Step& step = *std::prev(after);
  const bool ends = step.start < run.start && step.end > run.start && trains_again >= step.end;
  if (ends) {
    run.end = std::max(run.end, step.end);
    step.end = run.start;
    return true;
  }
  const bool begins = step.start >= trained && run.end < step.end;
  if (begins) run.start = step.start;
  if (begins) step.start = run.end;
  return begins;
}

}  // namespace

void TakeEvaluationsOut(RankActivity& rank, const StringTable& names) {
  if (rank.steps.empty()) return;
  const Parts parts = Collect(rank.host->ranges, names);
  const std::vector<Turn> turns = TurnsOf(parts);
  const size_t usual = UsualOf(turns);
  if (usual == 0) return;
  std::vector<EvaluationRun> runs;
  std::vector<const Turn*> of;
  for (const Turn& turn : turns) {
    const auto run = EvaluationOf(turn, usual);
    if (!run) continue;
    runs.push_back(*run);
    of.push_back(&turn);
  }
  if (runs.size() < 2 || 2 * runs.size() >= turns.size()) return;
  CutLeads(runs, of);
  for (size_t i = 0; i < runs.size(); ++i) {
    const Turn& turn = *of[i];
    const int64_t trains_again =
        turn.is_last ? INT64_MAX : turn.forward[turn.forward.size() - usual].start;
    if (CutStep(rank.steps, runs[i], turn.trained, trains_again))
      rank.evaluations.push_back(runs[i]);
  }
}

}  // namespace stepscope
