// Tests that jobs without accelerators are told the cause itself: where a file ends early, where a
// rank has no trace, where all of a rank is slower, and where no step is marked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/compare.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cpu_job_causes_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::AskAboutRanks;
using testing::CpuTrace;
using testing::ScratchFolder;

constexpr int kFirst = 2, kLast = 15, kSince = 9;

std::string_view HeadlineOf(const ReportSet& answer, std::string_view analysis) {
  for (const Report& report : answer.reports) {
    if (report.analysis == analysis) return report.headline;
  }
  return "";
}

// Steps of two ranks, of which the second computes five times as long since step 9. Each rank
// reduces a small array on one thread and a large one on another.
struct Job {
  static double Start(int step) {
    const int slow = std::max(0, step - kSince);
    return 100 * step + 200 * slow + step * 7 % 5;
  }
  static double Computes(int rank, int step) { return rank == 1 && step >= kSince ? 250 : 50; }

  static void Annotate(CpuTrace& trace, int step) {
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), Start(step),
              Start(step + 1) - Start(step) - 0.1);
  }
  static void Compute(CpuTrace& trace, int rank, int step, int operators = 5) {
    const double each = Computes(rank, step) / 5;
    for (int i = 0; i < operators; ++i)
      trace.Add("cpu_op", "aten::linear", Start(step) + i * each, each - 0.1);
  }
  // It begins `at` of the rank's compute, and ends 5 ms after the slower rank began it.
  static void Reduce(CpuTrace& trace, int rank, int step, double at, int thread, int elements) {
    const double start = Start(step) + at * Computes(rank, step);
    const double end = Start(step) + at * Computes(1, step) + 5;
    trace.Add("user_annotation", "gloo:all_reduce", start, end - start, thread,
              fmt::format(R"("Input Dims":[[{}]],"Input type":["float"])", elements));
  }
  static void ReduceSmall(CpuTrace& trace, int rank, int step) {
    Reduce(trace, rank, step, 0.5, 3, 500);
  }
  static void ReduceLarge(CpuTrace& trace, int rank, int step) {
    Reduce(trace, rank, step, 1, 2, 3000);
  }
};

// As the profiler writes it: thread after thread, annotations before operators. It was killed while
// it wrote the operators of step 10, before the thread of the small arrays.
std::string CutOff() {
  CpuTrace trace(1);
  for (int step = kFirst; step <= kLast; ++step) Job::ReduceLarge(trace, 1, step);
  for (int step = kFirst; step <= kSince + 1; ++step) Job::Annotate(trace, step);
  for (int step = kFirst; step <= kSince; ++step) Job::Compute(trace, 1, step);
  Job::Compute(trace, 1, kSince + 1, 1);
  const std::string whole = trace.End();
  return whole.substr(0, whole.size() - 2) + R"(,{"ph":"X","cat":"cpu_op","na)";
}

TEST(CpuJobCauses, AFileThatEndsEarlyStillTellsWhoIsSlow) {
  CpuTrace trace(0);
  for (int step = kFirst; step <= kLast; ++step) {
    Job::Annotate(trace, step);
    Job::Compute(trace, 0, step);
    Job::ReduceSmall(trace, 0, step);
    Job::ReduceLarge(trace, 0, step);
  }
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("rank0.json", trace.End()), folder.Write("rank1.json", CutOff())});
  ASSERT_TRUE(answer);
  const std::string said = AllSaid(*answer);
  EXPECT_TRUE(said.contains("Rank 1 is a straggler since step 9: slower operators")) << said;
  EXPECT_TRUE(said.contains("its trace has 1 of the 7 steps in which it is late")) << said;
  EXPECT_TRUE(said.contains(" 8 complete steps (14 on other ranks)")) << said;
  EXPECT_FALSE(said.contains("begins step")) << said;
  EXPECT_FALSE(said.contains("check the network")) << said;
}

