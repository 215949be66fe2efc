// Tests who is told to be at fault in jobs on a busy machine, where steps vary more than the fault
// takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "report/findings.h"
#include "report/lookup.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cpu_job_noise_test {
namespace {

using testing::CpuTrace;
using testing::ScratchFolder;

// What a rank does more of in a step; times are milliseconds.
struct Extra {
  double python = 0;    // before the forward pass
  int calls = 0;        // of layer_norm, 0.1 ms each
  int rows = 0;         // beyond 128; computing takes as much longer
  double times = 1;     // as long takes all that computes
  double backward = 1;  // as long, of that, takes the backward pass
};
using Fault = std::function<Extra(int rank, int step)>;

constexpr int kFirst = 3, kLast = 18;  // steps

// A job of 16 steps of data-parallel ranks. `load`: with what chance a stretch of 5 ms takes up to
// 15 ms longer. Short stretches between operators are hit as rarely as they are short.
class NoisyJob {
 public:
  // `posts`: an operator posts what is reduced, so that a replay knows who waits for it.
  NoisyJob(int ranks, double load, uint64_t seed, bool posts = false)
      : load_(load), posts_(posts ? 0.03 : 0), random_(seed, 0) {
    for (int rank = 0; rank < ranks; ++rank) traces_.emplace_back(rank, "[]", 1, ranks);
  }

  Result<ReportSet> Ask(const Fault& fault) {
    double start = 0;
    for (int step = kFirst; step <= kLast; ++step) start = Step(step, start, fault);
    const ScratchFolder folder;
    std::vector<std::string> paths;
    for (size_t rank = 0; rank < traces_.size(); ++rank)
      paths.push_back(folder.Write(fmt::format("rank{}.json", rank), traces_[rank].End()));
    return testing::Ask(paths);
  }

 private:
  double Noise(double length) {
    if (random_.Fraction() >= load_ * length / 5) return 0;
    return static_cast<double>(random_.Below(15'000)) / 1e3;  // whole us: ends are no fractions
  }

  // Calls an operator at `at`, after a moment of Python.
  void Call(CpuTrace& trace, double& at, std::string_view name, double length, int rows) {
    at += 0.03 + Noise(0.03);
    const double takes = length + Noise(length);
    trace.Add("cpu_op", name, at, takes, 1,
              fmt::format(R"("Input Dims":[[{},192],[192,192]])", rows));
    at += takes;
  }

  // Returns when the step ends.
  double Step(int number, double start, const Fault& fault) {
    std::vector<double> arrive;
    for (size_t rank = 0; rank < traces_.size(); ++rank) {
      CpuTrace& trace = traces_[rank];
      const Extra extra = fault(static_cast<int>(rank), number);
      const int rows = 128 + extra.rows;
      const double longer = (rows > 128 ? 2 : 1) * extra.times;
      double at = start;
      Call(trace, at, "aten::randn", 0.2 * extra.times, rows);
      at += extra.python;
      for (int layer = 0; layer < 3; ++layer) {
        Call(trace, at, "aten::linear", 3 * longer, rows);
        Call(trace, at, "aten::gelu", 0.5 * longer, rows);
      }
      for (int call = 0; call < extra.calls; ++call) Call(trace, at, "aten::layer_norm", 0.1, rows);
      for (int layer = 0; layer < 3; ++layer)
        Call(trace, at, "autograd::engine::evaluate_function: AddmmBackward0",
             5 * longer * extra.backward, rows);
      arrive.push_back(at);
    }
    const double end = std::ranges::max(arrive) + 2;
    double last = end;
    for (size_t rank = 0; rank < traces_.size(); ++rank) {
      const double begin = arrive[rank] + posts_;
      if (posts_ > 0) traces_[rank].Add("cpu_op", "c10d::allreduce_", arrive[rank], 0.02);
      traces_[rank].Add("user_annotation", "gloo:all_reduce", begin, end - begin, 2,
                        R"("Input Dims":[[1000]],"Input type":["float"])");
      double at = end;
      for (int call = 0; call < 4; ++call) Call(traces_[rank], at, "aten::sqrt", 0.4, 192);
      last = std::max(last, at);
    }
    for (CpuTrace& trace : traces_)
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", number), start, last - start);
    return last;
  }

  const double load_;
  const double posts_;  // ms that it takes; 0: nothing posts
  Random random_;
  std::vector<CpuTrace> traces_;
};

// The findings of an answer, one line each, that lead first.
std::string Findings(const ReportSet& answer) {
  std::vector<const Finding*> all;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) all.push_back(&finding);
  }
  std::ranges::sort(all, {}, &Finding::place);
  std::string text;
  for (const Finding* finding : all) text += finding->message + "\n";
  return text;
}

constexpr double kLoad = 0.4;

Extra PythonSinceStep9(int rank, int step) {
  return {.python = rank == 1 && step >= 9 ? 10.0 : 0.0};
}

TEST(NoisyJob, NamesTheRankThatSpendsMoreInPython) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(2, kLoad, seed).Ask(PythonSinceStep9);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->verdict.contains("ank 1")) << seed << answer->verdict;
    EXPECT_TRUE(answer->verdict.contains("since step 9")) << seed << answer->verdict;
    EXPECT_TRUE(
        answer->verdict.contains("time between operators (from aten::randn to aten::linear)"))
        << seed << answer->verdict;
  }
}

