// Tests that steps which recur and take longer, as with a checkpoint, are told with their function
// and their cost: of one run, and of two that are compared.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/compare.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::recurring_steps_test {
namespace {

using testing::CpuTrace;
using testing::ScratchFolder;

constexpr int kFirst = 2, kLast = 15;  // steps
const std::set<int> kNone, kRegular = {4, 9, 14}, kIrregular = {3, 4, 9, 12};

// Two ranks, steps of about 30 ms. Behind its last collective rank 0 saves for 100 ms in these
// steps, so that rank 1 waits in the first collective of the next one.
Result<ReportSet> Ask(const std::set<int>& saves, int last = kLast) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    double ready = 0;  // this rank's next step
    // Rank 0 is, from the last step's save.
    double late = saves.contains(kFirst - 1) ? 100 : 0;
    for (int step = kFirst; step <= last; ++step) {
      const double waits = rank == 1 ? late : 0;
      late = saves.contains(step) ? 100 : 0;
      const double reduced = ready + 28 + waits + 0.1 * (step % 3);
      const double saved = reduced + (rank == 0 ? late : 0) + 1;
      trace.Add("python_function", "run.py(40): train", ready, saved - ready);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), ready, saved - ready);
      trace.Add("cpu_op", "aten::linear", ready + 0.5, 10);
      trace.Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", ready + 11, 10);
      trace.Add("cpu_op", "c10d::allreduce_", ready + 22, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", ready + 23, reduced - ready - 23, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      if (rank == 0 && late > 0)
        trace.Add("python_function", "run.py(16): save_checkpoint", reduced + 0.5, late);
      ready = saved;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  return testing::Ask(paths);
}

const Finding* FindingWith(const ReportSet& answer, std::string_view words) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.message.contains(words)) return &finding;
    }
  }
  return nullptr;
}

TEST(RecurringSteps, OfOneRankAreToldThoughOthersWaitInTheNextStep) {
  const auto answer = Ask(kRegular);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("Every 5th step of rank 0 (4, 9 and 14) takes"))
      << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("in save_checkpoint (run.py:16).")) << answer->verdict;
  const Finding* finding = FindingWith(*answer, "Every 5th step of rank 0");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->because.contains("the other ranks wait for it")) << finding->because;
  EXPECT_EQ(FindingWith(*answer, "without a pattern"), nullptr);
}

// Rank 0's own time in the next step tells nothing: what it did at the end of the one before does.
TEST(RecurringSteps, ThatMakeARankLateInTheNextStepAreItsCause) {
  const auto answer = Ask({3, 6, 9, 12, 15});
  ASSERT_TRUE(answer);
  const std::string said = testing::AllSaid(*answer);
  EXPECT_TRUE(said.contains("Every 3rd step of rank 0 (3, 6, 9, 12 and 15)")) << said;
  EXPECT_TRUE(
      said.contains("Rank 0 is a straggler in every 3rd step (3, 6, 9 and 12): time between "
                    "operators (save_checkpoint (run.py:16)), for which others wait in the next "
                    "step"))
      << said;
  EXPECT_FALSE(said.contains("unknown cause")) << said;
}

// It is late in the first step, too, and what it did before is not recorded.
TEST(RecurringSteps, BeforeTheRecordingAreNoObstacle) {
  const auto answer = Ask({kFirst - 1, kFirst + 2, kFirst + 5, kFirst + 8, kFirst + 11});
  ASSERT_TRUE(answer);
  const std::string said = testing::AllSaid(*answer);
  EXPECT_TRUE(said.contains("(save_checkpoint (run.py:16)), for which others wait in the next"))
      << said;
}

TEST(RecurringSteps, AreAChangeThoughStepsVaryByMore) {
  const auto before = Ask(kNone), after = Ask(kRegular);
  ASSERT_TRUE(before && after);
  const std::string verdict = Compare(*before, *after).verdict;
  EXPECT_FALSE(verdict.contains("No change")) << verdict;
  EXPECT_TRUE(
      verdict.contains("save_checkpoint (run.py:16) is new in every 5th step of rank 0 (4, "
                       "9 and 14), 21.4 ms more per step, 100 ms in each of these."))
      << verdict;
  const std::string back = Compare(*after, *before).verdict;
  EXPECT_FALSE(back.contains("No change")) << back;
  EXPECT_TRUE(
      back.contains("no longer runs in every 5th step of rank 0 (4, 9 and 14), 21.4 ms less "
                    "per step, 100 ms in each of these."))
      << back;
  const std::string same = Compare(*after, *after).verdict;
  EXPECT_FALSE(same.contains("Every 5th step")) << same;
}

// Of so many steps the means tell that categories changed, which is the same cost.
TEST(RecurringSteps, AreOneFindingWithTheCategoriesThatGrew) {
  constexpr int kMany = 101;
  std::set<int> saves;
  for (int step = 4; step <= kMany; step += 3) saves.insert(step);
  const auto before = Ask(kNone, kMany), after = Ask(saves, kMany);
  ASSERT_TRUE(before && after);
  const ReportSet both = Compare(*before, *after);
  ASSERT_EQ(both.reports[0].findings.size(), 1u) << both.verdict;
  const Finding& finding = both.reports[0].findings[0];
  ASSERT_FALSE(finding.evidence.empty());
  std::string all = finding.message;
  for (const Evidence& evidence : finding.evidence) all += "\n" + evidence.message;
  EXPECT_TRUE(all.contains("Every 3rd step of rank 0")) << all;
}

TEST(RecurringSteps, OthersThatSlowStepsExplainAreCounted) {
  const auto before = Ask(kNone), after = Ask(kIrregular);
  ASSERT_TRUE(before && after);
  const std::string verdict = Compare(*before, *after).verdict;
  EXPECT_FALSE(verdict.contains("No change")) << verdict;
  EXPECT_TRUE(verdict.contains("Slow steps: none before, ")) << verdict;
}

}  // namespace
}  // namespace stepscope::recurring_steps_test