TEST(CpuJobCauses, WhatWaitsForAnAbsentRankIsNoFaultOfTheNetwork) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const int rank : {0, 2}) {
    CpuTrace trace(rank, "[]", 1, 3);
    for (int step = kFirst; step <= kLast; ++step) {
      Job::Annotate(trace, step);
      Job::Compute(trace, rank, step);
      Job::ReduceLarge(trace, rank, step);
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  const std::string said = AllSaid(*answer);
  EXPECT_TRUE(said.contains("Ranks 0 and 2 wait together")) << said;
  EXPECT_TRUE(said.contains("longer since step 9")) << said;
  EXPECT_TRUE(said.contains("in collectives of groups where")) << said;
  EXPECT_FALSE(said.contains("check the network")) << said;
}

// Since step 7, ranks 0 and 2 wait for rank 1, which has no trace, for 100 ms more; in step 4 for
// 40 ms, as on a busy machine, and in the last one hardly, since they are late themselves.
TEST(CpuJobCauses, WaitsForAnAbsentRankAreToldSinceTheyGrew) {
  constexpr std::array kWaits{8, 40, 18, 17, 150, 110, 128, 138, 111, 130, 85, 21};
  std::vector<CpuTrace> ranks{CpuTrace(0, "[]", 1, 3), CpuTrace(2, "[]", 1, 3)};
  for (size_t i = 0; i < kWaits.size(); ++i) {
    const double at = 300.0 * static_cast<double>(i), wait = kWaits[i];
    for (CpuTrace& trace : ranks) {
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", i + 3), at, 299);
      trace.Add("cpu_op", "aten::linear", at, 290 - wait);
      trace.Add("cpu_op", "c10d::allreduce_", at + 291 - wait, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", at + 291.1 - wait, wait, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::add_", at + 292, 5);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("per step since step 7 in collectives of groups where "))
      << answer->verdict << AllSaid(*answer);
}

// Ranks 0 and 1 compute longer in turn; rank 0 sorts on larger inputs in every step, so that its
// inputs are larger, and only that.
TEST(CpuJobCauses, ComputeThatInputsDoNotExplainIsNoMatterOfBalance) {
  const auto said = [](bool explained) {
    std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
    for (int step = 1; step <= 12; ++step) {
      const double at = 100.0 * step;
      for (int rank = 0; rank < 2; ++rank) {
        CpuTrace& trace = ranks[static_cast<size_t>(rank)];
        const bool larger = explained ? step % 2 == rank : rank == 0;
        const double computes = step % 2 == rank ? 60 : 40;
        trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
        trace.Add("cpu_op", "aten::linear", at, computes, 1,
                  larger ? R"("Input Dims":[[640,64]])" : R"("Input Dims":[[320,64]])");
        trace.Add("cpu_op", "c10d::allreduce_", at + computes + 1, 0.05);
        trace.Add("user_annotation", "gloo:all_reduce", at + computes + 1.1, 65 - computes, 2,
                  R"("Input Dims":[[1000]],"Input type":["float"])");
        trace.Add("cpu_op", "aten::add_", at + 70, 5);
      }
    }
    const auto answer = AskAboutRanks(ranks);
    return answer ? AllSaid(*answer) : std::string();
  };
  EXPECT_TRUE(said(true).contains("are stragglers in turn: larger inputs")) << said(true);
  EXPECT_FALSE(said(false).contains("balance the data")) << said(false);
}

// Rank 1 runs the same operators on the same inputs, all of them twice as long since step 9.
std::string AllSlower(int rank, bool with_shapes) {
  CpuTrace trace(rank);
  for (int step = kFirst; step <= kLast; ++step) {
    const double at = 300 * step, times = rank == 1 && step >= kSince ? 2 : 1;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 299);
    double now = at;
    for (const char* name : {"aten::linear", "aten::gelu", "aten::layer_norm", "aten::mul_",
                             "aten::sqrt", "aten::add_"}) {
      const double takes = (20 + step % 3) * times;
      trace.Add("cpu_op", name, now, takes, 1, with_shapes ? R"("Input Dims":[[64,64]])" : "");
      now += takes + (times > 1 ? 5 : 0.1);
    }
    trace.Add("user_annotation", "gloo:all_reduce", now, at + 295 - now, 2,
              R"("Input Dims":[[1000]],"Input type":["float"])");
  }
  return trace.End();
}

std::string SaidOfAllSlower(bool with_shapes) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const int rank : {0, 1})
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), AllSlower(rank, with_shapes)));
  const auto answer = Ask(paths);
  return answer ? AllSaid(*answer) : "no answer";
}

TEST(CpuJobCauses, ARankWhoseOperatorsAreAllSlowerIsOneFinding) {
  const std::string said = SaidOfAllSlower(true);
  EXPECT_TRUE(said.contains("since step 9: all that it runs takes longer")) << said;
  EXPECT_TRUE(said.contains("called as often on inputs of the same size")) << said;
  EXPECT_TRUE(said.contains("py-spy dump")) << said;
  EXPECT_FALSE(said.contains("time between operators (")) << said;
  EXPECT_FALSE(said.contains("Steps grow")) << said;
}