// Both ranks wait in autograd's engine until 40 ms after its last operator; the thread of rank 1
// goes on 9 ms after what it waited for. With `hook` it runs a function of the user's in that time.
std::string LateAfterWait(bool hook) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 12; ++step) {
    const double at = 100 * step;
    for (size_t rank = 0; rank < 2; ++rank) {
      CpuTrace& trace = ranks[rank];
      const double late = rank == 1 ? 9 : 0.1;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
      trace.Add("python_function", "train.py(5): train", at, 98);
      trace.Add("cpu_op", "aten::linear", at, 20);
      trace.Add("python_function",
                "<built-in method run_backward of torch._C._EngineBase object at 0x7f>", at + 21,
                60);
      trace.Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", at + 22, 10);
      trace.Add("cpu_op", "c10d::allreduce_", at + 32.1, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", at + 32.2, 34, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      if (hook && rank == 1) trace.Add("python_function", "hooks.py(7): clip", at + 66.3, 8.8);
      trace.Add("cpu_op", "aten::as_strided", at + 66.2 + late, 0.1);
      trace.Add("cpu_op", "aten::add_", at + 82, 10);
    }
  }
  const ScratchFolder folder;
  const auto answer = testing::Ask(
      {folder.Write("rank0.json", ranks[0].End()), folder.Write("rank1.json", ranks[1].End())});
  return answer ? Findings(*answer) : "";
}

TEST(NoisyJob, AThreadThatGoesOnLateAfterAWaitIsNoWorkOfItsRank) {
  EXPECT_FALSE(LateAfterWait(false).contains("ank 1 spends")) << LateAfterWait(false);
  EXPECT_TRUE(LateAfterWait(true).contains("ank 1 spends")) << LateAfterWait(true);
}

// Two ranks whose steps scatter: 5 of about 66 ms, then 9 of `since`. Rank 1's sqrt, of as many
// elements, takes 20 ms longer then, and rank 0 waits for it; or all that rank 0 does takes longer.
Result<ReportSet> ScatteredJob(bool values) {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  constexpr auto kScatter = std::to_array<double>({0, 2, 5, 1, 3, 4, 14, 18, 6, 30, 15, 19, 5, 2});
  double at = 1;
  for (int step = 4; step <= 17; ++step) {
    const bool late = step >= 9;
    const double noise = kScatter[static_cast<size_t>(step - 4)];
    const double done = at + 66 + (late ? 20 : 0) + noise;
    for (size_t rank = 0; rank < 2; ++rank) {
      CpuTrace& trace = ranks[rank];
      const bool own = late && rank == (values ? 1 : 0);
      const double root = own && values ? 22 : 2, pause = own && !values ? 16 : 2,
                   work = own && !values ? 56 : 50;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, done + 4 - at);
      trace.Add("python_function", "train.py(5): train", at, done + 4 - at);
      trace.Add("python_function", "echo.py(12): loudness", at, root + 0.2);
      trace.Add("cpu_op", "aten::sqrt", at + 0.1, root, 1, R"("Input Dims":[[400,400]])");
      double t = at + root + pause;
      trace.Add("cpu_op", "aten::addmm", t, work + noise, 1, R"("Input Dims":[[256,256]])");
      t += work + noise;
      trace.Add("cpu_op", "c10d::allreduce_", t, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", t + 0.1, done - t - 0.1, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::add_", done, 3, 1, R"("Input Dims":[[256]])");
    }
    at = done + 4.2;
  }
  const ScratchFolder folder;
  return testing::Ask(
      {folder.Write("rank0.json", ranks[0].End()), folder.Write("rank1.json", ranks[1].End())});
}

