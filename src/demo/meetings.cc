// Goes through the launches of each rank as far as it can, and on when a meeting has come about.
#include "demo/meetings.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kJitter = 20;  // thousandths

class Placement {
 public:
  Placement(uint64_t seed, std::span<const std::span<Launch>> ranks)
      : seed_(seed), ranks_(ranks), next_(ranks.size()) {}

  size_t Run() {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) ready_.push_back(rank);
    while (!ready_.empty()) {
      const size_t rank = ready_.back();
      ready_.pop_back();
      Advance(rank);
    }
    size_t left = 0;
    for (const auto& launches : ranks_)
      left += static_cast<size_t>(std::ranges::count(
          launches, kNone, [](const Launch& launch) { return launch.slot.end; }));
    return left;
  }

 private:
  struct Arrival {
    size_t rank = 0;
    Launch* launch = nullptr;
  };

  void Advance(size_t rank) {
    const std::span<Launch> launches = ranks_[rank];
    for (; next_[rank] < launches.size(); ++next_[rank]) {
      Launch& launch = launches[next_[rank]];
      if (!Start(launches, launch)) return;
      if (launch.meeting.key == 0) {
        launch.slot.end = launch.slot.start + launch.duration;
      } else {
        Arrive({rank, &launch});
      }
    }
  }

  // False while the times of what it comes after are not known.
  static bool Start(std::span<const Launch> launches, Launch& launch) {
    int64_t start = launch.ready;
    for (const int32_t before : launch.after) {
      if (before == kNone) continue;
      const int64_t end = launches[static_cast<size_t>(before)].slot.end;
      if (end == kNone) return false;
      start = std::max(start, end + launch.gap);
    }
    launch.slot.start = start;
    return true;
  }

  void Arrive(const Arrival& arrival) {
    const Meeting& meeting = arrival.launch->meeting;
    std::vector<Arrival>& there = meetings_[meeting.key];
    there.push_back(arrival);
    if (std::cmp_less(there.size(), meeting.members)) return;
    int64_t last = 0;
    for (const Arrival& each : there) last = std::max(last, each.launch->slot.start);
    const int64_t end = last + Random(seed_, meeting.key).Around(meeting.duration, kJitter);
    for (const Arrival& each : there) {
      each.launch->slot.end = end;
      if (each.rank != arrival.rank) ready_.push_back(each.rank);
    }
    meetings_.erase(meeting.key);
  }

  uint64_t seed_;
  std::span<const std::span<Launch>> ranks_;
  std::vector<size_t> next_;   // of each rank, the first launch without a beginning
  std::vector<size_t> ready_;  // ranks that may get on; some more than once
  std::unordered_map<uint64_t, std::vector<Arrival>> meetings_;  // that lack members
};

}  // namespace

size_t PlaceLaunches(uint64_t seed, std::span<const std::span<Launch>> ranks) {
  return Placement(seed, ranks).Run();
}

}  // namespace stepscope::demo
