// Compares which calls two runs make, and on inputs of which sizes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "report/compare_read.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

struct Source {
  std::string_view analysis, table, name, count, time;
};
constexpr Source kKernels{"kernel_breakdown", "kernels", "name", "count", "sum"};
constexpr Source kShapes{"shapes", "shapes", "call", "calls", "device_time"};

// What computes, by name: the largest growth first. Shapes are of all ranks.
std::vector<Growth> CompareCompute(const ReportSet& a, const ReportSet& b, Rank rank,
                                   const Source& source);

bool AsManyCalls(const Growth& growth);

// Whether the same calls were made, as far as they take time; false where none is known.
bool SameCalls(const std::vector<Growth>& all);

enum class Sizes : uint8_t { kUnknown, kSame, kDiffer };

// Of inputs: by shapes where both runs recorded them, else by FLOP.
Sizes CompareSizes(const ReportSet& a, const ReportSet& b, Rank rank);

// Of operators that run as often, the sizes that run more often: the largest part of time first.
// Those of operators that run more often belong to other work.
std::vector<Growth> OtherSizes(const ReportSet& a, const ReportSet& b);

}  // namespace stepscope::comparison
