// Implements the search for regular steps, and their words.
#include "report/period_of_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/change_point.h"
#include "base/period.h"
#include "base/robust.h"
#include "report/humanize.h"

namespace stepscope {

std::string AllButLast(std::span<const int64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers.first(numbers.size() - 1), ", "));
}

Phrase PeriodOfSteps::Say(const Phrase& of) const {
  constexpr size_t kMostNamed = 5, kNamed = 3;
  const std::vector<int64_t> all(numbers.begin(), numbers.end());
  const int64_t last_digit = every / 10 % 10 == 1 ? 0 : every % 10;
  const std::string_view ending = last_digit == 1   ? "st"
                                  : last_digit == 2 ? "nd"
                                  : last_digit == 3 ? "rd"
                                                    : "th";
  const bool few = all.size() <= kMostNamed;
  const auto first = std::span(all).first(few ? all.size() - 1 : kNamed);
  const std::string begin = fmt::format("{}", fmt::join(first, ", "));
  const Phrase named = few ? stepscope::Say("{steps} and {last}", begin, all.back())
                           : stepscope::Say("{steps} … {last}", begin, all.back());
  return Phrase::OfForm(
      "every {n}th step{of} ({steps})", {std::to_string(every), of, named},
      fmt::format("every {}{} step{} ({})", every, ending, of.str(), named.str()));
}

std::optional<PeriodOfSteps> FindPeriodOfSteps(std::span<const int64_t> numbers,
                                               std::span<const int64_t> values, double least) {
  const auto found = FindPeriod(numbers, values, least);
  if (!found) return std::nullopt;
  PeriodOfSteps period{
      .numbers = {}, .every = found->every, .usual = found->usual, .high = found->high};
  for (const size_t member : found->members) period.numbers.insert(numbers[member]);
  return period;
}

Phrase SaySteps(std::span<const int64_t> numbers, std::span<const int64_t> values, double least,
                std::vector<int64_t>& in) {
  constexpr size_t kMostNumbers = 5;
  std::vector<size_t> at;
  for (size_t s = 0; s < values.size(); ++s) {
    if (static_cast<double>(values[s]) > least) at.push_back(s);
  }
  in.clear();
  if (at.empty() || 2 * at.size() > values.size()) return {};
  for (const size_t s : at) in.push_back(numbers[s]);
  if (in.size() == 1) return Say(" in step {only}", in.front());
  if (at.back() - at.front() + 1 == at.size())
    return Say(" in steps {first} to {last}", in.front(), in.back());
  if (const auto period = FindPeriodOfSteps(numbers, values, least);
      period && period->numbers.size() == in.size())
    return Say(" in {period}", period->Say());
  if (in.size() > kMostNumbers) return Say(" in {count} of {all} steps", in.size(), values.size());
  return Say(" in steps {steps} and {last}", AllButLast(in), in.back());
}

namespace {

// The split whose values since are all above all before; each side has four. By chance one of 200
// series of 14 values has one.
std::optional<size_t> SplitApart(std::span<const int64_t> values) {
  constexpr size_t kFewest = 4;
  for (size_t at = kFewest; at + kFewest <= values.size(); ++at) {
    if (std::ranges::min(values.subspan(at)) > std::ranges::max(values.first(at))) return at;
  }
  return std::nullopt;
}

double MedianOf(std::span<const int64_t> values) { return Median({values.begin(), values.end()}); }

}  // namespace

Phrase SayRise(std::span<const int64_t> numbers, std::span<const int64_t> times) {
  constexpr double kTwice = 2, kOfTheMost = 0.1;
  if (times.empty()) return {};
  const auto most = static_cast<double>(std::ranges::max(times));
  const auto change = FindChangePoint(times, kOfTheMost * most);
  const auto at = change ? std::optional(change->at) : SplitApart(times);
  if (!at) return {};
  const double before = MedianOf(times.first(*at)), since = MedianOf(times.subspan(*at));
  if (since < kTwice * before) return {};
  return Say(", {before} per step before step {first} and {after} since", HumanTime(before),
             numbers[*at], HumanTime(since));
}

}  // namespace stepscope
