// Selects steps.
#include "facts/steps/steps.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/saturate.h"

namespace stepscope {
namespace {

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "7" or "3..7", both ends included.
std::optional<std::pair<int64_t, int64_t>> ParseRange(std::string_view text) {
  const bool dashed = text.contains('-');  // as people write ranges, too
  const size_t between = dashed ? text.find('-') : text.find("..");
  const auto first = ParseNumber(text.substr(0, between));
  const auto last =
      between == text.npos ? first : ParseNumber(text.substr(between + (dashed ? 1 : 2)));
  if (!first || !last || *first > *last) return std::nullopt;
  return std::pair(*first, *last);
}

// "3..7", "3, 5..6", or "none".
std::string SayRanges(const std::set<int64_t>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int64_t first = *at;
    int64_t last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (last > first) text += ".." + std::to_string(last);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Result<StepSelection> ParseSteps(std::string_view text) {
  using Mode = StepSelection::Mode;
  if (text == "all") return StepSelection{};
  if (text == "complete") return StepSelection{.mode = Mode::kComplete};
  constexpr size_t kMostRanges = 1000;  // each is held against each step
  StepSelection selection{.mode = Mode::kRanges};
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const auto range = ParseRange(text.substr(at, end - at));
    if (!range || selection.ranges.size() == kMostRanges) {
      return std::unexpected(
          Error{"cannot read the step selection '" + std::string(text) + "'", "`steps`",
                "use all, complete, a number such as 7, a range such as 3..7, or some: 3,5..7"});
    }
    selection.ranges.push_back(*range);
    at = end + 1;
  }
  return selection;
}

RankActivity SelectSteps(const RankActivity& rank, const StepSelection& selection) {
  if (selection.mode == StepSelection::Mode::kAll) return rank;
  RankActivity chosen = rank;
  chosen.steps.clear();
  const std::vector<StepStretch> stretches = StepStretches(rank);
  std::vector<int32_t> new_index(rank.steps.size(), kNoStep);
  int32_t stretch = 0;
  for (size_t s = 0; s < rank.steps.size(); ++s) {
    if (!selection.Has(rank.steps[s])) {
      chosen.begins_later |= chosen.steps.empty() && rank.steps[s].complete;
      ++stretch;
      continue;
    }
    new_index[s] = static_cast<int32_t>(chosen.steps.size());
    chosen.steps.push_back(rank.steps[s]);
    chosen.steps.back().stretch = stretch;
    if (s > 0) chosen.steps.back().end_before = stretches[s - 1].end;
  }
  if (chosen.condensed) {  // its sums are of all steps
    auto without_sums = std::make_shared<CondensedRecording>(*chosen.condensed);
    without_sums->kernels.clear();
    std::set<int64_t> numbers;
    for (const Step& step : chosen.steps) numbers.insert(step.number);
    const auto left_out = [&](int64_t number) { return !numbers.contains(number); };
    std::erase_if(without_sums->steps,
                  [&](const CondensedStep& step) { return left_out(step.number); });
    std::erase_if(without_sums->efforts,
                  [&](const CondensedEffort& effort) { return left_out(effort.step); });
    chosen.condensed = std::move(without_sums);
  }
  chosen.activities = {};
  for (Activity activity : rank.activities) {
    if (activity.step != kNoStep) activity.step = new_index[static_cast<size_t>(activity.step)];
    if (activity.step != kNoStep) chosen.activities.Append(activity);
  }
  return chosen;
}

std::vector<StepStretch> StepStretches(const RankActivity& rank) {
  std::vector<StepStretch> stretches;
  for (const Step& step : rank.steps) {
    stretches.push_back({.start = std::max(step.start, step.end_before),
                         .end = std::max(step.end, step.end_before)});
  }
  // PyTorch's processors have done what a step waits for when its annotation ends: a record of
  // communication that ends later was open when recording stopped, or nothing waits for it yet.
  const bool done = rank.HasRecords() && rank.framework == Framework::kPyTorch;
  for (const Activity& activity : rank.activities) {
    if (activity.step == kNoStep) continue;
    StepStretch& stretch = stretches[static_cast<size_t>(activity.step)];
    stretch.has_work = true;
    if (done && activity.kind == Kind::kCommunication) continue;
    stretch.end = std::max(stretch.end, activity.end);
  }
  for (size_t s = 1; s < stretches.size(); ++s) {
    const int64_t before = stretches[s - 1].end;
    stretches[s].start = std::max(stretches[s].start, before);
    stretches[s].end = std::max(stretches[s].end, before);
  }
  return stretches;
}

std::optional<int64_t> StepTime(std::span<const RankActivity> ranks) {
  std::optional<int64_t> longest;
  for (const RankActivity& rank : ranks) {
    int64_t time = 0, count = 0;
    for (size_t s = 1; s < rank.steps.size(); ++s) {
      const Step &before = rank.steps[s - 1], &step = rank.steps[s];
      if (step.number != before.number + 1 || step.stretch != before.stretch) continue;
      time = AddSaturated(time, step.start - before.start);
      ++count;
    }
    if (count > 0) longest = std::max(longest.value_or(0), time / count);
  }
  return longest;
}

std::string DescribeSteps(std::span<const RankActivity> ranks) {
  std::set<int64_t> numbers;
  for (const RankActivity& rank : ranks) {
    for (const Step& step : rank.steps) numbers.insert(step.number);
  }
  return SayRanges(numbers);
}

std::string DescribeRanks(std::span<const RankActivity> ranks) {
  std::set<int64_t> numbers;
  for (const RankActivity& rank : ranks) numbers.insert(rank.rank);
  return SayRanges(numbers);
}

}  // namespace stepscope