// Longer sequences make all operators slower, too.
TEST(CpuJobCauses, WithoutShapesNobodyKnowsThatInputsAreTheSame) {
  const std::string said = SaidOfAllSlower(false);
  EXPECT_FALSE(said.contains("takes longer, its operators")) << said;
  EXPECT_FALSE(said.contains("all that it runs")) << said;
}

// A loop that computes for 10 ms, and then works in Python for longer and longer.
std::string Generates(bool marked, bool detokenizes = true) {
  CpuTrace trace(0, "[]", 0, 1);
  double now = 10;
  trace.Add("python_function", "run.py(30): main", 0, detokenizes ? 420 : 240);
  for (int turn = 1; turn <= 20; ++turn) {
    const double turns = 10.5 + (detokenizes ? turn : 0);
    if (marked)
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", turn), now, turns - 0.1);
    trace.Add("python_function", "run.py(23): forward", now, 10);
    trace.Add("cpu_op", "aten::addmm", now + 0.2, 9.6);
    if (detokenizes) trace.Add("python_function", "run.py(6): detokenize", now + 10, turn - 0.2);
    now += turns;
  }
  return trace.End();
}

TEST(CpuJobCauses, AFunctionBetweenOperatorsIsFoundWithoutSteps) {
  const auto answer = testing::AskAbout(Generates(false));
  ASSERT_TRUE(answer);
  const std::string said = AllSaid(*answer);
  EXPECT_TRUE(said.contains("of the trace; largest: detokenize (run.py:6).")) << said;
  EXPECT_TRUE(said.contains("; its 20 calls take longer and longer, from ")) << said;
}

// The same loop with and without what it does in Python.
TEST(CpuJobCauses, RunsWithoutStepsAreComparedByAllThatWasRecorded) {
  const auto slow = testing::AskAbout(Generates(false));
  const auto fast = testing::AskAbout(Generates(false, /*detokenizes=*/false));
  ASSERT_TRUE(slow);
  ASSERT_TRUE(fast);
  const ReportSet changed = Compare(*fast, *slow, {});
  const std::string said = AllSaid(changed);
  EXPECT_TRUE(said.contains("Recorded time: ")) << said;
  EXPECT_TRUE(said.contains("with the same operators.")) << said;
  EXPECT_TRUE(said.contains("Python between operators grew by ")) << said;
  EXPECT_TRUE(said.contains("detokenize (run.py:6) is new")) << said;
}

TEST(CpuJobCauses, PythonBetweenOperatorsHasOneNameInAllAnswers) {
  const auto answer = testing::AskAbout(Generates(true));
  ASSERT_TRUE(answer);
  const std::string_view input = HeadlineOf(*answer, "input_pipeline");
  EXPECT_TRUE(
      input.contains("is Python between operators and may contain reading: most of it is "
                     "in detokenize (run.py:6)"))
      << input;
}

