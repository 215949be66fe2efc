// Takes medians over peers, and over steps.
#include "facts/derived/replay/expected_work.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/robust.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr size_t kMostPeers = 16;  // less than twice as many are compared with

int64_t Between(int64_t low, int64_t high) { return low + (high - low) / 2; }

}  // namespace

PeerTimes::PeerTimes(const std::vector<OwnWork>& work, const std::vector<uint32_t>& peers)
    : work_(work) {
  const size_t apart = std::max<size_t>(1, peers.size() / kMostPeers);
  for (size_t i = 0; i < peers.size(); i += apart) chosen_.push_back(peers[i]);
  std::vector<std::span<const UnitRun>> rest;  // of each of them, runs not looked at yet
  for (const uint32_t rank : chosen_) rest.emplace_back(work[rank].runs);
  std::vector<std::span<const int64_t>> of_ranks;
  while (true) {
    const UnitRun* first = nullptr;
    for (const auto& runs : rest) {
      if (!runs.empty() && (first == nullptr || runs.front().Place() < first->Place()))
        first = &runs.front();
    }
    if (first == nullptr) break;
    of_ranks.clear();
    for (size_t i = 0; i < rest.size(); ++i) {
      if (rest[i].empty() || rest[i].front().Place() != first->Place()) continue;
      of_ranks.push_back(work[chosen_[i]].TimesOf(rest[i].front()));
      rest[i] = rest[i].subspan(1);
    }
    runs_.push_back(*first);
    runs_.back().first = static_cast<uint32_t>(times_.size());
    AddRun(of_ranks);
    runs_.back().count = static_cast<uint32_t>(times_.size()) - runs_.back().first;
  }
}

void PeerTimes::AddRun(std::span<const std::span<const int64_t>> of_ranks) {
  std::vector<int64_t> times;
  for (size_t n = 0;; ++n) {
    times.clear();
    for (const auto& of_rank : of_ranks) {
      if (n < of_rank.size()) times.push_back(of_rank[n]);
    }
    if (times.empty()) return;
    Add(times);
  }
}

void PeerTimes::Add(std::span<int64_t> times) {
  std::ranges::sort(times);
  Times& unit = times_.emplace_back();
  unit.count = static_cast<uint32_t>(times.size());
  const size_t from = times.size() < 2 ? 0 : (times.size() - 2) / 2;
  for (size_t i = 0; i < unit.middle.size(); ++i)
    unit.middle[i] = times[std::min(from + i, times.size() - 1)];
}

int64_t PeerTimes::Times::Median() const {
  return count % 2 == 0 ? Between(middle[0], middle[1]) : middle[1];
}

// REQUIRES: it is one of them, and not the only one.
int64_t PeerTimes::Times::MedianWithout(int64_t time) const {
  const auto rest = [&](size_t i) { return middle[i] < time ? middle[i] : middle[i + 1]; };
  return count % 2 == 0 ? rest(0) : Between(rest(0), rest(1));
}

int64_t PeerTimes::ExpectedOf(const Times& known, int64_t time, int64_t alone, bool chosen) const {
  if (!chosen) return known.Median();
  return known.count == 1 ? alone : known.MedianWithout(time);
}

std::vector<int64_t> PeerTimes::Expected(uint32_t rank) const {
  const bool chosen = std::ranges::binary_search(chosen_, rank);
  std::vector<int64_t> expected = work_[rank].times;
  auto known = runs_.begin();
  for (const UnitRun& run : work_[rank].runs) {
    while (known != runs_.end() && known->Place() < run.Place()) ++known;
    const bool has_peers = known != runs_.end() && known->Place() == run.Place();
    const uint32_t count = has_peers ? known->count : 0;
    for (uint32_t n = 0; n < run.count; ++n) {
      int64_t& time = expected[run.first + n];
      const int64_t alone = run.of.kind == UnitKind::kDevice ? time : 0;
      time = n < count ? ExpectedOf(times_[known->first + n], time, alone, chosen) : alone;
    }
  }
  return expected;
}

std::vector<int64_t> ExpectedAsPeers(const std::vector<OwnWork>& work, uint32_t rank) {
  return PeerTimes(work, work[rank].peers).Expected(rank);
}

std::vector<int64_t> ExpectedAsBefore(const OwnWork& work, size_t first) {
  std::map<WorkName, std::vector<const UnitRun*>> before;
  for (const UnitRun& run : work.runs) {
    if (run.step < first) before[run.of].push_back(&run);
  }
  std::map<WorkName, std::vector<int64_t>> usual;  // of the n-th
  for (const auto& [of, runs] : before) {
    const uint32_t most = std::ranges::max(runs, {}, &UnitRun::count)->count;
    for (uint32_t n = 0; n < most; ++n) {
      std::vector<double> times(first, 0);
      for (size_t i = 0; i < runs.size(); ++i) {
        if (n < runs[i]->count) times[i] = static_cast<double>(work.TimesOf(*runs[i])[n]);
      }
      usual[of].push_back(ToInt64(Median(std::move(times))));
    }
  }
  std::vector<int64_t> expected = work.times;
  for (const UnitRun& run : work.runs) {
    if (run.step < first) continue;
    const std::vector<int64_t>& known = usual[run.of];
    for (uint32_t n = 0; n < run.count; ++n)
      expected[run.first + n] = n < known.size() ? known[n] : 0;
  }
  return expected;
}

}  // namespace stepscope
