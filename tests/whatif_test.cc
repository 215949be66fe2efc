// Tests what a replay of all ranks says about jobs whose fault and its cost are known.
#include <gtest/gtest.h>

#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::whatif_test {
namespace {

using Whatif = SharedDataTest;

// dp 2 x pp 2 x tp 2: rank 3 takes 200 us more per block from step 2 on. Ranks 2 and 3 arrive last.
TEST_F(Whatif, ARankInAPipelineIsWhereLatenessBegan) {
  const ReportSet answer = AnswerTo({Shared("traces/planted_3d_small")});
  const auto changes = RowsOf(answer, "whatif", "changes");
  std::vector<std::string> ranks;
  for (const Row& row : changes) {
    if (row.Text("change").starts_with("rank")) ranks.push_back(row.Text("change"));
  }
  EXPECT_EQ(ranks, std::vector<std::string>{"rank 3 as its peers"});
  const Row& first = changes.front();
  EXPECT_EQ(first.Int("since_step"), 2);
  // truth.json: a step takes 5.523 ms without the fault.
  EXPECT_NEAR(static_cast<double>(first.Int("step_time")), 5.523e6, 0.05 * 1.585e6);
  for (const Row& row : RowsOf(answer, "whatif", "replay")) EXPECT_LT(row.Real("error_ratio"), 0.01);
}

}  // namespace
}  // namespace stepscope::testing::whatif_test
