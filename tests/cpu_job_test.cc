// Tests jobs without accelerators: PyTorch over gloo, MPI or UCC, where the host's threads compute
// and communicate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cpu_job_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::AskAboutRanks;
using testing::CpuTrace;
using testing::NoteCount;
using testing::ReportOf;
using testing::ScratchFolder;

// Ranks in step; in each step from the third on rank 1 spends 20 ms in Python before its second
// program.
Result<ReportSet> AskAboutSlowRank() {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double python = step >= 3 ? 20 : 0;
    const double end = start + 25 + python;
    fast.Step(step, start, 0, end);
    slow.Step(step, start, python, end);
    start = end;
  }
  const ScratchFolder folder;
  return Ask({folder.Write("rank0.json", fast.End()), folder.Write("rank1.json", slow.End())});
}

TEST(CpuJob, ThreadsAreTheDevice) {
  const auto answer = AskAboutSlowRank();
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 0);
  EXPECT_TRUE(answer->verdict.contains("% compute, ")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("device compute")) << answer->verdict;
  EXPECT_TRUE(ReportOf(*answer, "collectives").headline.contains("6"))
      << ReportOf(*answer, "collectives").headline;
}

TEST(CpuJob, NamesTheRankThatIsLate) {
  const auto answer = AskAboutSlowRank();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  const std::string& headline = ReportOf(*answer, "stragglers").headline;
  EXPECT_TRUE(headline.starts_with("Rank 1 causes 100.0% of all wait time")) << headline;
}

// All ranks compute longer since step 6, one of them so evenly that only it has a change point: the
// change is not that rank's.
TEST(CpuJob, AChangeThatOtherRanksShareIsNotOfOneRank) {
  CpuTrace even(0), uneven(1);
  for (int step = 1; step <= 12; ++step) {
    const double start = 200.0 * step, longer = step < 6 ? 0 : 60;
    const double noise = step % 3 == 0 ? 55 : step % 2 == 0 ? 25 : 0;
    for (CpuTrace* trace : {&even, &uneven}) {
      const double time = (trace == &even ? 30 + longer : 30 + longer / 2 + noise);
      const double whole = 130 + longer;
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, whole);
      trace->Add("cpu_op", "aten::linear", start, time);
      trace->Add("user_annotation", "gloo:all_reduce", start + time, whole - time, 2);
    }
  }
  const auto answer = AskAboutRanks(std::array{even, uneven});
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(all.contains("rank 0 (most) computes 60.0 ms longer (aten::linear), as does 1 other"))
      << all;
}

// One rank, whose two last steps of 12 take so much of the others' 100 ms.
std::string VerdictOfLastSteps(double times) {
  CpuTrace trace(0, "[]", 1, 1);
  double start = 0;
  for (int step = 1; step <= 12; ++step) {
    const double time = (step < 11 ? 100 : 100 * times) + step % 3;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, time);
    trace.Add("cpu_op", "aten::linear", start, time);
    start += time;
  }
  const auto answer = testing::AskAbout(trace.End());
  return answer ? answer->verdict.str() : "";
}

TEST(CpuJob, TwoLastStepsAreAChangeOnlyWhereTheyAreFarLonger) {
  EXPECT_FALSE(VerdictOfLastSteps(1.1).contains("since")) << VerdictOfLastSteps(1.1);
  EXPECT_TRUE(VerdictOfLastSteps(1.1).contains("stands out")) << VerdictOfLastSteps(1.1);
  EXPECT_TRUE(VerdictOfLastSteps(1.5).contains("before step 11")) << VerdictOfLastSteps(1.5);
}

// Load moves: until step 6 rank 1 computes longer than rank 0, then rank 0 does. Steps are as long.
TEST(CpuJob, ARankThatIsLateInPlaceOfAnotherIsNoCause) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 14; ++step) {
    const double at = 65 * step, noise = step % 3;
    for (CpuTrace& trace : ranks) {
      const bool is_late = (&trace == ranks.data()) == (step > 6);
      const double time = (is_late ? 50 : 30) + noise;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 65);
      trace.Add("cpu_op", "aten::linear", at, time, 1, R"("Input Dims":[[16,8],[8,8]])");
      trace.Add("user_annotation", "gloo:all_reduce", at + time, 65 - time, 2);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("No rank")) << answer->verdict;
  EXPECT_FALSE(AllSaid(*answer).contains("is a straggler")) << AllSaid(*answer);
}

