// Takes medians over peers, and over steps.
#include "facts/derived/replay/expected_work.h"

#include <algorithm>
#include <utility>

#include "base/robust.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr size_t kMostPeers = 16;  // less than twice as many are compared with

constexpr auto PlaceOf(const auto& unit) { return std::pair(unit.step, unit.key); }

int64_t Between(int64_t low, int64_t high) { return low + (high - low) / 2; }

}  // namespace

PeerTimes::PeerTimes(const std::vector<OwnWork>& work, const std::vector<uint32_t>& peers)
    : work_(work) {
  const size_t apart = std::max<size_t>(1, peers.size() / kMostPeers);
  for (size_t i = 0; i < peers.size(); i += apart) chosen_.push_back(peers[i]);
  std::vector<std::span<const OwnUnit>> rest;  // of each of them, units not looked at yet
  for (const uint32_t rank : chosen_) rest.emplace_back(work[rank].units);
  std::vector<int64_t> times;
  while (true) {
    const OwnUnit* first = nullptr;
    for (const auto& units : rest) {
      if (!units.empty() && (first == nullptr || PlaceOf(units.front()) < PlaceOf(*first)))
        first = &units.front();
    }
    if (first == nullptr) break;
    times.clear();
    for (auto& units : rest) {
      if (units.empty() || PlaceOf(units.front()) != PlaceOf(*first)) continue;
      times.push_back(units.front().time);
      units = units.subspan(1);
    }
    Add(times, first->step, first->key);
  }
}

void PeerTimes::Add(std::span<int64_t> times, uint32_t step, uint64_t key) {
  std::ranges::sort(times);
  Times& unit = times_.emplace_back();
  unit = {.step = step, .count = static_cast<uint32_t>(times.size()), .key = key};
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

std::vector<int64_t> PeerTimes::Expected(uint32_t rank) const {
  const bool chosen = std::ranges::binary_search(chosen_, rank);
  std::vector<int64_t> expected;
  expected.reserve(work_[rank].units.size());
  auto known = times_.begin();
  for (const OwnUnit& unit : work_[rank].units) {
    while (known != times_.end() && PlaceOf(*known) < PlaceOf(unit)) ++known;
    const bool found = known != times_.end() && PlaceOf(*known) == PlaceOf(unit);
    if (!found || (chosen && known->count == 1)) {
      expected.push_back(unit.time);
    } else {
      expected.push_back(chosen ? known->MedianWithout(unit.time) : known->Median());
    }
  }
  return expected;
}

std::vector<int64_t> ExpectedAsPeers(const std::vector<OwnWork>& work, uint32_t rank) {
  return PeerTimes(work, work[rank].peers).Expected(rank);
}

std::vector<int64_t> ExpectedAsBefore(const OwnWork& work, size_t first) {
  std::vector<std::pair<uint64_t, int64_t>> before;  // key and time
  for (const OwnUnit& unit : work.units) {
    if (unit.step < first) before.emplace_back(unit.key, unit.time);
  }
  std::ranges::sort(before);
  std::vector<std::pair<uint64_t, int64_t>> usual;  // by key
  for (auto of = before.begin(); of != before.end();) {
    const auto next =
        std::ranges::find_if(of, before.end(), [&](const auto& b) { return b.first != of->first; });
    std::vector<double> times(first, 0);
    std::ranges::transform(of, next, times.begin(),
                           [](const auto& b) { return static_cast<double>(b.second); });
    usual.emplace_back(of->first, ToInt64(Median(std::move(times))));
    of = next;
  }
  std::vector<int64_t> expected;
  expected.reserve(work.units.size());
  for (const OwnUnit& unit : work.units) {
    const auto known =
        std::ranges::lower_bound(usual, unit.key, {}, &std::pair<uint64_t, int64_t>::first);
    const int64_t now = known == usual.end() || known->first != unit.key ? 0 : known->second;
    expected.push_back(unit.step < first ? unit.time : now);
  }
  return expected;
}

}  // namespace stepscope
