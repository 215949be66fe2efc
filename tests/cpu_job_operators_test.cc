// Tests that the operators of a job without accelerators are named that a rank runs more, or that
// all run for each element, with the functions that call them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "report/findings.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cpu_job_operators_test {
namespace {

using testing::AllSaid;
using testing::AskAboutRanks;
using testing::CpuTrace;
using testing::ReportOf;

// From the third step on rank 1 normalizes twice for 10 ms.
TEST(CpuJobOperators, NamesTheOperatorThatARankRunsMore) {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double more = step >= 3 ? 20 : 0;
    fast.Step(step, start, 0, start + 25 + more);
    slow.Step(step, start, more, start + 25 + more);
    for (double at = 10; at < 10 + more; at += 10)
      slow.Add("cpu_op", "aten::layer_norm", start + at, 10);
    start += 25 + more;
  }
  const auto answer = AskAboutRanks(std::array{fast, slow});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("since step 3")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("(aten::layer_norm)")) << answer->verdict;
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(all.contains(
      "Rank 1 is a straggler since step 3: more operators (aten::layer_norm), 34.8% of span."))
      << all;
  EXPECT_TRUE(all.contains("most of it in aten::layer_norm (2 more calls per step)")) << all;
}

// Rank 0 sorts for 40 ms of each step, and all else takes it 25 ms less. In two steps nobody waits
// for it.
TEST(CpuJobOperators, AnOperatorThatTakesMoreThanItsRankDoesIsToldWithItsTime) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 12; ++step) {
    const double start = 100 * step, other = step % 6 == 0 ? 20 : 0;
    for (size_t rank = 0; rank < 2; ++rank) {
      const double sorts = rank == 0 ? 40 : 0, computes = rank == 0 ? 30 : 55 + other;
      CpuTrace& trace = ranks[rank];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 99);
      trace.Add("cpu_op", "aten::linear", start, computes);
      if (sorts > 0) trace.Add("cpu_op", "aten::sort", start + computes, sorts);
      const double posted = start + computes + sorts;
      trace.Add("cpu_op", "c10d::allreduce_", posted, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", posted + 0.1, start + 80 - posted, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::add_", start + 81, 5);
    }
  }
  const auto answer = AskAboutRanks(std::array{ranks[0], ranks[1]});
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(all.contains("Rank 0 is a straggler: more operators (aten::sort) in each step, "))
      << all;
  EXPECT_TRUE(
      all.contains("; aten::sort alone takes 40.0 ms more per step (1 more call per step), and "
                   "others less"))
      << all;
}

TEST(CpuJobOperators, AnOperatorOfOneRankAloneGetsAdviceAboutThat) {
  CpuTrace fast(0), slow(1);
  for (int step = 1; step <= 8; ++step) {
    const double start = 45 * step;
    fast.Step(step, start, 0, start + 45);
    slow.Step(step, start, 20, start + 45);
    for (double at = 10; at < 30; at += 10) slow.Add("cpu_op", "aten::_unique2", start + at, 10);
  }
  const auto answer = AskAboutRanks(std::array{fast, slow});
  ASSERT_TRUE(answer);
  const std::string all = testing::AllSaid(*answer);
  EXPECT_TRUE(all.contains("try: only rank 1 calls aten::_unique2: call it less often")) << all;
}

// From step 5 on, or in all steps, a hook of rank 1 sorts for 20 ms.
Result<ReportSet> AskAboutHook(int first) {
  CpuTrace fast(0), slow(1);
  for (int step = 1; step <= 12; ++step) {
    const double start = 45 * step, more = step >= first ? 20 : 0;
    for (CpuTrace* trace : {&fast, &slow}) {
      trace->Step(step, start, trace == &slow ? more : 0, start + 45);
      trace->Add("python_function", "train.py(3): train", start, 44.9);
    }
    if (more == 0) continue;
    slow.Add("python_function", "probe.py(7): take", start + 9.9, 20.2);
    for (double at = 10; at < 30; at += 10) slow.Add("cpu_op", "aten::sort", start + at, 9.9);
  }
  return AskAboutRanks(std::array{fast, slow});
}

TEST(CpuJobOperators, TheFunctionThatCallsAnOperatorMoreOftenIsNamed) {
  for (const int first : {1, 5}) {
    const auto answer = AskAboutHook(first);
    ASSERT_TRUE(answer);
    const std::string all = testing::AllSaid(*answer);
    EXPECT_TRUE(all.contains("more operators (aten::sort, called by take (probe.py:7))")) << all;
    EXPECT_TRUE(all.contains("try: only rank 1 calls take (probe.py:7): call it less often"))
        << all;
  }
}

