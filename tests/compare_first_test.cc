// Tests the first sentence of a comparison, asked as users ask: what step time changed by and why,
// with rank, function and steps, each cause once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings.h"
#include "stepscope/compare.h"
#include "stepscope/language.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::compare_first_test {
namespace {

using testing::CpuTrace;
using testing::ScratchFolder;

constexpr int kSteps = 15;

// A function that a rank calls in some steps, before it computes.
struct Extra {
  std::string function;  // "load.py(7): clean"
  std::function<bool(int rank, int step)> runs;
  double ms = 0;
  double in_operator = 0;   // ms of it
  std::string caller = {};  // a function that only calls it
};

// What a job does beside its steps of about 31 ms.
struct Job {
  int ranks = 2;
  std::vector<Extra> extras = {};
  int evaluates_each = 0;  // steps, behind which it evaluates; 0: never
  int recorded = 0;        // of its ranks; 0: all
};

double ExtraTime(const Job& job, int rank, int step) {
  double time = 0;
  for (const Extra& extra : job.extras) time += extra.runs(rank, step) ? extra.ms + 0.5 : 0;
  return time;
}

void AddExtras(CpuTrace& trace, const Job& job, int rank, int step, double at) {
  for (const Extra& extra : job.extras) {
    if (!extra.runs(rank, step)) continue;
    if (!extra.caller.empty()) trace.Add("python_function", extra.caller, at, extra.ms + 0.1);
    trace.Add("python_function", extra.function, at + 0.01, extra.ms);
    if (extra.in_operator > 0) trace.Add("cpu_op", "aten::randn", at + 0.1, extra.in_operator);
    at += extra.ms + 0.5;
  }
}

// Two passes forward, which train nothing.
double AddEvaluation(CpuTrace& trace, double at) {
  trace.Add("python_function", "run.py(58): validate", at, 42);
  for (int i = 0; i < 4; ++i) trace.Add("cpu_op", "aten::addmm", at + 1 + 10 * i, 9);
  return at + 43;
}

std::string TraceOf(const Job& job, int rank) {
  CpuTrace trace(rank, "[]", 1, job.ranks);
  double ready = 0;
  for (int step = 1; step <= kSteps; ++step) {
    double latest = 0;
    for (int other = 0; other < job.ranks; ++other)
      latest = std::max(latest, ExtraTime(job, other, step));
    const double start = ready + 1 + ExtraTime(job, rank, step);
    const double reduced = ready + latest + 28 + 0.3 * (step % 4), end = reduced + 3;
    trace.Add("python_function", "run.py(40): train", ready, end - ready);
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), ready, end - ready);
    AddExtras(trace, job, rank, step, ready + 0.5);
    for (const double at : {0.0, 5.0}) {
      trace.Add("cpu_op", "aten::addmm", start + at, 4.9);
      trace.Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", start + at + 10.5,
                4.9);
    }
    trace.Add("cpu_op", "c10d::allreduce_", start + 22, 0.05);
    trace.Add("user_annotation", "gloo:all_reduce", start + 22.5, reduced - start - 22.5, 2,
              R"("Input Dims":[[1000]],"Input type":["float"])");
    trace.Add("user_annotation", "Optimizer.step#SGD.step", reduced + 0.2, 2);
    trace.Add("cpu_op", "aten::add_", reduced + 0.3, 1.8);
    ready = end;
    if (job.evaluates_each > 0 && step % job.evaluates_each == 0)
      ready = AddEvaluation(trace, ready);
  }
  return trace.End();
}

ReportSet Answer(const Job& job, const std::vector<int64_t>& ranks = {}) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < (job.recorded > 0 ? job.recorded : job.ranks); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), TraceOf(job, rank)));
  AnalyzeOptions options{.only = {kComparedAnalyses.begin(), kComparedAnalyses.end()}};
  options.ranks = ranks;
  auto answer = testing::Ask(paths, options);
  EXPECT_TRUE(answer);
  return answer ? *std::move(answer) : ReportSet();
}

ReportSet Compared(const Job& before, const Job& after) {
  return Compare(Answer(before), Answer(after));
}

// All findings, a line each.
std::string Causes(const ReportSet& compared) {
  std::string all;
  for (const Finding* finding : FindingsInOrder(compared)) all += finding->message.str() + "\n";
  return all;
}