TEST(NoisyJob, OneOperatorThatTakesManyTimesAsLongOnInputsOfTheSameSize) {
  const auto answer = ScatteredJob(true);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("since step 9: rank 1 computes ")) << Findings(*answer);
  EXPECT_TRUE(answer->verdict.contains("(aten::sqrt 11.0× as long), in loudness (echo.py:12)."))
      << Findings(*answer);
  EXPECT_TRUE(FindingsInOrder(*answer).front()->hint.contains("denormal"));
  const std::string whatif = FindReport(*answer, "whatif")->headline.str();
  EXPECT_TRUE(whatif.contains("the change worth most, 'rank 1: all = before step 9', saves "))
      << whatif;
}

TEST(NoisyJob, ARankThatIsWaitedForIsTheCauseAndNotTheNetwork) {
  const auto answer = ScatteredJob(false);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("since step 9: rank 0 spends ")) << Findings(*answer);
  EXPECT_FALSE(answer->verdict.contains("communication")) << Findings(*answer);
}

// Rank 1 is interrupted in each step, in another operator: by 40 ms in five backward passes, by
// 12 ms elsewhere.
Result<ReportSet> InterruptedJob() {
  std::vector<CpuTrace> ranks;
  for (int rank = 0; rank < 3; ++rank) ranks.emplace_back(rank, "[]", 1, 3);
  double at = 1;
  for (int step = 1; step <= 12; ++step) {
    const bool backward = step % 5 == 0 || step % 4 == 0;
    const double late = backward ? 40 : 12, done = at + 15 + late;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      CpuTrace& trace = ranks[rank];
      double t = at;
      const auto run = [&](std::string_view name, double length, bool hit) {
        length += rank == 1 && hit ? late : 0.1 * static_cast<double>(step % 3);
        trace.Add("cpu_op", name, t, length);
        t += length + 0.1;
      };
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, done + 4 - at);
      run("aten::linear", 3, !backward && step % 3 == 0);
      run("aten::gelu", 1, !backward && step % 3 == 1);
      run("aten::layer_norm", 1, !backward && step % 3 == 2);
      run("autograd::engine::evaluate_function: AddmmBackward0", 5, backward);
      trace.Add("user_annotation", "gloo:all_reduce", t, done - t, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::add_", done, 3);
    }
    at = done + 4.2;
  }
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), ranks[rank].End()));
  return testing::Ask(paths);
}

TEST(NoisyJob, AnOperatorThatIsInterruptedNowAndThenIsNoPlaceToLookAt) {
  const auto answer = InterruptedJob();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("Rank 1 is a straggler")) << Findings(*answer);
  EXPECT_FALSE(answer->verdict.contains("larger inputs")) << Findings(*answer);
  EXPECT_FALSE(answer->verdict.contains("AddmmBackward0")) << Findings(*answer);
}

TEST(NoisyJob, NamesTheOperatorThatARankRunsMore) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(2, kLoad, seed).Ask([](int rank, int step) {
      return Extra{.calls = rank == 1 && step >= 9 ? 80 : 0};
    });
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->verdict.contains("ank 1")) << seed << answer->verdict;
    EXPECT_TRUE(answer->verdict.contains("since step 9")) << seed << answer->verdict;
    EXPECT_TRUE(answer->verdict.contains("aten::layer_norm")) << seed << answer->verdict;
  }
}