// Since step 5 a hook of rank 1, in Python, takes 30 ms within an operator of the backward pass.
TEST(CpuJobOperators, AHookThatAnOperatorCallsIsNamedAsWhatTakesLonger) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 10; ++step) {
    const double at = 80 * step, hook = step >= 5 ? 30 : 0;
    for (CpuTrace& trace : ranks) {
      const double own = &trace == ranks.data() ? 0 : hook;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 40 + hook);
      trace.Add("python_function", "main.py(9): train", at, 40 + hook);
      trace.Add("cpu_op", "aten::linear", at, 20);
      trace.Add("cpu_op", "MishBackward0", at + 20, 10 + own);
      trace.Add("cpu_op", "aten::mul", at + 20.1, 9);
      if (own > 0) {
        trace.Add("python_function", "court.py(8): temper", at + 29.5, 30);
        trace.Add("cpu_op", "aten::detach", at + 29.6, 0.1);
        trace.Add("cpu_op", "aten::to", at + 29.8, 0.1);
      }
      trace.Add("user_annotation", "gloo:all_reduce", at + 30 + own, 10 + hook - own, 2);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(all.contains("Python in MishBackward0 (temper (court.py:8")) << all;
  EXPECT_TRUE(all.contains("try: make temper (court.py:8")) << all;
  EXPECT_FALSE(all.contains("called by temper")) << all;
}

// Since step 7 rank 1 has inputs half as large again: four operators take 5 ms longer each.
TEST(CpuJobOperators, LargerInputsCostWhatAllOperatorsTakeLonger) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 13; ++step) {
    const double at = 80 * step;
    const bool since = step >= 7;
    for (CpuTrace& trace : ranks) {
      const bool more = since && &trace != ranks.data();
      const double each = more ? 15 : 10, computes = 4 * each;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, since ? 65 : 45);
      double then = at;
      for (const char* name : {"aten::linear", "aten::gelu", "aten::bmm", "aten::layer_norm"}) {
        trace.Add("cpu_op", name, then, each, 1,
                  more ? R"("Input Dims":[[24,8],[8,8]])" : R"("Input Dims":[[16,8],[8,8]])");
        then += each;
      }
      trace.Add("user_annotation", "gloo:all_reduce", at + computes, (since ? 65 : 45) - computes,
                2);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  const Finding& first = *FindingsInOrder(*answer).front();
  EXPECT_NEAR(static_cast<double>(first.per_step), 20e6, 1e6) << first.message;
}

TEST(CpuJobOperators, LargerInputsOfOneProcessAreToldWithWhatItsStepsTakeLonger) {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  for (int step = 1; step <= 13; ++step) {
    const bool more = step >= 7;
    const double each = more ? 15 : 10;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 4 * each);
    for (const char* name : {"aten::linear", "aten::gelu", "aten::bmm", "aten::layer_norm"}) {
      trace.Add("cpu_op", name, at, each, 1,
                more ? R"("Input Dims":[[24,8],[8,8]])" : R"("Input Dims":[[16,8],[8,8]])");
      at += each;
    }
  }
  const auto answer = AskAboutRanks(std::array{trace});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("larger inputs")) << answer->verdict;
  const Finding& first = *FindingsInOrder(*answer).front();
  EXPECT_NEAR(static_cast<double>(first.per_step), 20e6, 1e6) << first.message;
  EXPECT_TRUE(first.hint.starts_with("find what adds this work")) << first.hint;
  EXPECT_FALSE(AllSaid(*answer).contains("across ranks")) << AllSaid(*answer);
}

// Since step 6 rank 1 runs 40 operators of 0.2 ms in a function, with 0.5 ms of Python before each.
TEST(CpuJobOperators, WhatOneFunctionOfARankAddsIsOneFinding) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 14; ++step) {
    const double at = 100 * step;
    const int calls = step >= 6 ? 40 : 0;
    for (CpuTrace& trace : ranks) {
      const double own = &trace == ranks.data() ? 0 : 0.7 * calls;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 50 + 0.7 * calls);
      trace.Add("python_function", "main.py(9): train", at, 50 + 0.7 * calls);
      trace.Add("cpu_op", "aten::linear", at, 40);
      if (own > 0) trace.Add("python_function", "lookout.py(6): sum_up", at + 40, own);
      for (double then = at + 40.5; then < at + 40 + own; then += 0.7)
        trace.Add("cpu_op", "aten::linalg_vector_norm", then, 0.2);
      trace.Add("user_annotation", "gloo:all_reduce", at + 40 + own, 10 + 0.7 * calls - own, 2);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("called by sum_up (lookout.py:6)")) << answer->verdict;
  const auto findings = FindingsInOrder(*answer);
  EXPECT_EQ(std::ranges::count_if(findings, [](const Finding* f) { return f->cause.rank == 1; }), 1)
      << AllSaid(*answer);
  EXPECT_NEAR(static_cast<double>(findings.front()->per_step), 28e6, 2e6);
}

