// Selects the window of a trace to explain.
#include "facts/paths/path_window.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "base/time_units.h"
#include "facts/activity/names_containing.h"

namespace stepscope {
namespace {

// From the start of the first range to the end of the last, or that of the last work launched
// meanwhile.
PathWindow WindowOf(const RankActivity& rank, const HostRange& first, const HostRange& last) {
  PathWindow window{.start = first.start,
                    .end = last.end,
                    .host_end = last.end,
                    .thread = last.thread,
                    .launched_until = last.end};
  for (const Activity& activity : rank.activities) {
    if (window.Counts(activity)) window.end = std::max(window.end, activity.end);
  }
  return window;
}

// The annotation that `step` was read from.
std::optional<HostRange> RangeOf(const RankActivity& rank, const Step& step) {
  StopChecks checks;
  for (const HostRange& range : rank.host->ranges) {
    checks.Turn();
    const RangeDetail* detail = rank.host->DetailOf(range);
    const bool same = range.start == step.start && range.end == step.end;
    if (same && detail != nullptr && detail->step == step.number) return range;
  }
  return std::nullopt;
}

// The step asked for, or the one of median length until its work has ended: of two, the longer.
const Step* ChooseStep(const RankActivity& rank, int64_t number) {
  std::vector<int64_t> ends(rank.steps.size(), kNoTime);
  for (const Activity& activity : rank.activities) {
    if (activity.step == kNoStep) continue;
    int64_t& end = ends[static_cast<size_t>(activity.step)];
    end = std::max(end, activity.end);
  }
  std::vector<std::pair<int64_t, size_t>> fitting;  // length, later ones first
  for (size_t s = 0; s < rank.steps.size(); ++s) {
    const Step& step = rank.steps[s];
    const bool fits = number < 0 ? step.complete && ends[s] != kNoTime : step.number == number;
    if (fits)
      fitting.emplace_back(std::max(step.end, ends[s]) - step.start, rank.steps.size() - 1 - s);
  }
  if (fitting.empty()) return nullptr;
  // Of those of one number, the longest.
  const size_t place = number < 0 ? fitting.size() / 2 : fitting.size() - 1;
  std::ranges::sort(fitting);
  return &rank.steps[rank.steps.size() - 1 - fitting[place].second];
}

// By start.
template <class Wanted>
std::vector<size_t> RangesWith(const HostRanges& ranges, Wanted wanted) {
  std::vector<size_t> found;
  StopChecks checks;
  for (size_t r = 0; r < ranges.size(); ++r) {
    checks.Turn();
    if (wanted(ranges[r].name)) found.push_back(r);
  }
  std::ranges::stable_sort(found, {}, [&](size_t r) { return ranges[r].start; });
  return found;
}

// "*step*": the text between the stars; nothing for any other.
std::optional<std::string_view> PartIn(std::string_view annotation) {
  if (annotation.size() < 3 || !annotation.starts_with('*') || !annotation.ends_with('*'))
    return std::nullopt;
  return annotation.substr(1, annotation.size() - 2);
}

std::vector<size_t> RangesNamed(const RankActivity& rank, const StringTable& names,
                                std::string_view annotation) {
  const HostRanges& ranges = rank.host->ranges;
  const StringId name = names.Find(annotation);
  if (name != kNoString) {
    auto found = RangesWith(ranges, [&](StringId id) { return id == name; });
    if (!found.empty()) return found;
  }
  return RangesWith(ranges, NamesContaining(names, PartIn(annotation).value_or(annotation)));
}

std::optional<ChosenWindow> FindNamed(const RankActivity& rank, const StringTable& names,
                                      const WindowChoice& choice) {
  const std::vector<size_t> found = RangesNamed(rank, names, choice.annotation);
  const int64_t last = choice.last_instance < 0 ? choice.instance : choice.last_instance;
  if (choice.instance < 0 || last < choice.instance || last >= std::ssize(found)) {
    return std::nullopt;
  }
  const HostRange first = rank.host->ranges[found[static_cast<size_t>(choice.instance)]];
  HostRange latest = first;  // to end
  for (int64_t i = choice.instance; i <= last; ++i) {
    const HostRange range = rank.host->ranges[found[static_cast<size_t>(i)]];
    if (range.end > latest.end) latest = range;
  }
  Phrase covers = Phrase::Name(std::string(names[first.name]));
  if (last > choice.instance)
    covers = Say("{name}, instances {first} to {last}", covers, choice.instance, last);
  return ChosenWindow{.window = WindowOf(rank, first, latest), .covers = std::move(covers)};
}

}  // namespace

ChosenWindow WindowOfAll(const RankActivity& rank) {
  PathWindow window{.start = rank.activities.front().start, .end = rank.activities.front().end};
  std::vector<bool> works(rank.host->threads.size());
  for (const Activity& activity : rank.activities) {
    window.end = std::max(window.end, activity.end);
    if (const auto call = rank.CallOf(activity)) works[call->thread] = true;
  }
  for (const HostRange& range : rank.host->ranges) {
    if (range.kind == Kind::kOperator) works[range.thread] = true;
  }
  const int64_t earliest = window.start - kDay, latest = window.end + kDay;
  const auto include = [&](const auto& item) {
    if (!works[item.thread] || item.start < earliest || item.end > latest) return;
    window.start = std::min(window.start, item.start);
    window.end = std::max(window.end, item.end);
  };
  for (const HostRange& range : rank.host->ranges) include(range);
  for (const Call& call : rank.host->calls) include(call);
  window.host_end = window.launched_until = window.end;
  return {.window = window, .covers = "the whole trace", .whole = true};
}

std::optional<ChosenWindow> ChooseWindow(const RankActivity& rank, const StringTable& names,
                                         const WindowChoice& choice) {
  if (rank.activities.empty()) return std::nullopt;
  if (!choice.annotation.empty()) return FindNamed(rank, names, choice);
  const Step* step = ChooseStep(rank, choice.step);
  const auto range = step == nullptr ? std::nullopt : RangeOf(rank, *step);
  if (range) {
    return ChosenWindow{.window = WindowOf(rank, *range, *range),
                        .covers = Say("step {step}", step->number)};
  }
  if (choice.step >= 0) return std::nullopt;
  return WindowOfAll(rank);
}

}  // namespace stepscope