TEST(NoisyJob, LargerInputsAreExact) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(2, kLoad, seed).Ask([](int rank, int step) {
      return Extra{.rows = rank == 0 && step >= 9 ? 128 : 0};
    });
    ASSERT_TRUE(answer);
    const std::string all = Findings(*answer);
    EXPECT_TRUE(answer->verdict.contains("ank 0")) << seed << all;
    EXPECT_TRUE(answer->verdict.contains("since step 9")) << seed << all;
    EXPECT_FALSE(answer->verdict.contains("ank 1")) << seed << all;
  }
}

// What is over is not said to last: whether it ends one step before the recording does or five.
TEST(NoisyJob, WorkThatEndsIsInItsSteps) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    for (const int last : {kLast - 1, kLast - 5}) {
      const auto answer = NoisyJob(2, kLoad, seed).Ask([&](int rank, int step) {
        return Extra{.python = rank == 1 && step >= 11 && step <= last ? 20.0 : 0.0};
      });
      ASSERT_TRUE(answer);
      const std::string verdict = answer->verdict.str();
      EXPECT_TRUE(verdict.contains("ank 1")) << seed << verdict;
      EXPECT_TRUE(verdict.contains(fmt::format(" in steps 11 to {}: ", last)))
          << seed << " " << last << " " << Findings(*answer);
      EXPECT_FALSE(verdict.contains("since step")) << seed << " " << last << verdict;
      const Finding* first = FindingsInOrder(*answer).front();
      EXPECT_EQ(first->where.ranks, std::vector<int64_t>{1});
      EXPECT_EQ(std::ssize(first->where.steps), last - 10) << seed << " " << last;
    }
  }
}

// As where another program takes a rank's cores for a while.
TEST(NoisyJob, ARankThatIsStarvedForAWhileIsToldWithItsSteps) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(2, kLoad / 4, seed).Ask([](int rank, int step) {
      return Extra{.times = rank == 1 && step >= 8 && step <= 12 ? 4.0 : 1.0};
    });
    ASSERT_TRUE(answer);
    const std::string verdict = answer->verdict.str();
    EXPECT_TRUE(verdict.contains(
        " longer in steps 8 to 12: all that rank 1 runs takes longer, its operators "))
        << seed << ": " << verdict;
    EXPECT_FALSE(verdict.contains("stands out")) << seed << verdict;
  }
}

// What it costs has a price, too: no origin is found in what ends before the recording does.
TEST(NoisyJob, ARankThatIsStarvedForAWhileHasAPrice) {
  const auto answer = NoisyJob(2, 0, 1, true).Ask([](int rank, int step) {
    return Extra{.times = rank == 1 && step >= 8 && step <= 12 ? 4.0 : 1.0};
  });
  ASSERT_TRUE(answer);
  const auto changes = testing::RowsOf(*answer, "whatif", "changes");
  EXPECT_TRUE(std::ranges::any_of(changes, [](const testing::Row& row) {
    return row.Text("change") == "rank 1: all = before step 8" && row.Int("saved") > 10'000'000;
  })) << Findings(*answer);
}

// What grows most may do so later than all together.
TEST(NoisyJob, ARankThatIsSlowInAllHasAPriceSinceAllOfItIs) {
  const auto answer = NoisyJob(2, 0, 1, true).Ask([](int rank, int step) {
    if (rank == 0 || step < 9) return Extra{};
    return Extra{.times = 2.5, .backward = step < 12 ? 0.48 : 0.8};
  });
  ASSERT_TRUE(answer);
  const auto changes = testing::RowsOf(*answer, "whatif", "changes");
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.front().Text("change"), "rank 1: all = before step 9");
  EXPECT_EQ(changes.front().Int("since_step"), 9);
}