// A callback takes 25 ms longer since step 6, while other operators take 20 to 40 ms by chance.
TEST(CpuJob, AChangeThatNoPartHasClearlyIsOfWhatRisesWithIt) {
  constexpr auto kSteps = std::to_array<double>(
      {54.2, 52.9, 53.1, 50.1, 57.7, 57.0, 79.4, 80.5, 81.0, 85.5, 89.8, 80.1, 76.4, 77.6});
  constexpr auto kIdle = std::to_array<double>(
      {15.7, 12.2, 25.5, 14.7, 14.7, 15.2, 17.3, 14.9, 9.5, 13.1, 13.7, 19.4, 15.8, 21.1});
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  for (size_t step = 0; step < kSteps.size(); ++step) {
    const double callback = step >= 6 ? 26 : 1, rest = kSteps[step] - kIdle[step] - callback;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, kSteps[step]);
    trace.Add("cpu_op", "aten::linear", at, rest);
    trace.Add("cpu_op", "mine::callback", at + rest, callback);
    at += kSteps[step];
  }
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("longer since step 6: rank 0 computes")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("mine::callback")) << answer->verdict;
}

// Rank 1 has four times the rows; the weights, [8,8] on both, say nothing of that.
TEST(CpuJob, LargerInputsAreNoSlowDevice) {
  CpuTrace few(0), many(1);
  for (int step = 1; step <= 6; ++step) {
    const double start = 45 * step;
    for (CpuTrace* trace : {&few, &many}) {
      const double time = trace == &few ? 10 : 30;
      const std::string_view dims =
          trace == &few ? R"("Input Dims":[[16,8],[8,8]])" : R"("Input Dims":[[64,8],[8,8]])";
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 45);
      trace->Add("cpu_op", "aten::linear", start, time, 1, dims);
      trace->Add("user_annotation", "gloo:all_reduce", start + time, 45 - time, 2);
    }
  }
  const auto answer = AskAboutRanks(std::array{few, many});
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_TRUE(
      all.contains("Rank 1 is a straggler in every recorded step (1 to 6): larger inputs "
                   "(aten::linear)"))
      << all;
  EXPECT_TRUE(all.contains("most of it in aten::linear (inputs 4.0× as large)")) << all;
  EXPECT_TRUE(all.contains("(aten::linear), 22.2% of span.")) << "half of it is saved: " << all;
}

// Two collectives at a time: rank 0 waits 20 ms in both, of which it computes 7 ms, in 4 steps.
TEST(CpuJob, WaitsAtOneTimeCountOnce) {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double python = step >= 3 ? 20 : 0;
    const double end = start + 25 + python;
    fast.Step(step, start, 0, end)
        .Add("user_annotation", "gloo:all_reduce", start + 13, end - start - 13, 3,
             R"("Input Dims":[[5]])");
    slow.Step(step, start, python, end)
        .Add("user_annotation", "gloo:all_reduce", start + 13 + python, 12, 3,
             R"("Input Dims":[[5]])");
    start = end;
  }
  const auto answer = AskAboutRanks(std::array{fast, slow});
  ASSERT_TRUE(answer);
  EXPECT_EQ(testing::FirstRow(*answer, "ranks", "lost"), 4 * 20'000'000) << AllSaid(*answer);
}

// Of each step of 60 ms, rank 0 computes 20 ms, rank 1 33 ms and rank 2 4 ms; messages wait for the
// rest. The send of rank 1 is waited for only at its end, and its thread computes meanwhile.
TEST(CpuJob, NamesTheStageThatOthersWaitFor) {
  CpuTrace first(0, "[]", 1, 3), middle(1, "[]", 1, 3), last(2, "[]", 1, 3);
  const auto message = [](CpuTrace& trace, std::string_view what, double from, double to) {
    trace.Add("user_annotation", fmt::format("gloo:{}", what), from, to - from);
  };
  const auto computes = [](CpuTrace& trace, double forward, double forward_time, double backward,
                           double backward_time) {
    trace.Add("cpu_op", "aten::linear", forward, forward_time);
    trace.Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", backward,
              backward_time);
  };
  for (int step = 1; step <= 6; ++step) {
    const double t = 60 * step;
    for (CpuTrace* trace : {&first, &middle, &last})
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
    computes(first, t, 10, t + 49.5, 10);
    message(first, "send", t + 10, t + 11);
    message(first, "recv", t + 11, t + 49.5);
    computes(middle, t + 10, 15, t + 30, 18);
    message(middle, "recv", t + 0.1, t + 10);
    message(middle, "send", t + 25, t + 48.5);
    message(middle, "send", t + 48, t + 59.5);
    computes(last, t + 25, 2, t + 27, 2);
    message(last, "recv", t + 0.1, t + 25);
    message(last, "send", t + 29, t + 59.5);
  }
  const auto answer = AskAboutRanks(std::array{first, middle, last});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      answer->verdict.contains("Rank 1 is the slow stage: slower operators or larger inputs "
                               "(AddmmBackward0)"))
      << answer->verdict << AllSaid(*answer);
  EXPECT_EQ(ReportOf(*answer, "stragglers").findings.front().where.event, "AddmmBackward0");
}

