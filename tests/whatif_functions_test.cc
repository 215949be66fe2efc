// Tests what a Python function is worth to a job: one that runs on ranks in turn, or only at times,
// takes its usual time on each rank, so that nothing but its name tells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings.h"
#include "report/phrase_format.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::testing::whatif_functions_test {
namespace {

struct Loop {
  std::function<double(int rank, int step)> detect;  // ms of detect() before a rank computes
  bool computes = false;     // detect() spends that in an operator, but for its last 15%
  double record_longer = 0;  // ms for which the record goes on once the threads do: a tenth of it
                             // at most
  bool second = false;       // 4 ms later a second bucket is reduced
  bool timed = false;        // timed() calls detect(), and nothing else
  double pause = 0;          // ms of forward() before its operator, which is the step's work
  bool beside = false;       // another thread runs aggregate() all the time
  double shorter = 0;        // ms that the step's work takes less since step 7
  bool of_loss = false;      // a module calls detect()
};

// Two ranks run detect(), compute for 20 ms in forward(), and reduce until 2 ms after the last of
// them has posted.
ReportSet AnswerTo(const Loop& loop, const std::string& set = "",
                   const std::vector<std::string>& only = {"whatif"}) {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  double at = 100;
  for (int step = 1; step <= 12; ++step) {
    const double computes = 20 - (step >= 7 ? loop.shorter : 0), work = computes + loop.pause;
    const double last = at + std::max(loop.detect(0, step), loop.detect(1, step)) + work;
    const double second = loop.second ? 4 : 0;
    const double done = last + 2, end = done + second + 10;
    for (int rank = 0; rank < 2; ++rank) {
      CpuTrace& trace = ranks[static_cast<size_t>(rank)];
      const double detect = loop.detect(rank, step), begins = at + detect, posted = begins + work;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
      trace.Add("python_function", "train.py(5): train", at, end - at);
      if (loop.beside) trace.Add("python_function", "log.py(9): aggregate", at, end - at, 7);
      if (detect > 0 && loop.timed) trace.Add("python_function", "tools.py(3): timed", at, detect);
      if (loop.of_loss) trace.Add("python_function", "nn.Module: MatchLoss_0", at, detect);
      if (detect > 0) trace.Add("python_function", "text.py(40): detect", at + 0.01, detect - 0.02);
      if (loop.computes) trace.Add("cpu_op", "aten::randn", at, 0.85 * detect);
      trace.Add("python_function", "model.py(9): forward", begins, work);
      trace.Add("cpu_op", "aten::linear", begins + loop.pause, computes);
      trace.Add("cpu_op", "c10d::allreduce_", posted, 0.05);
      const double waited = done - posted - 0.06;
      trace.Add("user_annotation", "gloo:all_reduce", posted + 0.06,
                waited + std::min(loop.record_longer, waited / 10), 2);
      if (loop.second) {
        trace.Add("cpu_op", "aten::mm", posted + 0.1, second - 0.2);
        trace.Add("cpu_op", "c10d::allreduce_", posted + second, 0.05);
        trace.Add("user_annotation", "gloo:all_reduce", posted + second + 0.06, waited, 3);
        if (posted + second < done) trace.Add("cpu_op", "aten::view", done + 0.01, 0.1);
      }
      trace.Add("cpu_op", "aten::as_strided", done + second + 0.01, 0.1);
      trace.Add("cpu_op", "aten::add_", done + second + 0.2, 9.7);
    }
    at = end + 0.1;
  }
  const auto answer =
      AskAboutRanks(ranks, {.only = only, .params = {{"whatif.set", set}}}, "node1");
  EXPECT_TRUE(answer);
  return answer ? *answer : ReportSet();
}

// ms that the change saves per step; 0: it is not among them.
double SavedBy(const ReportSet& answer, std::string_view change) {
  for (const Row& row : RowsOf(answer, "whatif", "changes")) {
    if (row.Text("change") == change) return static_cast<double>(row.Int("saved")) / 1e6;
  }
  return 0;
}

double InTurn(int rank, int step) { return step % 2 == rank ? 30 : 0; }
double AtTimes(int rank, int step) { return rank == 1 && step % 3 == 0 ? 60 : 0; }

TEST(WhatifFunctions, OneThatRanksRunInTurnIsWorthAllOfIt) {
  const ReportSet answer = AnswerTo({.detect = InTurn});
  EXPECT_NEAR(SavedBy(answer, "python detect: gone"), 30, 0.5);
  EXPECT_TRUE(answer.reports.front().headline.str().contains(
      "the change worth most, 'python detect: gone', saves 30.0 ms"))
      << answer.reports.front().headline;
}

// Whoever names it.
TEST(WhatifFunctions, AFindingThatNamesItIsWorthThat) {
  const ReportSet answer = AnswerTo({.detect = InTurn}, "", {});
  const Finding& first = *FindingsInOrder(answer).front();
  EXPECT_TRUE(first.message.contains("in turn")) << first.message;
  ASSERT_TRUE(first.worth) << AllSaid(answer);
  EXPECT_NEAR(static_cast<double>(first.worth->saved), 30e6, 1e6);
}

TEST(WhatifFunctions, OneThatRunsAtTimesIsWorthItsMean) {
  EXPECT_NEAR(SavedBy(AnswerTo({.detect = AtTimes}), "python detect: gone"), 20, 0.5);
}

// As one that writes a checkpoint: what it calls is gone with it.
TEST(WhatifFunctions, WithTheOperatorsThatItRuns) {
  const Loop loop{.detect = AtTimes, .computes = true};
  EXPECT_NEAR(SavedBy(AnswerTo(loop, "python detect: gone"), "python detect: gone"), 20, 0.5);
}

// As one that fills a cache: steps are shorter since then, and it is worth nothing in these.
TEST(WhatifFunctions, OneThatRunsInTheFirstStepsIsWorthItsMean) {
  const ReportSet answer = AnswerTo({.detect = [](int, int step) { return step <= 4 ? 60 : 0; }});
  EXPECT_NEAR(SavedBy(answer, "python detect: gone"), 20, 0.5);
  EXPECT_TRUE(answer.reports.front().headline.str().contains(
      "'python detect: gone', saves 20.0 ms per step on average, in steps 1 to 4."))
      << answer.reports.front().headline;
}

// Since step 7 rank 1 runs detect() for 40 ms, and steps take 22 ms more: something else is shorter
// since then, and who knows what it takes without detect().
TEST(WhatifFunctions, OneSinceWhichOthersTakeLessIsWorthAtMostItsPrice) {
  const auto detect = [](int rank, int step) { return rank == 1 && step >= 7 ? 40 : 0; };
  const auto headline = [&](double shorter) {
    return AnswerTo({.detect = detect, .shorter = shorter}).reports.front().headline.str();
  };
  EXPECT_TRUE(headline(18).contains(
      "saves up to 40.0 ms in each step since step 7: steps before it take 32."))
      << headline(18);
  EXPECT_TRUE(headline(0).contains("saves 40.0 ms in each step since step 7")) << headline(0);
  // Steps before are longer than with it: they tell nothing.
  const auto shortly = [](int rank, int step) { return rank == 1 && step >= 7 ? 12 : 0; };
  const std::string fewer =
      AnswerTo({.detect = shortly, .shorter = 18}).reports.front().headline.str();
  EXPECT_FALSE(fewer.contains("saves up to")) << fewer;
}

TEST(WhatifFunctions, AShareOfItIsWorthThatShare) {
  const ReportSet answer = AnswerTo({.detect = InTurn}, "python detect: x0.5");
  EXPECT_NEAR(SavedBy(answer, "python detect: x0.5"), 15, 0.5);
}

// What is over is told with when it was.
TEST(WhatifFunctions, OneThatRanInSomeStepsIsToldWithThese) {
  const auto verdict = [](const std::function<double(int, int)>& detect) {
    return AnswerTo({.detect = detect}, "", {"overview", "python"}).verdict.str();
  };
  const std::string over =
      verdict([](int rank, int step) { return rank == 1 && step >= 3 && step <= 7 ? 60 : 0; });
  EXPECT_TRUE(over.contains("largest: detect (text.py:40), in steps 3 to 7.")) << over;
  const std::string regular = verdict(AtTimes);
  EXPECT_TRUE(regular.contains("largest: detect (text.py:40), in every 3rd step (3, 6, 9 and 12)."))
      << regular;
  const std::string always = verdict([](int rank, int) { return rank == 1 ? 30 : 0; });
  EXPECT_TRUE(always.contains("largest: detect (text.py:40).")) << always;
}

// A decorator is not what takes the time.
TEST(WhatifFunctions, WhatOnlyCallsItIsTheCaller) {
  const Loop loop{.detect = [](int rank, int) { return rank == 1 ? 30 : 0; }, .timed = true};
  const std::string verdict = AnswerTo(loop, "", {"steps", "python"}).verdict.str();
  EXPECT_TRUE(verdict.contains("(detect (text.py:40, called by timed of tools.py))")) << verdict;
}

// It is no part of the time between operators that counts, and all ranks run it alike.
TEST(WhatifFunctions, OneThatAllRanksRunIsToldWithItsPrice) {
  const auto answer = [](const std::function<double(int, int)>& detect) {
    return AnswerTo({.detect = detect}, "", {});
  };
  const ReportSet all = answer([](int, int) { return 3; });
  EXPECT_TRUE(
      all.verdict.contains("detect (text.py:40) takes 2.98 ms of 35.0 ms per step on all ranks."))
      << all.verdict;
  EXPECT_FALSE(all.verdict.contains("stands out")) << all.verdict;
  const std::string said = AllSaid(all);
  EXPECT_TRUE(said.contains("without detect (text.py:40) a step of a replay takes 32.0 ms"))
      << said;
  const std::string little = AllSaid(answer([](int, int) { return 1; }));
  EXPECT_FALSE(little.contains("per step on all ranks")) << little;
  const std::string in_turn =
      AllSaid(answer([](int rank, int step) { return step % 2 == rank ? 6 : 0; }));
  EXPECT_FALSE(in_turn.contains("per step on all ranks")) << in_turn;
}

// Nobody can do without the model.
// As one that calls small operators for each parameter: most of its time is in these.
TEST(WhatifFunctions, OneOfOperatorsThatAllRanksRunIsToldToo) {
  const Loop loop{.detect = [](int, int) { return 10; }, .computes = true};
  const std::string verdict = AnswerTo(loop, "", {}).verdict.str();
  EXPECT_TRUE(verdict.starts_with("detect (text.py:40")) << verdict;
  EXPECT_TRUE(verdict.contains(" per step on all ranks.")) << verdict;
}

// Two ranks compute, then gather objects in collect(), which pickles for `pickle` ms on each and
// transfers for 6 ms once the later one has come: rank 1 computes 5 ms longer in odd steps, rank 0
// in even ones.
ReportSet AnswerWithGather(double pickle, const std::string& set = "") {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  double at = 100;
  for (int step = 1; step <= 12; ++step) {
    const double late = at + 25 + pickle, done = late + 6, end = done + 12;
    for (int rank = 0; rank < 2; ++rank) {
      CpuTrace& trace = ranks[static_cast<size_t>(rank)];
      const double computed = at + (step % 2 == rank ? 25 : 20), posted = computed + pickle;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
      trace.Add("python_function", "train.py(5): train", at, end - at);
      trace.Add("cpu_op", "aten::linear", at, computed - at);
      trace.Add("python_function", "hooks.py(11): collect", computed, done + 0.5 - computed);
      trace.Add("python_function", "torch/distributed/distributed_c10d.py(2800): all_gather_object",
                computed + 0.1, done + 0.4 - computed);
      trace.Add("cpu_op", "c10d::allgather_", posted, 0.05);
      trace.Add("python_function", "<built-in method wait of Work object at 0x1>", posted + 0.1,
                done - posted);
      trace.Add("user_annotation", "gloo:all_gather", posted + 0.06, done - posted - 0.06, 2);
      trace.Add("cpu_op", "aten::as_strided", done + 0.6, 0.1);
      trace.Add("cpu_op", "aten::add_", done + 0.8, 11);
    }
    at = end + 0.1;
  }
  const auto answer = AskAboutRanks(ranks, {.params = {{"whatif.set", set}}}, "node1");
  EXPECT_TRUE(answer);
  return answer ? *answer : ReportSet();
}

// Waiting for the later rank stays, and goes to the next collective.
TEST(WhatifFunctions, WhatItCommunicatesIsGoneWithIt) {
  const ReportSet answer = AnswerWithGather(4);
  EXPECT_NEAR(SavedBy(answer, "python collect: gone"), 10, 1);
  EXPECT_TRUE(answer.verdict.str().starts_with("collect (hooks.py:11"))
      << answer.verdict << AllSaid(answer);
  EXPECT_TRUE(answer.verdict.contains("per step on all ranks; it calls all_gather_object."))
      << answer.verdict;
  const std::string said = AllSaid(answer);
  EXPECT_TRUE(said.contains("; the rest of its time waits for ranks that come later")) << said;
  EXPECT_TRUE(said.contains("avoid object collectives in the loop")) << said;
  EXPECT_FALSE(said.contains("bucket_cap_mb")) << said;
}

TEST(WhatifFunctions, OneOfALossThatHardlyRunsOperatorsIsOffered) {
  const std::string said =
      AllSaid(AnswerTo({.detect = [](int, int) { return 15.0; }, .of_loss = true}));
  EXPECT_TRUE(said.contains("'python detect: gone'")) << said;
  const std::string computes = AllSaid(
      AnswerTo({.detect = [](int, int) { return 15.0; }, .computes = true, .of_loss = true}));
  EXPECT_FALSE(computes.contains("detect: gone")) << computes;
}

TEST(WhatifFunctions, OneAroundTheOperatorsThatTrainIsNotOffered) {
  const ReportSet answer = AnswerTo({.detect = [](int, int) { return 0; }, .pause = 4});
  EXPECT_EQ(SavedBy(answer, "python forward: gone"), 0);
}

TEST(WhatifFunctions, OneThatNobodyRunsIsAnError) {
  const ReportSet answer = AnswerTo({.detect = InTurn}, "python tokenize: gone");
  ASSERT_TRUE(answer.reports.front().absent);
  EXPECT_TRUE(answer.reports.front().absent->what.contains(
      "'python tokenize: gone' concerns nothing: no Python function of this name"));
}

TEST(WhatifFunctions, OneOfAnotherThreadHasNoPrice) {
  const ReportSet answer = AnswerTo({.detect = InTurn, .beside = true}, "python aggregate: gone");
  ASSERT_TRUE(answer.reports.front().absent);
  EXPECT_TRUE(answer.reports.front().absent->what.contains("threads run it that do not train"))
      << answer.reports.front().absent->what;
}

// The library wakes who waits, and ends its record a little later.
TEST(WhatifFunctions, WaitsAreKnownThoughTheRecordEndsLater) {
  EXPECT_NEAR(SavedBy(AnswerTo({.detect = InTurn, .record_longer = 0.2}), "python detect: gone"),
              30, 0.5);
  // On few processors the library's thread may write it later still, after a wait of 960 ms.
  const auto detect = [](int rank, int step) { return rank == 1 && step % 3 == 0 ? 960 : 0; };
  EXPECT_NEAR(SavedBy(AnswerTo({.detect = detect, .record_longer = 12}), "python detect: gone"),
              320, 3);
}

// The first bucket's end is what the thread waits for first, near the second's end as it is.
TEST(WhatifFunctions, WaitsForTwoBucketsAreKnown) {
  const Loop loop{.detect = AtTimes, .second = true};
  EXPECT_NEAR(SavedBy(AnswerTo(loop), "python detect: gone"), 20, 0.5);
}

// Of every third record the thread that writes it gets no processor until 3 ms after the ranks went
// on, which are in the function by then.
TEST(WhatifFunctions, OneInWhichRecordsEndLateIsGoneWhole) {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  double at = 100;
  for (int step = 1; step <= 12; ++step) {
    const double posted = at + 20, done = posted + 2, end = done + 30;
    for (CpuTrace& trace : ranks) {
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
      trace.Add("python_function", "train.py(5): train", at, done + 0.18 - at);
      trace.Add("cpu_op", "aten::linear", at, 20);
      trace.Add("cpu_op", "c10d::allreduce_", posted, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", posted + 0.06,
                done - posted - 0.06 + (step % 3 == 0 ? 3 : 0), 2);
      trace.Add("cpu_op", "aten::add_", done + 0.01, 0.1);
      trace.Add("python_function", "score.py(3): tabulate", done + 0.2, 29.7);
    }
    at = end + 0.1;
  }
  const auto answer = AskAboutRanks(
      ranks, {.only = {"whatif"}, .params = {{"whatif.set", "python tabulate: gone"}}}, "node1");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->reports.front().headline.contains("gone' it takes 28.8 ms less"))
      << answer->reports.front().headline;
}

// Of 24 steps of two ranks, 12 begin with 30 ms that only the other one's next step waits for.
TEST(WhatifFunctions, WithoutWaitsRanksInTurnLoseHalf) {
  EXPECT_NEAR(SavedBy(AnswerTo({.detect = InTurn}, "collectives: no wait"), "collectives: no wait"),
              15, 2);
}

}  // namespace
}  // namespace stepscope::testing::whatif_functions_test