TEST(NoisyJob, TwoOfFourRanksAreToldTogether) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(4, kLoad, seed).Ask([](int rank, int step) {
      return Extra{.python = rank % 2 == 1 && step >= 9 ? 12.0 : 0.0};
    });
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->verdict.contains("anks 1 and 3")) << seed << Findings(*answer);
    EXPECT_TRUE(answer->verdict.contains("since step 9")) << seed << Findings(*answer);
  }
}

TEST(NoisyJob, RanksThatAreLateInTurnAreToldTogether) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(4, kLoad, seed).Ask([](int rank, int step) {
      return Extra{.python = rank == step % 2 * 2 ? 12.0 : 0.0};
    });
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->verdict.contains("anks 0 and 2")) << seed << Findings(*answer);
    EXPECT_TRUE(answer->verdict.contains("in turn")) << seed << Findings(*answer);
  }
}

// Both of two: no rank is left to compare them with but each other.
TEST(NoisyJob, AllRanksMayBeLateInTurn) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(2, kLoad, seed).Ask([](int rank, int step) {
      return Extra{.python = rank == step % 2 ? 12.0 : 0.0};
    });
    ASSERT_TRUE(answer);
    const std::string verdict = answer->verdict.str();
    EXPECT_TRUE(verdict.starts_with("All ranks spend up to 1")) << seed << verdict;
    EXPECT_TRUE(verdict.contains("more per step (medians) in turn: time between operators"))
        << seed << verdict;
    // Each waits for the other: that is no second cause.
    EXPECT_FALSE(Findings(*answer).contains("Exposed communication")) << Findings(*answer);
  }
}

TEST(NoisyJob, WhatAllRanksDoIsNoRanksFault) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(2, kLoad, seed).Ask([](int, int step) {
      return Extra{.python = step >= 9 ? 10.0 : 0.0};
    });
    ASSERT_TRUE(answer);
    const std::string all = Findings(*answer);
    const std::string lead = all.substr(0, all.find('\n'));
    EXPECT_TRUE(lead.contains("ll ranks spend")) << seed << all;
    EXPECT_TRUE(lead.contains("since step 9")) << seed << all;
    EXPECT_FALSE(all.contains("straggler")) << seed << all;
  }
}

// On one machine there is no link: over gloo the thread that reduces takes longer there. Of three
// steps, who came last is chance.
TEST(NoisyJob, NoLinkIsSlowOnOneMachine) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = 4; step < 7; ++step) {
      const double start = 50.0 * step, last = start + 22;  // rank 1 comes last
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 49);
      trace.Add("cpu_op", "aten::linear", start, 20 + 2 * rank);
      const double begin = start + 20 + 2 * rank;
      trace.Add("user_annotation", "gloo:all_reduce", begin, last - begin + 4 + 10 * rank, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::sqrt", start + 37, 10);
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = testing::Ask(paths);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(testing::AllSaid(*answer).contains("link")) << testing::AllSaid(*answer);
}

// In three steps of sixteen, that follow no rule, it may be what else runs there.
TEST(NoisyJob, TimeBetweenOperatorsInFewStepsIsNoRanksFault) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto answer = NoisyJob(4, kLoad, seed).Ask([](int rank, int step) {
      return Extra{.python = rank == 1 && (step == 5 || step == 12 || step == 13) ? 40.0 : 0.0};
    });
    ASSERT_TRUE(answer);
    const std::string all = Findings(*answer);
    EXPECT_FALSE(all.contains("straggler")) << seed << all;
  }
}

// Also where other programs begin to run halfway: nobody is at fault.
TEST(NoisyJob, AHealthyJobAccusesNobody) {
  int accused = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const int ranks = seed % 2 == 0 ? 2 : 4;
    const auto answer =
        NoisyJob(ranks, 0.1 * static_cast<double>(seed % 7), seed).Ask([](int, int) {
          return Extra{};
        });
    ASSERT_TRUE(answer);
    const std::string all = Findings(*answer);
    const bool names = all.contains("straggler") || all.contains("spends") || all.contains("since");
    accused += names ? 1 : 0;
    if (names) ADD_FAILURE() << seed << all;
  }
  EXPECT_EQ(accused, 0);
}

}  // namespace
}  // namespace stepscope::cpu_job_noise_test
