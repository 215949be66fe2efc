// Tests the critical path of real traces against HTA's: what it is bound by on the
// device is the same. On the host HTA leaves out what lies between operators, so its path is no
// longer than ours.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::critical_path_hta_test {
namespace {

// Microseconds by bound.
using Bounds = std::map<std::string, double>;

Bounds OfHta(const std::string& golden) {
  Bounds bounds;
  for (const auto& row : ReadCsv(Shared(golden + "/critical_path.rank0.0.breakdown.csv"))) {
    bounds[row.at("bound_by")] += std::stod(row.at("duration"));
  }
  return bounds;
}

Bounds Ours(const std::string& trace, const std::string& annotation, const std::string& instance) {
  const std::vector<std::string> paths = {Shared(trace)};
  const auto session = Session::Open(paths);
  const auto answer = session->Analyze(
      {.params = {{"critical_path.annotation", annotation}, {"critical_path.instance", instance}}});
  Bounds bounds;
  for (const Row& row : RowsOf(*answer, "critical_path", "bounds")) {
    const double time = static_cast<double>(row.Int("time")) / 1e3;
    bounds[row.Text("bound")] += time;
    bounds["span"] += time;
  }
  return bounds;
}

using CriticalPathHtaTest = SharedDataTest;

// One step of AlexNet, HTA's own example. Its launch overhead is without the host's calls.
TEST_F(CriticalPathHtaTest, AgreesOnAlexNet) {
  Bounds hta = OfHta("goldens/hta/critical_path__alexnet");
  Bounds ours = Ours("traces/hta/critical_path/alexnet",
                     "[param|pytorch.model.alex_net|0|0|0|measure|forward]", "1");
  EXPECT_NEAR(ours["gpu_compute"], hta["gpu_compute_bound"], 5);
  EXPECT_NEAR(ours["kernel_gap"], hta["gpu_kernel_kernel_overhead"], 5);
  EXPECT_GE(ours["launch_overhead"], hta["gpu_kernel_launch_overhead"]);
  EXPECT_NEAR(ours["cpu"] + ours["launch_overhead"],
              hta["cpu_bound"] + hta["gpu_kernel_launch_overhead"], 0.02 * hta["cpu_bound"]);
  EXPECT_GE(ours["span"], 35834);
}

// A host that waits for an event, by its record.
TEST_F(CriticalPathHtaTest, AgreesOnWaitingForAnEvent) {
  Bounds hta = OfHta("goldens/hta/critical_path__cuda_event_sync");
  Bounds ours = Ours("traces/hta/critical_path/cuda_event_sync", "ProfilerStep#100", "0");
  EXPECT_EQ(ours["gpu_compute"], hta["gpu_compute_bound"]);
  EXPECT_EQ(ours["span"], 3154);
}

}  // namespace
}  // namespace stepscope::testing::critical_path_hta_test
