// Sums the operators of steps by name; without steps, of loops.
#include "analyses/many_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "base/intervals.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/python/python_time.h"
#include "report/humanize.h"

namespace stepscope {
namespace many_calls {
namespace {

constexpr double kMany = 1'000;    // calls per step
constexpr double kLeast = 0.05;    // of the steps
constexpr double kShort = 20'000;  // ns a call

constexpr Advice kOneCall{
    "replace the Python loop around it by one operation on whole tensors (.tolist() reads many "
    "values at once), or compile the loop with torch.compile",
    "replace the Python loop around it by one operation on whole tensors, or compile the loop with "
    "tf.function",
    "replace the Python loop around it by one operation on whole arrays (vmap, lax.scan), or jit "
    "the loop"};
constexpr Advice kOneUpdate{
    "update all parameters in one call: an optimizer of torch.optim with foreach=True or "
    "fused=True, or torch._foreach_* where the update is your own",
    kOneCall.tensorflow, kOneCall.jax};

// Whether the engine of the backward pass runs it: no loop in Python does.
bool IsOfEngine(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function");
}

// Whether optimizers alone run it, as Adam's do.
bool IsOfOptimizers(std::string_view name) {
  constexpr auto kUpdates =
      std::to_array<std::string_view>({"aten::addcdiv_", "aten::addcmul_", "aten::lerp_"});
  return std::ranges::find(kUpdates, name) != kUpdates.end();
}

struct Calls {
  StringId name = kNoString;
  int64_t time = 0, count = 0;
};

Calls Most(const StringTable& names, const std::vector<RankSteps>& ranks, double steps) {
  std::unordered_map<StringId, Calls> sums;
  StopChecks checks;
  for (const RankSteps& own : ranks) {
    for (const Activity& activity : own.rank->activities) {
      checks.Turn();
      if (activity.kind != Kind::kCompute || activity.step == kNoStep) continue;
      Calls& sum = sums[activity.name];
      sum.time = AddSaturated(sum.time, activity.duration());
      ++sum.count;
    }
  }
  Calls most;
  for (auto& [name, sum] : sums) {
    const auto count = static_cast<double>(sum.count);
    if (count < kMany * steps || static_cast<double>(sum.time) > kShort * count) continue;
    if (IsOfEngine(names[name])) continue;
    sum.name = name;
    const bool first =
        sum.time == most.time && most.name != kNoString && names[name] < names[most.name];
    if (sum.time > most.time || first) most = sum;
  }
  return most;
}

constexpr int64_t kInRow = 100;             // calls
constexpr int64_t kBody = 8;                // operators of a loop's body at most: layers run more
constexpr int64_t kOptimizerBody = 32;      // where one of them is of optimizers alone: no layer
constexpr int64_t kPause = 10'000'000;      // ns, between calls of a loop at most, in the mean
constexpr int64_t kLongPause = 5 * kPause;  // between any two: the machine may run something else
constexpr double kMostCalls = 0.9;

// Calls of one operator on one stream, always after as many others.
struct Row {
  int64_t start = 0, end = 0, time = 0, calls = 0;
  int64_t short_calls = 0;
  int64_t last = 0;   // which of the stream's operators the last call is
  int64_t body = -1;  // how many operators there are from one call to the next; -1: not known yet
};

struct Loop {
  StringId name = kNoString;
  int64_t calls = 0, time = 0, rows = 0;
  std::map<size_t, IntervalSet> stretches;  // by index of the rank

  int64_t Length() const {
    int64_t length = 0;
    for (const auto& [rank, set] : stretches) length = AddSaturated(length, LengthOf(UnionOf(set)));
    return length;
  }
};

class Loops {
 public:
  explicit Loops(const StringTable& names) : names_(names) {}

  void Add(size_t index, const RankActivity& rank) {
    std::map<std::pair<StringId, uint32_t>, Row> rows;
    std::unordered_map<uint32_t, int64_t> operators;  // so far, by stream
    StopChecks checks;
    for (const Activity& activity : rank.activities) {
      checks.Turn();
      if (activity.kind != Kind::kCompute) continue;
      const int64_t number = ++operators[activity.stream];
      Row& row = rows[{activity.name, activity.stream}];
      if (row.calls > 0 && !Follows(row, activity, number))
        Close(index, activity.name, std::exchange(row, {}));
      if (row.calls == 0) row.start = activity.start;
      if (row.calls > 0) row.body = number - row.last;
      row.last = number;
      row.end = activity.end;
      row.time = AddSaturated(row.time, activity.duration());
      ++row.calls;
      row.short_calls += static_cast<double>(activity.duration()) <= kShort ? 1 : 0;
    }
    for (const auto& [key, row] : rows) Close(index, key.first, row);
  }

  // By length, then name.
  const Loop* Longest() const {
    const Loop* longest = nullptr;
    for (const auto& [name, loop] : loops_) {
      const auto key = [&](const Loop& l) { return std::pair(-l.Length(), names_[l.name]); };
      if (longest == nullptr || key(loop) < key(*longest)) longest = &loop;
    }
    return longest;
  }