// Since step 6 both ranks run 40 operators more in a function; on the second their time scatters.
TEST(CpuJobOperators, WhatAllRanksAddIsOfNoneOfThem) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  double at = 0;
  for (int step = 1; step <= 14; ++step) {
    const int calls = step >= 6 ? 40 : 0;
    const double length = 52 + 0.9 * calls;
    for (CpuTrace& trace : ranks) {
      const double each = &trace == ranks.data() ? 0.5 : 0.2 + 0.15 * (step % 5);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, length);
      trace.Add("python_function", "main.py(9): train", at, length);
      trace.Add("cpu_op", "aten::linear", at, 40);
      if (calls > 0) trace.Add("python_function", "sand.py(2): tame", at + 40, 0.85 * calls);
      for (int call = 0; call < calls; ++call)
        trace.Add("cpu_op", "aten::linalg_vector_norm", at + 40 + 0.85 * call, each);
      const double ends = at + 40 + 0.85 * calls;
      trace.Add("user_annotation", "gloo:all_reduce", ends, at + length - ends, 2);
    }
    at += length;
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(answer->verdict.contains("tame (sand.py:2)")) << answer->verdict;
  EXPECT_FALSE(all.contains("rank 0 spends") || all.contains("Rank 0 spends")) << all;
  EXPECT_FALSE(all.contains("across ranks") || all.contains("only rank")) << all;
}

// A loop in Python reads the elements of a tensor one by one, on both ranks.
TEST(CpuJobOperators, AnOperatorThatRunsForEachElementIsNamed) {
  CpuTrace one(0), two(1);
  for (int step = 1; step <= 6; ++step) {
    const double start = 45.0 * step;
    for (CpuTrace* trace : {&one, &two}) {
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 45);
      trace->Add("cpu_op", "aten::linear", start, 20);
      for (int call = 0; call < 1'500; ++call)
        trace->Add("cpu_op", "aten::item", start + 20 + 0.01 * call, 0.004);
      trace->Add("user_annotation", "gloo:all_reduce", start + 40, 1, 2);
    }
  }
  const auto answer = AskAboutRanks(std::array{one, two});
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(
      all.contains("aten::item runs 1,500 times per step: 13.3% of step time. 6.00 ms per "
                   "step, 4.00 µs a call; Python between the calls comes on top"))
      << all;
}

// From step 9 on rank 1 calls another operator ten times: 0.4 ms in each, and 0.5 ms before each.
TEST(CpuJobOperators, TimeBetweenMoreOperatorsIsTheirs) {
  CpuTrace first(0), second(1);
  for (int step = 3; step <= 18; ++step) {
    const double t = 60 * step;
    for (CpuTrace* trace : {&first, &second}) {
      const int calls = trace == &second && step >= 9 ? 10 : 0;
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
      trace->Add("cpu_op", "aten::linear", t, 20);
      for (int call = 0; call < calls; ++call)
        trace->Add("cpu_op", "aten::layer_norm", t + 20.5 + 0.9 * call, 0.4);
      const double sent = t + 20 + 0.9 * calls;
      trace->Add("user_annotation", "gloo:send", sent, 0.5);
      trace->Add("user_annotation", "gloo:recv", sent + 0.5, t + 40 - sent - 0.5);
      trace->Add("cpu_op", "aten::linear", t + 40, 20);
    }
  }
  const auto answer = AskAboutRanks(std::array{first, second});
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(all.contains(
      "Rank 1 is the slow stage since step 9: more operators (aten::layer_norm), 9.4% of span"))
      << all;
  EXPECT_TRUE(
      all.contains("90.0 ms more in all than the median of the others in more operators and "
                   "between them; most of it in aten::layer_norm (10 more calls per step)"))
      << all;
}

}  // namespace
}  // namespace stepscope::cpu_job_operators_test
