// Asks about jobs with a pipeline whose trouble is known: none, and a rank that computes slowly.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "tests/support/demo_job.h"

namespace stepscope::pipeline_situations_test {
namespace {

ReportSet AnswerTo(int slow, int tensor, int pipeline) {
  DemoOptions options{.ranks = 16, .steps = 5, .slow_rank = slow, .layers = 2, .stacks = false};
  options.slow_factor = 1.5;
  options.ranks_per_host = 8;
  options.tensor = tensor;
  options.pipeline = pipeline;
  testing::DemoJob job;
  testing::MakeDemoJob(options, job);
  return std::move(job.answer);
}

// ns: of the last step, in which the pipeline is full.
int64_t LastStep(const ReportSet& answer) {
  return testing::RowsOf(answer, "steps", "breakdown").back().Int("step_time");
}

TEST(PipelineSituations, AHealthyOneIsIdleAsItsScheduleNeeds) {
  const ReportSet answer = AnswerTo(-1, 1, 4);
  EXPECT_TRUE(answer.verdict.starts_with("Pipeline stages are idle for ")) << answer.verdict.str();
  EXPECT_TRUE(answer.verdict.contains(": 4 stages and 4 microbatches need 42.9%."))
      << answer.verdict.str();
  const Finding* finding = testing::FindFinding(answer, "Pipeline stages are idle for");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->hint.contains("(8 need 27.3%)")) << finding->hint.str();
}

// What is saved is what the same job takes less without the slow rank.
TEST(PipelineSituations, ASlowRankIsNamedAndPriced) {
  for (const auto& [tensor, pipeline] : {std::pair(1, 4), std::pair(4, 2)}) {
    const ReportSet slow = AnswerTo(5, tensor, pipeline);
    const int64_t truth = LastStep(slow) - LastStep(AnswerTo(-1, tensor, pipeline));
    EXPECT_TRUE(slow.verdict.starts_with("Rank 5 is a straggler")) << slow.verdict.str();
    const Finding* finding = testing::FindFinding(slow, "Rank 5 is a straggler");
    ASSERT_NE(finding, nullptr);
    const auto saved = static_cast<double>(finding->per_step);
    EXPECT_NEAR(saved, static_cast<double>(truth), 0.15 * static_cast<double>(truth));
  }
}

}  // namespace
}  // namespace stepscope::pipeline_situations_test