// From step 9 on rank 1 spends 8 ms of 60 between operators; its thread idles as long, in an
// operator that does not compute, now and then in all steps.
TEST(CpuJob, SinceWhenIsSeenBetweenOperators) {
  CpuTrace first(0), second(1);
  for (int step = 3; step <= 18; ++step) {
    const double t = 60 * step, python = step >= 9 ? 8 : 0, idle = (step * 7) % 11;
    for (CpuTrace* trace : {&first, &second}) {
      const double gap = trace == &second ? python : 0;
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
      trace->Add("cpu_op", "aten::linear", t, 20);
      trace->Add("cpu_op", "aten::empty", t + 20, idle);
      trace->Add("user_annotation", "gloo:send", t + 20 + idle + gap, 0.5);
      trace->Add("user_annotation", "gloo:recv", t + 20.5 + idle + gap, 19.5 - idle - gap);
      trace->Add("cpu_op", "aten::linear", t + 40, 20);
    }
  }
  const auto answer = AskAboutRanks(std::array{first, second});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      AllSaid(*answer).contains("Rank 1 is the slow stage since step 9: time between operators"))
      << AllSaid(*answer);
}

// Each of two process groups has two threads, and any of them takes the next collective.
TEST(CpuJob, ProcessGroupsAreToldByTheirThreads) {
  CpuTrace ranks[] = {CpuTrace(0, "[]", 2), CpuTrace(1, "[]", 2)};
  for (int step = 1; step <= 6; ++step) {
    for (int rank = 0; rank < 2; ++rank) {
      const double start = 30 * step;
      const int other = (step / (rank + 1)) % 2;
      CpuTrace& trace = ranks[rank];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 30);
      trace.Add("cpu_op", "aten::linear", start, 10);
      trace.Add("user_annotation", "gloo:all_reduce", start + 10, 8 + step % 3, 11 + other,
                R"("Input Dims":[[1000]])");
      trace.Add("user_annotation", "gloo:all_reduce", start + 21, 4 + step % 2, 21 + other,
                R"("Input Dims":[[5]])");
    }
  }
  const auto answer = AskAboutRanks(std::array{ranks[0], ranks[1]});
  ASSERT_TRUE(answer);
  const Report& collectives = ReportOf(*answer, "collectives");
  EXPECT_TRUE(collectives.headline.starts_with("12 collectives matched across 2 ranks"))
      << collectives.headline;
}

TEST(CpuJob, MpiAndUccCommunicateToo) {
  for (const std::string_view library : {"mpi", "ucc"}) {
    CpuTrace trace(0);
    for (int step = 1; step <= 3; ++step) {
      const double start = 30 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 30);
      trace.Add("cpu_op", "aten::linear", start, 10);
      trace.Add("user_annotation", fmt::format("{}:all_reduce", library), start + 10, 20, 2);
    }
    const auto answer = testing::AskAbout(trace.End());
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->verdict.contains("66.7% collectives")) << answer->verdict;
  }
}

TEST(CpuJob, AnAnalysisAloneSaysTheSameAsAllTogether) {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 4; ++step, start += 45) {
    fast.Step(step, start, 0, start + 45);
    slow.Step(step, start, 20, start + 45);
  }
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("rank0.json", fast.End()),
                             folder.Write("rank1.json", slow.End())};
  const auto all = Ask(paths);
  ASSERT_TRUE(all);
  for (const std::string name : {"comm_overlap", "temporal_breakdown", "collectives", "steps"}) {
    const auto session = Session::Open(paths, {.analyses = {name}});
    ASSERT_TRUE(session);
    const auto alone = session->Analyze();
    ASSERT_TRUE(alone);
    EXPECT_EQ(ReportOf(*alone, name).headline, ReportOf(*all, name).headline);
    EXPECT_FALSE(ReportOf(*alone, name).headline.empty()) << name;
  }
}

TEST(CpuJob, AnAcceleratorThatWasNotRecordedIsNoCpuJob) {
  CpuTrace trace(0, R"([{"id":0,"name":"NVIDIA H100"}])");
  trace.Step(1, 0, 0, 25).Step(2, 25, 0, 50);
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 1);
}

}  // namespace
}  // namespace stepscope::cpu_job_test
