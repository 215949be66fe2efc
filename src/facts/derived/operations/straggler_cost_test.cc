// Tests the costs of stragglers in jobs small enough to be reckoned by hand.
#include "facts/derived/operations/straggler_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/time_units.h"
#include "facts/derived/operations/straggler_blame.h"

namespace stepscope::testing::straggler_cost_test {
namespace {

using Kind = OperationKind;

// Data parallelism alone: each replica computes, then all reduce gradients for 2 ms and optimize
// for 1 ms. `computes[step][dp]` in ms; a launch delay of 5 ms precedes all.
JobOperations Replicas(const std::vector<std::vector<int64_t>>& computes) {
  JobOperations job;
  for (size_t s = 0; s < computes.size(); ++s) {
    int64_t last = 0;
    for (const int64_t ms : computes[s]) last = std::max(last, ms);
    for (size_t d = 0; d < computes[s].size(); ++d) {
      const auto add = [&](Kind kind, int64_t start, int64_t end) {
        job.rows.push_back({.step = static_cast<int64_t>(s),
                            .dp = static_cast<int64_t>(d),
                            .rank = static_cast<int64_t>(d),
                            .kind = kind,
                            .start = start * kMillisecond,
                            .duration = (end - start) * kMillisecond});
      };
      const int64_t own = computes[s][d];
      add(Kind::kParamsGather, 0, 1);
      add(Kind::kForward, 6, 6 + own);
      add(Kind::kGradsReduce, 6 + own, 6 + last + 2);
      add(Kind::kOptimizer, 8 + last, 9 + last);
    }
  }
  return job;
}

TEST(StragglerCost, ComparesStepsWithTheirMeanWork) {
  // Replica 1 takes 30 ms and the other 10 ms, so each should take 20 ms.
  const auto cost = StragglerCostOf(Replicas({{10, 30}, {10, 30}}));
  ASSERT_TRUE(cost.has_value()) << cost.error().what;
  EXPECT_EQ(cost->recorded, 39 * kMillisecond);
  EXPECT_EQ(cost->no_delay, 34 * kMillisecond);  // 1 + 30 + 2 + 1
  EXPECT_EQ(cost->ideal, 24 * kMillisecond);
  EXPECT_DOUBLE_EQ(cost->Slowdown(), 34.0 / 24);
  EXPECT_EQ(cost->types.front().name, "forward-compute");
  EXPECT_EQ(cost->types.front().step, 34 * kMillisecond);
  EXPECT_EQ(cost->types.back().step, 24 * kMillisecond);
  // Replica 1 costs all of it; without 3% of workers, rounded up to one, all is gone.
  EXPECT_EQ(cost->replicas.front().number, 1);
  EXPECT_EQ(cost->replicas.front().step, 34 * kMillisecond);
  EXPECT_EQ(cost->replicas.back().step, 24 * kMillisecond);
  EXPECT_DOUBLE_EQ(*cost->ShareGone(cost->without_workers), 1);
  EXPECT_TRUE(cost->workers.front().slowest);
  EXPECT_EQ(cost->workers.front().dp, 1);
  EXPECT_FALSE(cost->without_last_stage.has_value());  // there is one stage
}

TEST(StragglerCost, TakesReplicasApartByStep) {
  // Either replica is late once: none of them alone costs as much as both.
  const auto cost = StragglerCostOf(Replicas({{10, 30}, {30, 10}}));
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->no_delay, 34 * kMillisecond);
  EXPECT_EQ(cost->replicas.front().step, 29 * kMillisecond);
  EXPECT_EQ(cost->replicas.back().step, 29 * kMillisecond);
}

TEST(StragglerCost, EvenWorkCostsNothing) {
  const auto cost = StragglerCostOf(Replicas({{10, 10}, {10, 10}}));
  ASSERT_TRUE(cost.has_value());
  EXPECT_DOUBLE_EQ(cost->Slowdown(), 1);
  EXPECT_FALSE(cost->ShareGone(cost->without_workers).has_value());
}

TEST(StragglerBlame, IsForWorkersThatAreSlowInMostSteps) {
  const auto blame = [](const std::vector<std::vector<int64_t>>& computes) {
    return BlameFor(*StragglerCostOf(Replicas(computes)));
  };
  const std::vector<int64_t> slow = {10, 10, 10, 30}, even = {10, 10, 10, 10};
  EXPECT_EQ(blame({slow, slow, slow, slow}), StragglerBlame::kWorkers);
  EXPECT_EQ(blame({slow, slow, slow, slow, slow, slow, slow, even}), StragglerBlame::kWorkers);
  // Once in a while it may be chance, and so it may be where others are slow too.
  EXPECT_EQ(blame({{10, 10, 10, 90}, even, even, even}), StragglerBlame::kNobody);
  EXPECT_EQ(blame({slow, {30, 10, 10, 10}, slow, {30, 10, 10, 10}}), StragglerBlame::kNobody);
  EXPECT_EQ(blame({even, even, even, even}), StragglerBlame::kNobody);
}

TEST(StragglerCost, LeavesIncompleteStepsOut) {
  JobOperations job = Replicas({{10, 30}, {10, 30}, {10, 90}, {10, 30}});
  std::erase_if(job.rows, [](const Operation& o) {
    return o.step == 2 && o.dp == 0 && o.kind == Kind::kOptimizer;
  });
  job.rows.push_back(job.rows.front());  // an operation of step 0, twice
  const auto cost = StragglerCostOf(job);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->dropped_steps, 2);
  ASSERT_EQ(cost->steps.size(), 2U);
  EXPECT_EQ(cost->steps.front().step, 1);
  EXPECT_EQ(cost->no_delay, 34 * kMillisecond);
}

TEST(StragglerCost, SaysWhatIsWrongWithOperations) {
  EXPECT_FALSE(StragglerCostOf({}).has_value());
  JobOperations job = Replicas({{10, 30}});
  for (Operation& row : job.rows) row.stage = 1;
  const auto no_stage = StragglerCostOf(job);
  ASSERT_FALSE(no_stage.has_value());
  EXPECT_EQ(no_stage.error().what,
            "cannot ask what stragglers cost: a pipeline stage has no operations");
}

TEST(StragglerCost, RefusesACircle) {
  JobOperations job = Replicas({{10, 30}});
  for (Operation& row : job.rows)
    if (row.kind == Kind::kGradsReduce) row.start = -1;  // before the parameters were gathered
  const auto cost = StragglerCostOf(job);
  ASSERT_FALSE(cost.has_value());
  EXPECT_TRUE(cost.error().what.ends_with("its operations wait for one another in a circle"));
}

TEST(StragglerCost, SurvivesHostileTimes) {
  JobOperations job = Replicas({{10, 30}, {10, 30}});
  for (size_t i = 0; i < job.rows.size(); ++i) {
    const bool first = job.rows[i].kind == Kind::kParamsGather;
    job.rows[i].start = first ? INT64_MIN : INT64_MAX - 100 + static_cast<int64_t>(i);
    job.rows[i].duration = INT64_MAX;
    job.rows[i].chunk = job.rows[i].place = INT64_MAX;
  }
  const auto cost = StragglerCostOf(job);
  ASSERT_TRUE(cost.has_value()) << cost.error().what;
  EXPECT_GE(cost->no_delay, 0);
}

}  // namespace
}  // namespace stepscope::testing::straggler_cost_test