  // Whether operators of optimizers run in it.
  bool Updates(const Loop& loop) const {
    constexpr double kThroughout = 0.9;
    const double least = kThroughout * static_cast<double>(loop.Length());
    return std::ranges::any_of(loops_, [&](const auto& of) {
      return IsOfOptimizers(names_[of.first]) && static_cast<double>(of.second.Length()) >= least;
    });
  }

 private:
  bool Follows(const Row& row, const Activity& activity, int64_t number) const {
    const int64_t body = number - row.last;
    if (activity.start - row.end > kLongPause) return false;
    if (row.body >= 0) return body == row.body;
    return body <= kBody || (body <= kOptimizerBody && IsOfOptimizers(names_[activity.name]));
  }

  void Close(size_t index, StringId name, const Row& row) {
    const auto calls = static_cast<double>(row.calls);
    if (row.calls < kInRow || row.end - row.start > kPause * row.calls) return;
    if (static_cast<double>(row.short_calls) < kMostCalls * calls) return;
    if (IsOfEngine(names_[name])) return;
    Loop& loop = loops_[name];
    loop.name = name;
    loop.calls += row.calls;
    loop.time = AddSaturated(loop.time, row.time);
    ++loop.rows;
    loop.stretches[index].push_back({row.start, row.end});
  }

  const StringTable& names_;
  std::map<StringId, Loop> loops_;
};

// ", in row_update (train.py:21)", where a function has half of the loops.
Phrase SayFunction(const Facts& facts, const std::vector<RankSteps>& ranks, const Loop& loop) {
  constexpr double kHalf = 0.5;
  FrameTimes times(facts);
  for (const auto& [index, stretches] : loop.stretches) {
    const RankActivity& rank = *ranks[index].rank;
    if (const auto thread = TrainingThread(*facts.names, rank))
      times.Add(rank, *thread, UnionOf(stretches));
  }
  const auto leaders = times.Leaders(1, kHalf);
  return leaders.empty() ? Phrase() : Say(", in {function}", SayLeader(leaders.front()));
}

void AddLoops(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  Loops loops(*facts.names);
  int64_t whole = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    loops.Add(i, *ranks[i].rank);
    whole = AddSaturated(whole, SumOf({ranks[i]}).Total());
  }
  const Loop* loop = loops.Longest();
  if (loop == nullptr || whole <= 0 || static_cast<double>(loop->calls) < kMany) return;
  const int64_t length = loop->Length();
  const double share = static_cast<double>(length) / static_cast<double>(whole);
  if (share < kLeast) return;
  report.findings.push_back(
      {.message = Say("Loops in Python over small operators take {share} of the trace{within}.",
                      HumanRatio(share), SayFunction(facts, ranks, *loop)),
       .because =
           Say("{operator} runs {count} times in {loops}, each time after the same few operators, "
               "{time} a call; the rest is those operators and Python between the calls",
               ShortNameOf(facts, loop->name), HumanCount(loop->calls),
               Plural(static_cast<size_t>(loop->rows), "loop"),
               HumanTime(static_cast<double>(loop->time) / static_cast<double>(loop->calls))),
       .hint = Say(loops.Updates(*loop) ? kOneUpdate : kOneCall, facts),
       .impact = length / std::ssize(ranks),
       .table = "step_time",
       .cause = {CauseKind::kHost},
       .nearness = Nearness::kCause});
}

}  // namespace
}  // namespace many_calls

void AddManyCalls(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  if (!facts.OnHost() || ranks.empty()) return;
  if (ranks.front().whole_recording) return many_calls::AddLoops(facts, ranks, report);
  double steps = 0;
  for (const RankSteps& own : ranks) steps += static_cast<double>(own.rank->steps.size());
  const many_calls::Calls most = many_calls::Most(*facts.names, ranks, steps);
  const auto time = static_cast<double>(most.time);
  const StepStatistics total = StatisticsOfTotals(ranks);
  const double share = time / std::max(steps * total.mean, 1.0);
  if (most.name == kNoString || share < many_calls::kLeast) return;
  const double calls = static_cast<double>(most.count) / steps;
  report.findings.push_back(
      {.message = Say("{operator} runs {count} times per step: {share} of step time.",
                      ShortNameOf(facts, most.name), HumanCount(static_cast<int64_t>(calls)),
                      HumanRatio(share)),
       .because = Say("{time} per step, {each} a call; Python between the calls comes on top",
                      HumanTime(time / steps), HumanTime(time / steps / calls)),
       .hint = Say(many_calls::kOneCall, facts),
       .impact = most.time / static_cast<int64_t>(ranks.size()),
       .table = "step_time",
       .cause = {CauseKind::kHost},
       .nearness = Nearness::kCause});
}

}  // namespace stepscope