// Rank 1 calls what is built in from the training loop itself, for 40 ms of each step; its address
// differs from step to step.
std::string SaidOfBuiltIn(std::string_view built_in, bool of_operator = false) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const int rank : {0, 1}) {
    CpuTrace trace(rank);
    for (int step = kFirst; step <= kLast; ++step) {
      const double at = 100 * step, calls = rank == 1 ? 40 : 0.5;
      trace.Step(step, at, calls, at + 95);
      trace.Add("python_function", "train.py(75): train_step", at, 94);
      trace.Add("python_function", fmt::format(fmt::runtime(built_in), step), at + 10.1,
                calls - 0.2);
      if (of_operator) trace.Add("cpu_op", "aten::sort", at + 10.15, calls - 0.3);
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  return answer ? AllSaid(*answer) : "";
}

TEST(CpuJobCauses, WhatIsBuiltInIsNamedWithItsCaller) {
  for (const auto& [built_in, label] :
       {std::pair("<built-in function collect>", "collect"),
        std::pair("<built-in method sort of numpy.ndarray object at 0x7f00{:04d}>", "ndarray.sort"),
        std::pair("<built-in method update of dict object at 0x7f00{:04d}>", "dict.update")}) {
    const std::string said = SaidOfBuiltIn(built_in);
    EXPECT_TRUE(said.contains(
        fmt::format("time between operators (train_step (train.py:75, in {}))", label)))
        << said;
  }
}

using Python = std::function<void(CpuTrace& trace, int rank, int step, double at)>;

// Of ranks whose steps have Python in a loop between two operators, for 40 ms on the later half.
std::string SaidOfPython(const Python& python, int ranks = 2) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < ranks; ++rank) {
    CpuTrace trace(rank, "[]", 1, ranks);
    for (int step = kFirst; step <= kLast; ++step) {
      const double at = 100 * step;
      trace.Step(step, at, 2 * rank >= ranks ? 40 : 0.5, at + 95);
      trace.Add("python_function", "train.py(75): train_step", at, 94);
      python(trace, rank, step, at + 10.1);
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  return answer ? AllSaid(*answer) : "";
}

void RescoresThenMixes(CpuTrace& trace, int rank, int step, double at) {
  if (rank == 0) return;
  trace.Add("python_function", step < 8 ? "mix.py(24): rescore" : "mix.py(28): mix", at, 39.8);
}

TEST(CpuJobCauses, FunctionsThatFollowOneAnotherAreEachToldWithTheirSteps) {
  const std::string said = SaidOfPython(RescoresThenMixes);
  EXPECT_TRUE(
      said.contains("(rescore (mix.py:24), 39.8 ms per step in steps 2 to 7, then mix "
                    "(mix.py:28), 39.8 ms per step since step 8)"))
      << said;
  EXPECT_TRUE(said.contains("make rescore (mix.py:24) and mix (mix.py:28) faster")) << said;
}

// Rank 2 runs them in the same steps; else there are no steps of both.
TEST(CpuJobCauses, FunctionsThatFollowOneAnotherAreOfAllRanksNamed) {
  const std::string both = SaidOfPython(
      [](CpuTrace& trace, int rank, int step, double at) {
        if (rank > 1) RescoresThenMixes(trace, rank, step, at);
      },
      4);
  EXPECT_TRUE(both.contains("Ranks 2 and 3")) << both;
  EXPECT_TRUE(both.contains("39.8 ms per step in steps 2 to 7, then mix")) << both;
  const std::string others = SaidOfPython(
      [](CpuTrace& trace, int rank, int step, double at) {
        if (rank > 1) RescoresThenMixes(trace, rank, step + rank, at);
      },
      4);
  EXPECT_TRUE(others.contains("Ranks 2 and 3")) << others;
  EXPECT_FALSE(others.contains("then mix")) << others;
}

// All ranks prepare and fit; what fitting takes depends on the data.
TEST(CpuJobCauses, AFunctionThatOnlyCallsAnotherIsNotNamedThoughAllRanksRunBoth) {
  const std::string said = SaidOfPython([](CpuTrace& trace, int rank, int, double at) {
    const double takes = rank == 1 ? 39.8 : 0.3;
    trace.Add("python_function", "train.py(49): prepare", at, takes);
    trace.Add("python_function", "features.py(35): fit", at + 0.02, takes - 0.05);
  });
  EXPECT_TRUE(said.contains("time between operators (fit (features.py:35, called by prepare"))
      << said;
  EXPECT_TRUE(said.contains("make fit (features.py:35")) << said;
}

// It runs beside operators alone: what is between them has another reason.
TEST(CpuJobCauses, AFunctionThatTakesLongerElsewhereIsNotBehindTimeBetweenOperators) {
  const std::string said = SaidOfPython([](CpuTrace& trace, int rank, int, double at) {
    const double gap = rank == 1 ? 40 : 0.5, takes = rank == 1 ? 26 : 2;
    trace.Add("python_function", "model.py(8): encode", at + gap, takes);
    trace.Add("cpu_op", "aten::relu", at + gap + 0.1, takes - 0.2);
  });
  EXPECT_TRUE(said.contains("time between operators")) << said;
  EXPECT_FALSE(said.contains("time between operators (encode")) << said;
}

TEST(CpuJobCauses, OfOneRankWithoutAFindingNothingStandsOut) {
  CpuTrace trace(0, "[]", 1, 1);
  for (int step = kFirst; step <= kLast; ++step) {
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), 100 * step, 99);
    trace.Add("python_function", "train.py(75): train_step", 100 * step, 98);
    trace.Add("cpu_op", "aten::linear", 100 * step + 1, 60);
    trace.Add("cpu_op", "AddmmBackward0", 100 * step + 61.1, 35);
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.ends_with(". Nothing else stands out.")) << answer->verdict;
}

