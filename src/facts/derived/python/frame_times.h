// Adds up what the functions of the user's program take of windows, whatever library they call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "facts/derived/python/frame_owners.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// Whether the function, or the frame with its place before it, is called as those within decorators
// are: "wrapper", "hooks.py(4): wrapper".
bool IsOfDecorator(std::string_view name);

// What the user's functions took of a thread's time within windows. Each moment belongs to the
// innermost function of the user's program around it: what libraries and built-in functions do
// there is its own. Where there is none, it belongs to the innermost function that has a file.
class FrameTimes {
 public:
  // Which function a moment belongs to. kOwn: the innermost one. kGiveWay: library time directly
  // under the training loop, which holds nearly all operators of the steps and most of their time,
  // belongs to none; what the loop does itself stays its own.
  enum class Loops : uint8_t { kOwn, kGiveWay };
  explicit FrameTimes(const Facts& facts, Loops loops = Loops::kOwn)
      : facts_(facts), names_(*facts.names), origins_(FrameOriginsOf(facts)), loops_(loops) {}

  // Adds the thread's within `windows`. REQUIRES: the rank is one of the facts'; with kGiveWay, it
  // is the TrainingThread().
  void Add(const RankActivity& rank, uint32_t thread, const IntervalSet& windows);

  struct Leader {
    FrameName name;
    FrameName
        within;  // built in or a library's: the innermost for half of `time` or more; or empty
    // The user's function that calls it, for four fifths of `time` or more, and is no training
    // loop: none of its calls takes a whole step, or without steps half of the windows. Or empty.
    FrameName caller;
    int64_t time = 0;         // ns
    int64_t time_within = 0;  // of which in `within`
    // Where some ranks spend hardly any of it: those that spend half as much as the one with the
    // most, or more; ascending. Else empty.
    std::vector<int64_t> ranks;
  };
  // Most time first; of those below `share` of all windows none, nor of loops below twice as much.
  std::vector<Leader> Leaders(size_t most, double share = 0.1) const;
  // When the thread's time within `windows` belongs to this function.
  IntervalSet StretchesOf(const RankActivity& rank, uint32_t thread, const IntervalSet& windows,
                          const FrameName& function);

 private:
  struct Key {
    // within: kNoString where the owner is the innermost itself; caller: where there is none.
    StringId owner, within, caller;
    int64_t rank;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      const uint64_t names = (uint64_t{key.owner} << 32) + key.within;
      const uint64_t others = uint64_t{key.caller} * 0xbf58476d1ce4e5b9;
      return std::hash<uint64_t>()(names ^ others ^
                                   static_cast<uint64_t>(key.rank) * 0x9e3779b97f4a7c15);
    }
  };
  using Sums = std::unordered_map<Key, int64_t, Hash>;  // ns
  class RecentSums;
  template <class Visit>
  void ForEachOwned(const HostFrames& frames, const Visit& visit);
  // Of a frame, the innermost frame of another function of the user around it; kNoRange: none.
  int32_t CallerOf(const HostFrames& frames, size_t frame);
  std::vector<int64_t> RanksOf(const std::map<int64_t, int64_t>& times) const;
  // Whether `owner` calls a library that runs the frame.
  bool IsInLibrary(const HostFrames& frames, size_t frame, size_t owner);

  const Facts& facts_;
  const StringTable& names_;
  const std::vector<FrameOrigin>& origins_;  // by name
  const Loops loops_;
  Sums times_;
  std::set<int64_t> ranks_;  // whose windows were added
  std::set<FrameName> all_loops_;
  int64_t windows_ = 0;
};

}  // namespace stepscope
