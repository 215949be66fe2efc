// Gives each moment of a thread to the function of the user's program that caused it.
#include "facts/derived/python/frame_times.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/innermost.h"
#include "base/saturate.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/training_loops.h"
#include "facts/derived/python/walk_frames.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

// Whether a whole step lies within the frame; without steps, half of `whole`, ns.
bool HoldsStep(const RankActivity& rank, const HostFrame& frame, int64_t whole) {
  if (rank.steps.empty()) return frame.end - frame.start >= whole / 2;
  const auto step = std::ranges::lower_bound(rank.steps, frame.start, {}, &Step::start);
  return step != rank.steps.end() && step->end <= frame.end;
}

}  // namespace

bool IsOfDecorator(std::string_view name) {
  const std::string_view function = name.substr(name.find_last_of(' ') + 1);
  return function == "wrapper" || function == "wrapped" || function == "inner";
}

// Calls visit(place, frame, place of its owner, start, end) for each stretch of a thread.
template <class Visit>
void FrameTimes::ForEachOwned(const HostFrames& frames, const Visit& visit) {
  const RangeLinks& owners = FrameOwnersOf(facts_, frames);
  const auto nothing = [](size_t, const HostFrame&) {};
  WalkFrames(
      frames, nothing,
      [&](size_t f, const HostFrame& frame, int64_t start, int64_t end) {
        visit(f, frame, static_cast<size_t>(owners[f]), start, end);
      },
      nothing);
}

// Finds again without a search the sums that were asked for last.
class FrameTimes::RecentSums {
 public:
  explicit RecentSums(Sums& sums) : sums_(sums) {}

  int64_t& Of(const Key& key) {
    Recent& recent = recent_[Hash()(key) % recent_.size()];
    if (recent.sum == nullptr || recent.key != key) recent = {key, &sums_[key]};
    return *recent.sum;
  }

 private:
  struct Recent {
    Key key;
    int64_t* sum = nullptr;
  };
  Sums& sums_;
  std::array<Recent, 256> recent_{};
};

int32_t FrameTimes::CallerOf(const HostFrames& frames, size_t frame) {
  const StringId name = frames[frame].name;
  int32_t caller = frames[frame].parent;
  while (caller != kNoRange) {
    const HostFrame around = frames[static_cast<size_t>(caller)];
    const bool is_other = around.name != name && origins_[around.name] == FrameOrigin::kUser;
    if (is_other && !IsOfDecorator(names_[around.name])) break;
    caller = around.parent;
  }
  return caller;
}

bool FrameTimes::IsInLibrary(const HostFrames& frames, size_t frame, size_t owner) {
  for (size_t f = frame; f != owner; f = static_cast<size_t>(frames[f].parent)) {
    if (origins_[frames[f].name] == FrameOrigin::kLibrary) return true;
  }
  return false;
}

void FrameTimes::Add(const RankActivity& rank, uint32_t thread, const IntervalSet& windows) {
  ranks_.insert(rank.rank);
  if (windows.empty()) return;
  const std::set<StringId> loops =
      loops_ == Loops::kOwn ? std::set<StringId>() : TrainingLoopsOf(facts_, rank, thread, windows);
  for (const StringId name : loops) all_loops_.insert(ParseFrameName(names_[name]));
  const int64_t whole = LengthOf(windows);
  windows_ = AddSaturated(windows_, whole);
  const HostFrames& frames = rank.host->frames[thread];
  AlongWindows along(windows);
  RecentSums sums(times_);
  size_t last = frames.size();  // the owner that `key` and `gives_way` are known of
  Key key{.rank = rank.rank};
  bool gives_way = false;
  const auto add = [&](size_t f, const HostFrame& frame, size_t owner, int64_t start, int64_t end) {
    const int64_t time = along.Within(start, end);
    if (time == 0) return;
    if (owner != last) {
      last = owner;
      key.owner = frames[owner].name;
      gives_way = loops.contains(key.owner);
      const int32_t by = gives_way ? kNoRange : CallerOf(frames, owner);
      const bool is_known =
          by != kNoRange && !HoldsStep(rank, frames[static_cast<size_t>(by)], whole);
      key.caller = is_known ? frames[static_cast<size_t>(by)].name : kNoString;
    }
    if (gives_way && IsInLibrary(frames, f, owner)) return;
    key.within = owner == f ? kNoString : frame.name;
    int64_t& sum = sums.Of(key);
    sum = AddSaturated(sum, time);
  };
  ForEachOwned(frames, add);
}