bool Always(int /*rank*/, int /*step*/) { return true; }

Extra Clean(int rank, int first, int last = kSteps) {
  return {"load.py(7): clean",
          [=](int r, int step) { return r == rank && step >= first && step <= last; }, 40};
}

void ExpectJapanese(const ReportSet& compared) {
  std::vector<Phrase> said = {compared.verdict};
  for (const Finding* finding : FindingsInOrder(compared))
    said.insert(said.end(), {finding->message, finding->because, finding->hint});
  for (const Phrase& phrase : said) {
    for (const std::string_view left : {" per step", " rank ", " since step", " is new", " the "})
      EXPECT_EQ(In(Language::kJapanese, phrase).find(left), std::string::npos)
          << In(Language::kJapanese, phrase);
  }
}

TEST(CompareFirst, SaysFunctionRankAndSinceWhen) {
  const ReportSet compared = Compared({}, {.extras = {Clean(1, 6)}});
  EXPECT_TRUE(compared.verdict.starts_with(
      "Mean step time rose from 31.5 ms to 58.5 ms (+85.8%): clean (load.py:7) is new on rank 1 "
      "since step 6 ("))
      << compared.verdict;
  EXPECT_TRUE(compared.verdict.contains("in these steps)")) << compared.verdict;
}

TEST(CompareFirst, SaysInWhichStepsOfAFaultThatEnds) {
  const ReportSet compared = Compared({}, {.extras = {Clean(0, 4, 9)}});
  EXPECT_TRUE(compared.verdict.contains("clean (load.py:7) is new on rank 0 in steps 4 to 9 ("))
      << compared.verdict;
}

TEST(CompareFirst, SaysWhatNoLongerRunsWhereStepsBecameShorter) {
  const ReportSet compared = Compared({.extras = {Clean(1, 6)}}, {});
  EXPECT_TRUE(compared.verdict.starts_with(
      "Mean step time fell from 58.5 ms to 31.5 ms (-46.2%): clean (load.py:7) no longer runs on "
      "rank 1 ("))
      << compared.verdict;
  EXPECT_EQ(Causes(compared), "");
}

TEST(CompareFirst, OfEqualRunsBlamesNobody) {
  for (const Job& job : {Job{}, Job{.extras = {Clean(1, 6)}}, Job{.evaluates_each = 5}}) {
    const ReportSet compared = Compared(job, job);
    EXPECT_TRUE(compared.verdict.starts_with("No change beyond noise")) << compared.verdict;
    EXPECT_FALSE(compared.verdict.contains("ank ")) << compared.verdict;
    EXPECT_EQ(Causes(compared), "");
  }
}

TEST(CompareFirst, SaysTwoFaultsOfTwoRanksOnceEach) {
  const Extra fetch{"run.py(53): fetch_shard", [](int rank, int) { return rank == 0; }, 60};
  const Extra render{"run.py(54): render_samples",
                     [](int rank, int step) { return rank == 1 && step >= 7; }, 22};
  const ReportSet compared = Compared({}, {.extras = {fetch, render}});
  EXPECT_TRUE(compared.verdict.contains("fetch_shard (run.py:53) is new on rank 0 ("))
      << compared.verdict;
  EXPECT_TRUE(compared.verdict.contains(
      "; render_samples (run.py:54) is new on rank 1 since step 7, 13.2 ms per step, 22.0 ms in "
      "these steps."))
      << compared.verdict;
  const std::string causes = Causes(compared);
  for (const std::string_view name : {"fetch_shard", "render_samples"})
    EXPECT_EQ(causes.find(name), causes.rfind(name)) << causes;
  const auto findings = FindingsInOrder(compared);
  ASSERT_GE(findings.size(), 2u);
  EXPECT_GT(findings[1]->per_step, 12'000'000) << "ranks run side by side";
  ExpectJapanese(compared);
}

