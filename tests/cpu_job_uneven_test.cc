// Tests what is said of jobs on hosts whose operators take longer by what they get: inputs of
// another type, or of another size on each rank in turn; and of ranks that seem late as others are
// faster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "report/findings.h"
#include "report/phrase_format.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cpu_job_uneven_test {
namespace {

using testing::CpuTrace;

// What a rank computes in a step.
struct Work {
  double ms = 40;
  int rows = 100;
  std::string type = "float";
};

// Ranks with 14 steps from number 4 on, of eight operators and one allreduce each.
Result<ReportSet> AskAboutJob(int ranks, const std::function<Work(int rank, int step)>& work) {
  std::vector<CpuTrace> traces;
  for (int rank = 0; rank < ranks; ++rank) traces.emplace_back(rank, "[]", 1, ranks);
  double at = 1;
  for (int step = 4; step <= 17; ++step) {
    double done = at;
    for (int rank = 0; rank < ranks; ++rank) done = std::max(done, at + work(rank, step).ms);
    done += 2;
    for (int rank = 0; rank < ranks; ++rank) {
      CpuTrace& trace = traces[static_cast<size_t>(rank)];
      const Work own = work(rank, step);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, done + 1 - at);
      double t = at;
      for (const std::string_view name : {"aten::mm", "aten::add", "aten::relu", "aten::sum"}) {
        for (int call = 0; call < 2; ++call) {
          trace.Add("cpu_op", name, t, own.ms / 8, 1,
                    fmt::format(R"("Input Dims":[[{0},64],[{0},64]],"Input type":["{1}","{1}"])",
                                own.rows, own.type));
          t += own.ms / 8;
        }
      }
      if (ranks > 1) {
        trace.Add("cpu_op", "c10d::allreduce_", t, 0.05);
        trace.Add("user_annotation", "gloo:all_reduce", t + 0.1, done - t - 0.1, 2,
                  R"("Input Dims":[[1000]],"Input type":["float"])");
      }
    }
    at = done + 1.2;
  }
  return testing::AskAboutRanks(traces, {}, "node1");
}

TEST(UnevenJob, OperatorsThatTakeLongerOnInputsOfAnotherTypeSaySo) {
  const auto answer = AskAboutJob(1, [](int, int step) {
    return step < 10 ? Work{.ms = 40 + 0.1 * step} : Work{.ms = 96, .type = "double"};
  });
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains(
      "since step 10: all that rank 0 runs takes longer, its operators 2.4× as long, on double "
      "instead of float."))
      << answer->verdict;
  const Finding& first = *FindingsInOrder(*answer).front();
  EXPECT_TRUE(first.hint.starts_with("find what makes inputs double")) << first.hint;
}

TEST(UnevenJob, RanksWithLargerInputsInStepsOfTheirOwnAreLateInTurn) {
  const std::vector<int> longest = {0, 1, 1, 0, 2, 0, 2, 2, 1, 2, 2, 1, 1, 0};
  const auto answer = AskAboutJob(3, [&](int rank, int step) {
    const bool is_longest = longest[static_cast<size_t>(step - 4)] == rank;
    return is_longest ? Work{.ms = 90.0 + 5 * (step % 3), .rows = 300} : Work{.ms = 40};
  });
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Ranks 0 to 2 are stragglers in turn: larger inputs"))
      << testing::AllSaid(*answer);
  const Finding& first = *FindingsInOrder(*answer).front();
  EXPECT_FALSE(first.cause.rank);
  EXPECT_NEAR(static_cast<double>(first.per_step), 37e6, 3e6) << "the mean wait of a rank";
}

// Ranks 0 and 3 always have them. Load makes all steps vary, so that each causes most of its waits
// in one step.
TEST(UnevenJob, HalfOfTheRanksWithLargerInputsAreNamed) {
  const std::vector<int> load = {9, 41, 5, 28, 17, 3, 33, 12, 25, 7, 38, 15, 2, 21};
  const auto answer = AskAboutJob(4, [&](int rank, int step) {
    const bool larger = rank == 0 || rank == 3;
    double ms = (larger ? 90 : 60) + load[static_cast<size_t>((step * 5 + rank * 3) % 14)];
    if (rank == 3 && step == 9) ms += 400;
    if (rank == 0 && step == 14) ms += 400;
    return Work{.ms = ms, .rows = larger ? 300 : 100};
  });
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Ranks 0 and 3 are stragglers in turn: larger inputs"))
      << testing::AllSaid(*answer);
}

// Rank 0 takes as long as ever; since step 14 rank 1 does not.
TEST(UnevenJob, ARankIsNotLateSinceOthersAreFaster) {
  const auto answer = AskAboutJob(2, [](int rank, int step) {
    return Work{.ms = (rank == 1 && step >= 14 ? 55 : 80) + 1.0 * ((rank + step) % 3)};
  });
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->verdict.contains("straggler")) << answer->verdict;
}

}  // namespace
}  // namespace stepscope::cpu_job_uneven_test