IntervalSet FrameTimes::StretchesOf(const RankActivity& rank, uint32_t thread,
                                    const IntervalSet& windows, const FrameName& function) {
  const HostFrames& frames = rank.host->frames[thread];
  std::unordered_map<StringId, bool> wanted;
  std::vector<Interval> stretches;
  const auto add = [&](size_t, const HostFrame&, size_t owner, int64_t start, int64_t end) {
    const auto [at, is_new] = wanted.try_emplace(frames[owner].name, false);
    if (is_new) at->second = ParseFrameName(names_[at->first]) == function;
    if (!at->second) return;
    if (!stretches.empty() && stretches.back().end == start)
      stretches.back().end = end;
    else
      stretches.push_back({start, end});
  };
  ForEachOwned(frames, add);
  return Intersection(UnionOf(std::move(stretches)), windows);
}

std::vector<int64_t> FrameTimes::RanksOf(const std::map<int64_t, int64_t>& times) const {
  constexpr int64_t kHardlyAny = 5;  // a fifth
  const auto of = [](const auto& entry) { return entry.second; };
  const int64_t most = of(*std::ranges::max_element(times, {}, of));
  std::vector<int64_t> ranks;
  for (const auto& [rank, time] : times) {
    if (time >= most / 2)
      ranks.push_back(rank);
    else if (time > most / kHardlyAny)
      return {};
  }
  return ranks.size() < ranks_.size() ? ranks : std::vector<int64_t>();
}

std::vector<FrameTimes::Leader> FrameTimes::Leaders(size_t most, double share) const {
  constexpr double kMostCalls = 0.8;
  constexpr double kOfLoop = 2;  // a loop calls everything, and so takes some time in itself
  struct Owned {
    int64_t time = 0;
    std::map<FrameName, int64_t> within, callers;
    std::map<int64_t, int64_t> of_ranks;
  };
  std::map<FrameName, Owned> merged;
  for (const auto& [key, time] : times_) {
    Owned& owned = merged[ParseFrameName(names_[key.owner])];
    owned.time = AddSaturated(owned.time, time);
    int64_t& of_rank = owned.of_ranks[key.rank];
    of_rank = AddSaturated(of_rank, time);
    if (key.caller != kNoString) {
      int64_t& called = owned.callers[ParseFrameName(names_[key.caller])];
      called = AddSaturated(called, time);
    }
    if (key.within == kNoString) continue;
    const FrameName frame = ParseFrameName(names_[key.within]);
    if (IsPartOfCaller(frame) && !IsOfLibrary(frame)) continue;
    int64_t& within = owned.within[frame];
    within = AddSaturated(within, time);
  }
  std::vector<Leader> leaders;
  for (const auto& [name, owned] : merged) {
    const double least = share * (all_loops_.contains(name) ? kOfLoop : 1);
    if (static_cast<double>(owned.time) < least * static_cast<double>(windows_)) continue;
    leaders.push_back({.name = name, .time = owned.time, .ranks = RanksOf(owned.of_ranks)});
    const auto of = [](const auto& within) { return within.second; };
    const auto longest = std::ranges::max_element(owned.within, {}, of);
    if (longest != owned.within.end() && longest->second >= owned.time - longest->second) {
      leaders.back().within = longest->first;
      leaders.back().time_within = longest->second;
    }
    const auto caller = std::ranges::max_element(owned.callers, {}, of);
    const bool calls_most =
        caller != owned.callers.end() &&
        static_cast<double>(caller->second) >= kMostCalls * static_cast<double>(owned.time);
    if (calls_most) leaders.back().caller = caller->first;
  }
  std::ranges::stable_sort(leaders, std::ranges::greater{}, &Leader::time);
  leaders.resize(std::min(leaders.size(), most));
  return leaders;
}

}  // namespace stepscope