// A library's function that the user's program calls longer says little.
TEST(CompareFirst, OfALibraryTheFunctionThatCallsItIsNamed) {
  const auto write = [](double ms) {
    return Extra{"json/encoder.py(205): iterencode", [](int rank, int) { return rank == 0; }, ms, 0,
                 "chronicle.py(9): inscribe"};
  };
  const ReportSet compared = Compared({.extras = {write(2)}}, {.extras = {write(30)}});
  EXPECT_TRUE(compared.verdict.contains("inscribe (chronicle.py:9) takes longer on rank 0"))
      << compared.verdict;
  EXPECT_FALSE(compared.verdict.contains("iterencode")) << compared.verdict;
  ExpectJapanese(compared);
}

// The function runs before as well, and without the operator.
TEST(CompareFirst, TheFunctionThatGrewByTheCallsThatAreMoreIsNamed) {
  const Extra before{"probe.py(7): take", Always, 0.2};
  const Extra after{"probe.py(7): take", [](int rank, int) { return rank == 1; }, 20, 19.5};
  const Extra other{"probe.py(7): take", [](int rank, int) { return rank == 0; }, 0.2};
  const ReportSet compared = Compared({.extras = {before}}, {.extras = {after, other}});
  EXPECT_TRUE(compared.verdict.contains(
      "aten::randn is new, while take (probe.py:7) takes longer on rank 1 ("))
      << compared.verdict;
  ExpectJapanese(compared);
}

// The ranks run it before as well, and not one of them takes what steps take longer in the mean.
TEST(CompareFirst, WhatTheRunAfterNamesInSlowStepsIsTheReason) {
  const auto on = [](int of, bool recurs, double ms) {
    return Extra{"almanac.py(12): hand_round",
                 [=](int rank, int step) { return rank == of && (step % 4 == 2) == recurs; }, ms};
  };
  const ReportSet compared =
      Compared({.extras = {{"almanac.py(12): hand_round", Always, 0.2}}},
               {.extras = {on(0, false, 0.2), on(1, false, 0.2), on(0, true, 8), on(1, true, 60)}});
  EXPECT_TRUE(compared.verdict.contains("hand_round (almanac.py:12)")) << compared.verdict;
  EXPECT_TRUE(compared.verdict.contains("every 4th step")) << compared.verdict;
  ExpectJapanese(compared);
}

// Both take about as much per step: the function is not why the steps of another rank are slow.
TEST(CompareFirst, ANewFunctionIsNotWhyStepsOfAnotherRankAreSlow) {
  const Extra lookup{"features.py(21): lookup",
                     [](int rank, int step) { return rank == 1 && step >= 9; }, 60};
  const Extra flush{"features.py(46): flush",
                    [](int rank, int step) { return rank == 3 && step % 4 == 3; }, 110};
  const ReportSet compared = Compared({.ranks = 4}, {.ranks = 4, .extras = {lookup, flush}});
  const std::string causes = Causes(compared);
  EXPECT_TRUE(causes.contains("lookup (features.py:21) is new on rank 1 since step 9")) << causes;
  EXPECT_TRUE(causes.contains("flush (features.py:46) is new")) << causes;
  EXPECT_TRUE(compared.verdict.contains("lookup (features.py:21) is new on rank 1"))
      << compared.verdict;
  EXPECT_TRUE(compared.verdict.contains(
      "flush (features.py:46) is new on rank 3 in every 4th step (3, 7, 11 and 15)"))
      << compared.verdict << causes;
  ExpectJapanese(compared);
}

// What ranks ran a little before, some run longer.
TEST(CompareFirst, SeveralRanksThatTakeMoreAreNamedTogether) {
  const Extra fit{"features.py(35): fit", Always, 2};
  const Extra longer{"features.py(35): fit", [](int rank, int) { return rank % 2 == 0; }, 37};
  const Extra shorter{"features.py(35): fit", [](int rank, int) { return rank % 2 == 1; }, 2};
  const ReportSet compared =
      Compared({.ranks = 4, .extras = {fit}}, {.ranks = 4, .extras = {longer, shorter}});
  EXPECT_TRUE(compared.verdict.contains(
      "fit (features.py:35) takes longer on ranks 0 and 2 (up to 35.0 ms more Python between "
      "operators per step)"))
      << compared.verdict;
  const auto findings = FindingsInOrder(compared);
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(findings.front()->because.contains("; rank 2: 7.55 ms before, 42.5 ms after"))
      << findings.front()->because;
  EXPECT_FALSE(compared.verdict.contains("ank 3")) << compared.verdict;
  EXPECT_FALSE(Causes(compared).contains("Collectives grew")) << Causes(compared);
  ExpectJapanese(compared);
}