// Since step 7 rank 1 takes 20 ms more in its optimizer, in Python that nobody recorded.
TEST(CpuJobCauses, WithoutPythonTheAnnotationAroundTheTimeIsNamed) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = kFirst; step <= kLast; ++step) {
      const double at = 100 * step, more = step >= 7 ? 20 : 0, own = rank == 1 ? more : 0;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
      trace.Add("user_annotation", "Optimizer.step#Guarded.step", at + 1, 2 + own);
      trace.Add("cpu_op", "aten::add_", at + 1.1, 1.5);
      trace.Add("cpu_op", "aten::linear", at + 4 + own, 30);
      trace.Add("cpu_op", "c10d::allreduce_", at + 35 + own, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", at + 35.1 + own, 20 + more - own, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  const std::string said = testing::AllSaid(*answer);
  EXPECT_TRUE(
      answer->verdict.contains("since step 7: time between operators "
                               "(Optimizer.step#Guarded.step)"))
      << said;
  EXPECT_TRUE(said.contains("make the work within Optimizer.step#Guarded.step faster")) << said;
}

// What it does behind the last collective of step 7 makes the others wait in step 8.
TEST(CpuJobCauses, StepTimeChangesWhereTheRankThatIsWaitedForChanges) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    double at = 0;
    for (int step = kFirst; step <= kLast; ++step) {
      const double own = rank == 1 && step >= 7 ? 30 : 0, waits = rank == 0 && step >= 8 ? 30 : 0;
      const double length = 60 + own + waits + 0.2 * (step % 3);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, length - 0.1);
      trace.Add("python_function", "train.py(75): train_step", at, length - 0.2);
      trace.Add("cpu_op", "aten::linear", at + 1, 30);
      trace.Add("cpu_op", "c10d::allreduce_", at + 32, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", at + 32.1, 20 + waits, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      if (own > 0) trace.Add("python_function", "store.py(8): put_away", at + 54, own);
      at += length;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("since step 7")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("ms before step 7 and")) << answer->verdict;
}

TEST(CpuJobCauses, ADecoratorsFunctionIsNoCaller) {
  const std::string said = SaidOfPython([](CpuTrace& trace, int rank, int, double at) {
    const double takes = rank == 1 ? 39.8 : 0.3;
    trace.Add("python_function", "hooks.py(4): wrapper", at, takes);
    trace.Add("python_function", "hooks.py(24): maybe_dump", at + 0.01, takes - 0.03);
    trace.Add("python_function", "hooks.py(35): write", at + 0.02, takes - 0.05);
  });
  EXPECT_TRUE(said.contains("time between operators (write (hooks.py:35, called by maybe_dump"))
      << said;
}

TEST(CpuJobCauses, WaitsAndOperatorsAreNotToldAsBuiltIn) {
  const std::string waits = SaidOfBuiltIn("<built-in method wait of PyCapsule object at 0x7f00{}>");
  EXPECT_FALSE(waits.contains("operators (train_step")) << waits;
  const std::string sorts =
      SaidOfBuiltIn("<built-in method sort of Tensor object at 0x7f00{}>", true);
  EXPECT_FALSE(sorts.contains("operators (train_step")) << sorts;
}

// After every 4th step rank 0 saves a checkpoint for 300 ms, of which nothing is recorded; the
// other waits for it in the next step.
TEST(CpuJobCauses, WithoutStacksARecurringStepIsWorthAllThatItCosts) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const int rank : {0, 1}) {
    CpuTrace trace(rank);
    double start = 0, free_at = 0;  // of this rank
    for (int step = 1; step <= 12; ++step) {
      const double saves = step % 4 == 3 ? 300 : 0;
      const double begins = free_at, all = start + 60 + step % 3;  // the reduction of both
      const double ends = all + (rank == 0 ? saves : 0);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), begins, ends - begins);
      trace.Add("cpu_op", "aten::randn", begins, 1);
      trace.Add("cpu_op", "aten::linear", begins + 1, 48);
      trace.Add("cpu_op", "c10d::allreduce_", begins + 49.1, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", begins + 49.2, all - 2 - begins - 49.2, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::add_", all - 2, 1.9);
      free_at = ends;
      start = all + saves;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Every 4th step of rank 0 (3, 7 and 11) takes "))
      << answer->verdict;
  const std::string said = AllSaid(*answer);
  EXPECT_TRUE(said.contains("cost 55.")) << said;
}

}  // namespace
}  // namespace stepscope::cpu_job_causes_test
