// What lives at the first event is "not recorded" until its block at the end tells its stack.
#include "memory_snapshot/curves.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "memory_snapshot/holders.h"

namespace stepscope::memory {
namespace {

constexpr size_t kStretches = kMostMoments / 2;
constexpr size_t kOthers = Curves::kSites, kBefore = Curves::kSites + 1;

struct Moment {
  int64_t time = 0, requested = 0, reserved = 0;
  std::array<int64_t, static_cast<size_t>(Category::kCount)> categories{};
  std::array<int64_t, Curves::kSites + 2> places{};
};

// Which layers a stack is of.
struct Layers {
  uint8_t category = 0, place = kBefore;
};

std::vector<StringId> LargestSites(const Sites& sites, const Replay& replay) {
  std::vector<std::pair<int64_t, StringId>> sums;
  for (const Holder& holder : HoldersBy(By::kSite, sites, replay)) {
    if (holder.name == 0) continue;
    const auto known = std::ranges::find(sums, holder.name, &std::pair<int64_t, StringId>::second);
    if (known != sums.end()) {
      known->first += holder.amount.bytes;
    } else if (sums.size() < 4 * Curves::kSites) {
      sums.emplace_back(holder.amount.bytes, holder.name);
    }
  }
  std::ranges::stable_sort(sums, std::ranges::greater{}, &std::pair<int64_t, StringId>::first);
  sums.resize(std::min(sums.size(), Curves::kSites));
  std::vector<StringId> largest;
  for (const auto& [bytes, site] : sums) largest.push_back(site);
  return largest;
}

std::vector<Layers> LayersOf(const Sites& sites, const std::vector<StringId>& largest) {
  std::vector<Layers> layers;
  for (const Place& place : sites.places) {
    const auto category = static_cast<uint8_t>(place.category);
    const auto at = static_cast<size_t>(std::ranges::find(largest, place.site) - largest.begin());
    const size_t layer = place.category == Category::kUnknown ? kBefore
                         : at < largest.size()                ? at
                                                              : kOthers;
    layers.push_back({category, static_cast<uint8_t>(layer)});
  }
  return layers;
}

class Follower {
 public:
  Follower(const MemorySnapshot& snapshot, const Replay& replay, std::vector<Layers> layers,
           Curves& curves)
      : snapshot_(snapshot), replay_(replay), layers_(std::move(layers)), curves_(curves) {}

  void Run(const SnapshotTrace& trace) {
    now_.requested = replay_.at_start;
    now_.reserved = replay_.reserved_at_start;
    Move(Layers(), replay_.at_start);
    curves_.begin = snapshot_.events[trace.first].time;
    Put(now_);
    const size_t each = std::max<size_t>(1, (trace.count + kStretches - 2) / (kStretches - 1));
    for (size_t from = 0; from < trace.count; from += each)
      FollowStretch(trace.first + from, std::min(each, trace.count - from));
    Attribute();
  }

 private:
  struct Live {
    int64_t size = 0;
    StackId stack = 0;
  };

  // The highest and the lowest moment of these events, in their order; the last is among them where
  // there are no others.
  void FollowStretch(size_t first, size_t count) {
    Moment high, low;
    size_t high_at = 0, low_at = 0;
    for (size_t i = 0; i < count; ++i) {
      const SnapshotEvent event = snapshot_.events[first + i];
      Take(event);
      now_.time = event.time - curves_.begin;
      if (i == 0 || now_.requested > high.requested) std::tie(high, high_at) = std::pair(now_, i);
      if (i == 0 || now_.requested <= low.requested) std::tie(low, low_at) = std::pair(now_, i);
    }
    if (low_at < high_at) Put(low);
    Put(high);
    if (low_at > high_at) Put(low);
  }

  void Take(const SnapshotEvent& event) {
    switch (event.action) {
      case SnapshotAction::kAlloc:
        now_.requested += event.size;
        Allocate(event);
        break;
      case SnapshotAction::kFreeCompleted:
        now_.requested -= event.size;
        Free(event);
        break;
      case SnapshotAction::kSegmentAlloc:
      case SnapshotAction::kSegmentMap:
        now_.reserved += event.size;
        break;
      case SnapshotAction::kSegmentFree:
      case SnapshotAction::kSegmentUnmap:
        now_.reserved -= event.size;
        break;
      default:
        break;
    }
  }

  // What is not followed by its address counts as not recorded, so that layers add up.
  void Allocate(const SnapshotEvent& event) {
    if (live_.size() >= kMostLive) {
      whole_ = false;
      return Move(Layers(), event.size);
    }
    const auto [at, added] = live_.try_emplace(event.address, Live{event.size, event.stack});
    if (!added) {
      Move(layers_[at->second.stack], -at->second.size);
      Move(Layers(), at->second.size);
      at->second = {event.size, event.stack};
    }
    Move(layers_[event.stack], event.size);
  }

  void Free(const SnapshotEvent& event) {
    const auto at = live_.find(event.address);
    if (at == live_.end()) return Move(Layers(), -event.size);
    Move(layers_[at->second.stack], -at->second.size);
    Move(Layers(), at->second.size - event.size);
    live_.erase(at);
  }

  void Move(const Layers& layers, int64_t bytes) {
    now_.categories[layers.category] += bytes;
    now_.places[layers.place] += bytes;
  }

  void Put(const Moment& moment) {
    curves_.times.push_back(
        std::max(moment.time, curves_.times.empty() ? 0 : curves_.times.back()));
    curves_.reserved.push_back(moment.reserved);
    for (size_t i = 0; i < moment.categories.size(); ++i)
      curves_.categories[i].push_back(moment.categories[i]);
    for (size_t i = 0; i < moment.places.size(); ++i) curves_.places[i].push_back(moment.places[i]);
  }

  // Blocks that live throughout have their stack at the end.
  void Attribute() {
    if (!whole_) return;
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device != replay_.device) continue;
      for (uint32_t i = 0; i < segment.blocks; ++i) {
        const SnapshotBlock& block = snapshot_.blocks[segment.first_block + i];
        if (!block.live() || live_.contains(block.address)) continue;
        categories_[layers_[block.stack].category] += block.requested;
        places_[layers_[block.stack].place] += block.requested;
      }
    }
    Shift(curves_.categories, categories_, static_cast<size_t>(Category::kUnknown));
    Shift(curves_.places, places_, kBefore);
  }

  template <class Lines, class Sums>
  static void Shift(Lines& lines, const Sums& sums, size_t from) {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (i == from) continue;
      for (int64_t& bytes : lines[i]) bytes += sums[i];
      for (int64_t& bytes : lines[from]) bytes -= sums[i];
    }
  }

  const MemorySnapshot& snapshot_;
  const Replay& replay_;
  std::vector<Layers> layers_;  // by stack
  Curves& curves_;
  Moment now_;
  boost::unordered_flat_map<uint64_t, Live> live_;
  bool whole_ = true;
  std::array<int64_t, static_cast<size_t>(Category::kCount)> categories_{};
  std::array<int64_t, Curves::kSites + 2> places_{};
};

}  // namespace

Curves FollowCurves(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay) {
  Curves curves;
  const auto place = static_cast<size_t>(replay.device);
  if (!replay.possible || place >= snapshot.traces.size()) return curves;
  const SnapshotTrace& trace = snapshot.traces[place];
  if (trace.count == 0) return curves;
  curves.sites = LargestSites(sites, replay);
  Follower(snapshot, replay, LayersOf(sites, curves.sites), curves).Run(trace);
  return curves;
}

}  // namespace stepscope::memory
