// Builds ranks that run nothing but collectives, for the tests of facts: times are
// nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

struct SampleRanks {
  StringTable names;
  std::vector<RankActivity> ranks;

  explicit SampleRanks(int64_t count) {
    for (int64_t rank = 0; rank < count; ++rank) {
      RankActivity& r = ranks.emplace_back();
      r.rank = rank;
      r.devices = {0};
      r.streams = {{.device = 0, .stream = 20, .device_index = 0}};
    }
  }

  // A collective as new traces have it. Call it in the order of starts.
  void Add(size_t rank, int64_t start, int64_t end, int64_t sequence,
           std::string_view operation = "allreduce", int64_t elements = 1000,
           std::string_view group = "0", std::string_view members = "[all]", int64_t size = -1) {
    const auto detail = static_cast<int32_t>(ranks[rank].collectives.size());
    AddKernel(rank, start, end, "ncclDevKernel_Generic", 0, detail);
    ranks[rank].collectives.push_back(
        {.operation = names.Intern(operation),
         .group = group.empty() ? kNoString : names.Intern(group),
         .members = members.empty() ? kNoString : names.Intern(members),
         .type = names.Intern("Float"),
         .in_elements = elements,
         .out_elements = elements,
         .group_size = size,
         .sequence = sequence});
  }

  // One as old traces have it: a name, and no more.
  void AddKernel(size_t rank, int64_t start, int64_t end, std::string_view name,
                 uint32_t stream = 0, int32_t detail = kNoDetail) {
    ranks[rank].activities.Append({.start = start,
                                   .end = end,
                                   .name = names.Intern(name),
                                   .stream = stream,
                                   .detail = detail,
                                   .kind = Kind::kCommunication});
  }
};

}  // namespace stepscope