TEST(CompareFirst, WhatRanInAStepLeftOutIsNoReasonForTheMeanOfTheOthers) {
  const Extra all{"load.py(7): clean", Always, 12};
  const Extra restore{"run.py(31): restore",
                      [](int rank, int step) { return rank == 1 && step == 6; }, 800};
  const ReportSet compared = Compared({}, {.extras = {all, restore}});
  EXPECT_FALSE(compared.verdict.contains("restore (run.py:31) is new on rank 1,"))
      << compared.verdict;
  const auto findings = FindingsInOrder(compared);
  const auto found = std::ranges::find_if(
      findings, [](const Finding* f) { return f->message.contains("restore"); });
  ASSERT_NE(found, findings.end()) << Causes(compared);
  EXPECT_EQ((*found)->message.str(),
            "restore (run.py:31) is new on rank 1 in step 6, left out of the means: 800 ms.");
  EXPECT_TRUE((*found)->because.starts_with("53.3 ms per step of all 15 steps, which take "))
      << (*found)->because;
  // 53.3 of (14 x 44 + 844) / 15 ms.
  EXPECT_NEAR((*found)->share, 0.55, 0.02);
  EXPECT_EQ((*found)->per_step, 53'333'333);
  ExpectJapanese(compared);
}

TEST(CompareFirst, WhatRanksCallInTurnIsOneCause) {
  const Extra clean{"load.py(7): clean", [](int rank, int step) { return rank == step % 2; }, 40};
  const ReportSet compared = Compared({}, {.extras = {clean}});
  EXPECT_TRUE(compared.verdict.contains("clean (load.py:7) is new on ranks 0 and 1 in turn, "))
      << compared.verdict;
  const std::string causes = Causes(compared);
  EXPECT_EQ(causes.find("clean"), causes.rfind("clean")) << causes;
  ExpectJapanese(compared);
}

// What a save and an evaluation call is no change of the model.
TEST(CompareFirst, ARecurringSaveAndAnEvaluationAreNoCallsOfTheModel) {
  const Extra save{"run.py(56): write_snapshot",
                   [](int rank, int step) { return rank == 0 && step % 3 == 0; }, 90, 60};
  const ReportSet compared = Compared({}, {.extras = {save}, .evaluates_each = 5});
  const std::string said = compared.verdict.str() + "\n" + Causes(compared);
  EXPECT_TRUE(compared.verdict.contains("write_snapshot (run.py:56) is new ")) << said;
  EXPECT_TRUE(compared.verdict.contains("every 3rd step")) << said;
  EXPECT_TRUE(said.contains("validate (run.py:58)")) << said;
  EXPECT_FALSE(said.contains("times per step before")) << said;
  ExpectJapanese(compared);
}

TEST(CompareFirst, WhatNoLongerRunsInSomeStepsIsSaidWithThem) {
  const Extra save{"run.py(56): write_snapshot",
                   [](int rank, int step) { return rank == 1 && step % 4 == 0; }, 90};
  const ReportSet compared = Compared({.extras = {save}}, {});
  EXPECT_TRUE(compared.verdict.contains(
      "write_snapshot (run.py:56) no longer runs in every 4th step (4, 8 and 12), "))
      << compared.verdict;
  EXPECT_FALSE(compared.verdict.contains("took")) << "it is said once: " << compared.verdict;
  ExpectJapanese(compared);
}

TEST(CompareFirst, NamesWhatANewWrapperOnlyCalls) {
  const auto timed = [](std::string function, auto runs) {
    return Extra{std::move(function), runs, 40, 0, "time.py(3): timed"};
  };
  const Extra own = timed("load.py(7): clean", [](int rank, int) { return rank == 1; });
  const Extra save = timed("run.py(56): write_snapshot",
                           [](int rank, int step) { return rank == 1 && step % 4 == 0; });
  const Extra in_turn =
      timed("load.py(7): clean", [](int rank, int step) { return rank == step % 2; });
  const Extra library = timed("torch/serialization.py(9): save", Always);
  for (const Extra& extra : {own, save, in_turn}) {
    for (const ReportSet& compared :
         {Compared({}, {.extras = {extra}}), Compared({.extras = {extra}}, {})}) {
      const std::string said = compared.verdict.str() + "\n" + Causes(compared);
      EXPECT_FALSE(said.contains("timed")) << said;
      EXPECT_TRUE(said.contains("clean (load.py:7) ") ||
                  said.contains("write_snapshot (run.py:56)"))
          << said;
    }
  }
  const ReportSet compared = Compared({}, {.extras = {library}});
  EXPECT_TRUE(compared.verdict.contains("timed (time.py:3)")) << compared.verdict;
}

