// Real snapshots of PyTorch, against peaks that were found by replaying them in Python.
#include "stepscope/memory_snapshot.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/shared_data.h"

namespace stepscope::testing {
namespace {

using MemorySnapshotTest = SharedDataTest;

int64_t MetricOf(const Report& report, std::string_view key) {
  for (const Metric& metric : report.metrics)
    if (metric.key == key && std::holds_alternative<int64_t>(metric.value))
      return std::get<int64_t>(metric.value);
  return -1;
}

TEST_F(MemorySnapshotTest, RealPeaksToTheByte) {
  std::ifstream file(Shared("goldens/snapshots.json"));
  const auto goldens = nlohmann::json::parse(file);
  for (const auto& [name, golden] : goldens.items()) {
    const auto answer = ReadMemorySnapshot(Shared("traces/snapshots/" + name));
    ASSERT_TRUE(answer) << name << ": " << answer.error().what;
    const Report& report = answer->reports.front();
    for (const char* key :
         {"events", "segments", "requested_at_start", "peak_requested", "peak_time_us",
          "requested_at_end", "allocated_at_end", "reserved_at_end"})
      EXPECT_EQ(MetricOf(report, key), golden[key].get<int64_t>()) << name << ' ' << key;
    EXPECT_LE(MetricOf(report, "peak_requested"), MetricOf(report, "reserved_peak")) << name;
  }
}

}  // namespace
}  // namespace stepscope::testing
