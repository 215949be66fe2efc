// What the units of a rank would take if it did its work as others do, or as it did before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "facts/derived/replay/own_work.h"

namespace stepscope {

// What ranks with the same work take for each unit: up to 31 of them, evenly chosen, so that the
// cost is linear.
class PeerTimes {
 public:
  // `peers`: OwnWork::peers of each of them.
  PeerTimes(const std::vector<OwnWork>& work, const std::vector<uint32_t>& peers);

  // ns of each unit of one of them: the median of its peers, itself aside. Where no peer has it, 0
  // of what the host does, such as a checkpoint; as recorded of kernels and copies, of which
  // libraries choose other ones for the same work.
  std::vector<int64_t> Expected(uint32_t rank) const;

 private:
  // The middle of the sorted times of a unit: with any one of them left out, the median of the rest
  // is among these.
  struct Times {
    uint32_t count = 0;
    std::array<int64_t, 3> middle{};  // from that at index (count - 2) / 2 on

    int64_t Median() const;
    int64_t MedianWithout(int64_t time) const;
  };

  void AddRun(std::span<const std::span<const int64_t>> of_ranks);
  void Add(std::span<int64_t> times);
  // `alone`: where no peer has it.
  int64_t ExpectedOf(const Times& known, int64_t time, int64_t alone, bool chosen) const;

  const std::vector<OwnWork>& work_;
  std::vector<uint32_t> chosen_;  // ascending
  std::vector<UnitRun> runs_;     // into times_
  std::vector<Times> times_;
};

// Of one rank.
std::vector<int64_t> ExpectedAsPeers(const std::vector<OwnWork>& work, uint32_t rank);

// ns of each unit: in the steps from `first` on (an index into JobGraph::steps), the median of the
// steps before, 0 of what few of them have; as recorded in those before. REQUIRES: first > 0.
std::vector<int64_t> ExpectedAsBefore(const OwnWork& work, size_t first);

}  // namespace stepscope