TEST(CompareFirst, WaitingForWhatIsToldIsNoSecondCause) {
  const auto pairs = [](int rank, int step) { return rank == step / 2 % 2; };
  const Extra irregular{"load.py(7): clean", pairs, 40};
  const ReportSet compared = Compared({}, {.extras = {irregular}});
  EXPECT_TRUE(compared.verdict.contains("clean (load.py:7) is new on ranks 0 and 1 in turn, "))
      << compared.verdict;
  EXPECT_FALSE(Causes(compared).contains("all_reduce")) << Causes(compared);
  EXPECT_EQ(FindingsInOrder(compared).size(), 1u) << Causes(compared);
}

// Which another wrapper brings.
TEST(CompareFirst, AFunctionOfTheFrameworkIsNoneOfTheNewOnes) {
  const auto in_turn = [](int rank, int step) { return rank == step / 2 % 2; };
  const Extra hook{"torch/autograd/function.py(440): apply", in_turn, 40};
  const Extra empties{"torch/cuda/memory.py(170): empty_cache", in_turn, 40};
  const std::string new_in_turn = " is new on ranks 0 and 1 in turn";
  const std::string of_hook = Compared({}, {.extras = {hook}}).verdict;
  EXPECT_FALSE(of_hook.contains(new_in_turn)) << of_hook;
  const std::string of_empties = Compared({}, {.extras = {empties}}).verdict;
  EXPECT_TRUE(of_empties.contains("empty_cache (torch/cuda/memory.py:170)" + new_in_turn))
      << of_empties;
}

TEST(CompareFirst, AFunctionWithAnotherNameIsNoCause) {
  const Extra old{"load.py(7): clean", Always, 20}, renamed{"load.py(7): tidy", Always, 20};
  const ReportSet compared = Compared({.extras = {old}}, {.extras = {renamed}});
  EXPECT_FALSE(compared.verdict.contains("tidy")) << compared.verdict;
  EXPECT_EQ(Causes(compared), "");
}

TEST(CompareFirst, OfRanksThatOnlyTheRunAfterHasItsOwnFindingsAreTold) {
  const Job before{.ranks = 2}, after{.ranks = 4, .extras = {Clean(3, 6)}};
  const auto ask = [](const Job& job) -> AskForRanks {
    return [&job](const std::vector<int64_t>& ranks) {
      return std::make_shared<const ReportSet>(Answer(job, ranks));
    };
  };
  const auto runs = AskBoth(ask(before), ask(after)), back_runs = AskBoth(ask(after), ask(before));
  ASSERT_TRUE(runs && back_runs);
  const ReportSet compared = Compare(*runs), back = Compare(*back_runs);
  EXPECT_TRUE(compared.verdict.contains(": rank 3, which only the run after has, holds it up by "))
      << compared.verdict;
  EXPECT_TRUE(compared.verdict.contains(" per step since step 6")) << compared.verdict;
  ExpectJapanese(compared);
  EXPECT_TRUE(back.verdict.contains(": rank 3, which only the run before has, held it up by "))
      << back.verdict;
}

TEST(CompareFirst, CollectivesOfJobsOfOneSizeCompareWhicheverRanksWereRecorded) {
  const Job some{.ranks = 4, .recorded = 2}, all{.ranks = 4}, other{.ranks = 3};
  const auto of = [](const Job& job) { return Answer(job, {0, 1}); };
  EXPECT_FALSE(Compare(of(some), of(all)).verdict.contains("Times in collectives"));
  EXPECT_TRUE(Compare(of(other), of(all)).verdict.contains("Times in collectives"));
}

}  // namespace
}  // namespace stepscope::compare_first_test
