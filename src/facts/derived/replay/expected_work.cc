// Takes medians over peers, and over steps.
#include "facts/derived/replay/expected_work.h"

#include <unordered_map>

#include "base/robust.h"
#include "base/saturate.h"

namespace stepscope {

std::vector<int64_t> ExpectedAsPeers(const std::vector<OwnWork>& work, uint32_t rank) {
  std::vector<int64_t> expected;
  expected.reserve(work[rank].units.size());
  for (const OwnUnit& unit : work[rank].units) expected.push_back(TimeOfPeers(work, rank, unit));
  return expected;
}

std::vector<int64_t> ExpectedAsBefore(const OwnWork& work, size_t first) {
  std::unordered_map<uint64_t, std::vector<double>> before;
  for (const OwnUnit& unit : work.units) {
    if (unit.step < first) before[unit.key].push_back(static_cast<double>(unit.time));
  }
  std::unordered_map<uint64_t, int64_t> usual;
  for (auto& [key, times] : before) {
    times.resize(first, 0);
    usual[key] = ToInt64(Median(times));
  }
  std::vector<int64_t> expected;
  expected.reserve(work.units.size());
  for (const OwnUnit& unit : work.units) {
    const auto known = usual.find(unit.key);
    const int64_t now = known == usual.end() ? 0 : known->second;
    expected.push_back(unit.step < first ? unit.time : now);
  }
  return expected;
}

}  // namespace stepscope
