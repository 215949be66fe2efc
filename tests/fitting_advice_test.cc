// Tests that advice on communication fits the job, and that a job without a fault is told to be
// one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::fitting_advice_test {
namespace {

using testing::CpuTrace;
using testing::ScratchFolder;

// Two ranks with steps of so many ms, of which rank 1 runs Python for `python` and then reduces;
// `add(trace, rank, at)` adds what else is in a step.
template <class Add>
Result<ReportSet> AskOfSteps(double time, double python, const Add& add) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    double at = 0;
    for (int step = 2; step < 14; ++step) {
      add(trace, rank, at);
      trace.Step(step, at, rank == 1 ? python : 0, at + time);
      at += time + 0.5;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  return testing::Ask(paths);
}

// Half of each step goes to reducing. `wrapper` names a range around the forward pass.
Result<ReportSet> Ask(std::string_view wrapper, double python_of_rank_1 = 0) {
  return AskOfSteps(60, python_of_rank_1, [&](CpuTrace& trace, int, double at) {
    if (!wrapper.empty()) trace.Add("user_annotation", wrapper, at + 0.5, 9);
  });
}

const Finding* Exposed(const ReportSet& answer) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.message.starts_with("Exposed communication")) return &finding;
    }
  }
  return nullptr;
}

// Two ranks on GPUs, of which one computes half as long again in each step.
std::string SaidOfUneven(const std::vector<int>& slower) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank, R"([{"id":0,"name":"NVIDIA H100"}])");
    for (size_t s = 0; s < slower.size(); ++s) {
      const double at = 100 * static_cast<double>(s);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", s), at, 99.9);
      const std::string link = fmt::format(R"("correlation":{})", s + 1);
      trace.Add("cuda_runtime", "cudaLaunchKernel", at + 1, 0.01, 1, link);
      trace.Add("kernel", "gemm", at + 2, slower[s] == rank ? 60 : 40, 7,
                link + R"(,"device":0,"stream":7)");
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = testing::Ask(paths);
  return answer ? testing::AllSaid(*answer) : "no answer";
}

TEST(FittingAdvice, OfTwoRanksThatAreSlowestInTurnNoneIsToBeLookedAt) {
  const std::string in_turn = SaidOfUneven({0, 1, 0, 1, 1, 0});
  EXPECT_TRUE(in_turn.contains("no rank stands out try: balance the data")) << in_turn;
  const std::string one = SaidOfUneven({1, 1, 0, 1, 1, 1});
  EXPECT_TRUE(one.contains("worst: rank 1 (slowest in 5 steps) try: check whether rank 1")) << one;
}

TEST(FittingAdvice, NamesTheWrapperThatWasSeen) {
  struct Case {
    std::string_view range, says, says_not;
  };
  for (const Case& c :
       {Case{"", "communicate less", "FSDP"}, Case{"", "communicate less", "bucket_cap_mb"},
        Case{"DistributedDataParallel.forward", "bucket_cap_mb", "FSDP"},
        Case{"FSDP::pre_forward", "set_modules_to_forward_prefetch", "bucket_cap_mb"},
        Case{"FullyShardedDataParallel.forward", "(forward_prefetch", "bucket_cap_mb"}}) {
    const auto answer = Ask(c.range);
    ASSERT_TRUE(answer);
    const Finding* exposed = Exposed(*answer);
    ASSERT_NE(exposed, nullptr) << answer->verdict;
    EXPECT_TRUE(exposed->hint.contains(c.says)) << exposed->hint;
    EXPECT_FALSE(exposed->hint.contains(c.says_not)) << exposed->hint;
    // The job has no device.
    EXPECT_TRUE(exposed->because.contains(" communication per rank")) << exposed->because;
  }
}

TEST(FittingAdvice, WhereNothingStandsOutTheVerdictSaysSo) {
  const auto answer = Ask("");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("No rank or step stands out. ")) << answer->verdict;
  EXPECT_EQ(Exposed(*answer)->severity, Severity::kLow);
  const auto faulty = Ask("", 25);
  ASSERT_TRUE(faulty);
  EXPECT_FALSE(faulty->verdict.contains("stands out")) << faulty->verdict;
}

// Rank 1 spends 30 ms of each step in what these events are named; Python was recorded if `python`.
std::string SaidWhereRank1Spends(std::string_view category, std::string_view name, bool python) {
  const auto answer = AskOfSteps(72, 30, [&](CpuTrace& trace, int rank, double at) {
    if (python) trace.Add("python_function", "train.py(9): train", at, 72);
    if (rank == 1) trace.Add(category, name, at + 10, 30);
  });
  return answer ? testing::AllSaid(*answer) : answer.error().what;
}

TEST(FittingAdvice, NamesCheckpointsOnlyWhereNamesDo) {
  struct Case {
    std::string_view category, name;
    bool python, saves;
  };
  for (const Case& c :
       {Case{"python_function", "train.py(20): save_checkpoint", true, true},
        Case{"python_function", "torch/serialization.py(945): save", true, true},
        Case{"user_annotation", "checkpoint", false, true},
        Case{"python_function", "train.py(20): log", true, false},
        Case{"python_function", "torch/utils/checkpoint.py(20): checkpoint", true, false},
        Case{"user_annotation", "logging", false, false}}) {
    const std::string said = SaidWhereRank1Spends(c.category, c.name, c.python);
    EXPECT_TRUE(said.contains("Rank 1")) << said;
    EXPECT_EQ(said.contains("save checkpoints less often"), c.saves) << said;
    EXPECT_EQ(said.contains("saving checkpoints takes 30.0 ms per step"), c.saves) << said;
  }
}

}  // namespace
}  // namespace stepscope::fitting_advice_test
