// Computes each rank's critical path and its standard what-if estimates.
#include "facts/paths/rank_paths.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/intervals.h"
#include "facts/activity/idle_within.h"

namespace stepscope {
namespace {

// What is tried whenever its bound is on the path; where it is not, the path stays as it is.
constexpr auto kQuestions = std::to_array<std::pair<Bound, std::string_view>>({
    {Bound::kCompute, "compute*0"},
    {Bound::kCommunication, "communication*0"},
    {Bound::kLaunch, "launch*0"},
    {Bound::kDataLoading, "data_loading*0"},
    {Bound::kCpu, "cpu*0"},
    {Bound::kCpu, "cpu*0.5; launch*0.5"},
});

bool IsOfHost(const Change& change) {
  constexpr auto kOfHost = std::to_array<Bound>(
      {Bound::kLaunch, Bound::kCpu, Bound::kDataLoading, Bound::kOneTime, Bound::kSync});
  return change.target == Change::Target::kBound &&
         std::ranges::find(kOfHost, change.bound) != kOfHost.end();
}

// How long the window of `path` takes when `replay` answers for these changes.
int64_t LengthWith(const RankPath& path, const Replay& replay, const std::vector<Change>& changes) {
  if (!std::ranges::all_of(changes, IsOfHost)) return replay.length;
  return std::max(replay.length, path.span() - path.idle);
}

RankPath MeasurePath(const RankActivity& rank, const StringTable& names, ChosenWindow chosen,
                     const PathQuery& query) {
  const Dependencies dependencies = BuildDependencies(rank, names, chosen.window);
  RankPath result{.rank = &rank,
                  .chosen = std::move(chosen),
                  .path = FindCriticalPath(dependencies),
                  .guessed_waits = dependencies.guessed_waits};
  const PathWindow& window = result.chosen.window;
  result.idle = LengthOf(IdleWithin(rank, {{window.start, window.end}}));
  result.segments = static_cast<int64_t>(result.path.segments.size());
  if (!query.changes.empty()) {
    const Replay replay = ReplayWith(dependencies, rank, names, query.changes);
    result.outcomes.push_back({query.text, LengthWith(result, replay, query.changes)});
    result.touched = replay.touched;
  }
  for (const auto& [bound, change] : kQuestions) {
    if (result.path.Time(bound) == 0 || change == query.text) continue;
    const std::vector<Change> changes = *ParseChanges(change);
    const Replay replay = ReplayWith(dependencies, rank, names, changes);
    result.outcomes.push_back({std::string(change), LengthWith(result, replay, changes)});
  }
  return result;
}

// Where something of the host was recorded, but nothing joins activities with it, no path leads
// from the host's annotation of a step to the device: all of it would be the host's, whatever
// devices did.
bool HostWouldHaveAll(const RankActivity& rank) {
  const auto unlinked = [](const Activity& w) { return w.call == kNoCall; };
  return !rank.host->ranges.empty() && std::ranges::all_of(rank.activities, unlinked);
}

}  // namespace

MeasuredPaths MeasurePaths(const StringTable& names, std::span<const RankActivity> ranks,
                           const PathQuery& query) {
  MeasuredPaths measured;
  size_t longest = 0;
  for (const RankActivity& rank : ranks) {
    if (rank.activities.empty() || (query.rank >= 0 && rank.rank != query.rank)) continue;
    if (HostWouldHaveAll(rank)) {
      measured.unlinked = true;
      continue;
    }
    auto chosen = ChooseWindow(rank, names, query.window);
    if (!chosen) {
      measured.without.push_back(rank.rank);
      continue;
    }
    measured.ranks.push_back(MeasurePath(rank, names, std::move(*chosen), query));
    const size_t newest = measured.ranks.size() - 1;
    const bool longer = measured.ranks[newest].span() > measured.ranks[longest].span();
    const size_t shorter = longer ? std::exchange(longest, newest) : newest;
    if (shorter != longest) measured.ranks[shorter].path.segments = {};
  }
  std::ranges::stable_sort(measured.ranks, std::ranges::greater{}, &RankPath::span);
  return measured;
}

std::string_view QuestionAbout(Bound bound) {
  for (const auto& [about, change] : kQuestions) {
    if (about == bound) return change;
  }
  return "";
}

}  // namespace stepscope
