// Tests that the first sentences name the cause of lost time, in jobs whose fault is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "report/phrase_format.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::causes_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

Result<ReportSet> AskAboutRanks(const std::vector<std::string>& traces) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < traces.size(); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), traces[rank]));
  return Ask(paths);
}

// All findings and their hints: one line each.
std::string AllFindings(const ReportSet& answer) {
  std::string all;
  for (const Report& report : answer.reports) {
    for (const Finding& f : report.findings)
      all += fmt::format("{} {} TRY {}\n", f.message, f.because, f.hint);
  }
  return all;
}

// A loop that marks no steps: 20 ms forward and backward, 5 ms of communication, and an optimizer
// that updates 1,500 rows one by one, 4 of 20 µs each.
TEST(Causes, AnOptimizerThatUpdatesRowsOneByOneGoesBeforeCommunication) {
  std::vector<std::string> traces;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = 0; step < 4; ++step) {
      const double at = 60.0 * step;
      trace.Add("python_function", "train.py(9): train", at, 60);
      trace.Add("cpu_op", "aten::linear", at, 10);
      trace.Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", at + 10, 10);
      trace.Add("user_annotation", "gloo:all_reduce", at + 20, 5, 2);
      trace.Add("python_function", "train.py(30): update_rows", at + 25.5, 34);
      for (int row = 0; row < 1'500; ++row)
        trace.Add("cpu_op", "aten::sub_", at + 26 + 0.02 * row, 0.004);
    }
    traces.push_back(trace.End());
  }
  const auto answer = AskAboutRanks(traces);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains(
      "Loops in Python over small operators take 50.8% of the trace, in update_rows (train.py:30)"))
      << answer->verdict << "\n"
      << AllFindings(*answer);
  EXPECT_TRUE(AllFindings(*answer).contains(
      "aten::sub_ runs 12,000 times in 8 loops, each time after the same few operators"))
      << AllFindings(*answer);
}

// Each of 60 layers runs ten operators: more than the body of a loop over rows.
TEST(Causes, LayersAreNoLoopOverRows) {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  for (int pass = 0; pass < 40; ++pass) {
    for (int layer = 0; layer < 60; ++layer) {
      for (const std::string_view op :
           {"aten::view", "aten::add", "aten::view", "aten::mul", "aten::add", "aten::view",
            "aten::relu", "aten::view", "aten::sub", "aten::div"}) {
        trace.Add("cpu_op", op, at, 0.005);
        at += 0.01;
      }
    }
  }
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  EXPECT_FALSE(AllFindings(*answer).contains("Loops in Python")) << AllFindings(*answer);
}

// The forward pass of 200 layers, their backward pass in the engine, then an optimizer of the
// user's own with 9 operators for each of 400 parameters.
TEST(Causes, TheBackwardPassIsNoLoopInPythonAndAnOptimizerOfTensorsIs) {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  const auto run = [&](std::string_view op, double ms) {
    trace.Add("cpu_op", op, at, ms);
    at += ms + 0.005;
  };
  for (int step = 0; step < 8; ++step) {
    for (int layer = 0; layer < 200; ++layer) run("aten::linear", 0.1);
    for (int layer = 0; layer < 200; ++layer) {
      run("autograd::engine::evaluate_function: AddBackward0", 0.01);
      run("autograd::engine::evaluate_function: AddmmBackward0", 0.19);
    }
    trace.Add("python_function", "torch/_tensor.py(600): backward", at - 42, 41.999);
    const double start = at;
    for (int parameter = 0; parameter < 400; ++parameter) {
      for (const std::string_view op :
           {"aten::mul_", "aten::add_", "aten::mul_", "aten::addcmul_", "aten::mul", "aten::sqrt",
            "aten::add", "aten::div", "aten::sub_"})
        run(op, 0.005);
    }
    trace.Add("python_function", "train.py(8): adam_step", start - 0.001, at - start);
  }
  trace.Add("python_function", "train.py(1): <module>", 0, at);
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(
      all.contains("Loops in Python over small operators take 36.3% of the trace, in "
                   "adam_step (train.py:8). aten::addcmul_ runs 3,200 times in 8 loops"))
      << all;
  EXPECT_TRUE(all.contains("foreach=True")) << all;
  EXPECT_FALSE(all.contains("AddBackward0 runs")) << all;
  // The loop itself calls the backward pass, and is no place to look at.
  EXPECT_TRUE(answer->verdict.contains("36.4% of the 792 ms recorded is in adam_step"))
      << answer->verdict;
}

// In each step 10 ms of compute, then 20 ms in which objects are gathered.
TEST(Causes, ObjectCollectivesAreToBeLeftOutOfTheLoop) {
  std::vector<std::string> traces;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = 1; step <= 6; ++step) {
      const double at = 30.0 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 30);
      trace.Add("cpu_op", "aten::linear", at, 10);
      trace.Add("python_function", "torch/distributed/distributed_c10d.py(2800): all_gather_object",
                at + 10, 20);
      trace.Add("user_annotation", "gloo:all_gather", at + 11, 5, 2);
      trace.Add("user_annotation", "gloo:all_gather", at + 17, 12, 2);
    }
    traces.push_back(trace.End());
  }
  const auto answer = AskAboutRanks(traces);
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains(
      "102 ms per device in all_gather_object TRY avoid object collectives in the loop"))
      << all;
  EXPECT_FALSE(all.contains("bucket_cap_mb")) << all;
}

// 20 ms of compute, 10 ms in which a library reduces gradients, and 5 ms in which `caller` calls
// `function`.
std::string FindingsWithCalls(std::string_view caller, std::string_view function) {
  std::vector<std::string> traces;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = 1; step <= 6; ++step) {
      const double at = 40.0 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 39);
      trace.Add("python_function", "train.py(3): train", at, 39);
      trace.Add("cpu_op", "aten::linear", at, 20);
      trace.Add("python_function", "torch/nn/parallel/distributed.py(8): reduce", at + 20.5, 10.5);
      trace.Add("python_function", "torch/distributed/distributed_c10d.py(20): all_reduce",
                at + 20.6, 10.3);
      trace.Add("user_annotation", "gloo:all_reduce", at + 20.7, 10, 2);
      trace.Add("python_function", caller, at + 32, 6);
      trace.Add("python_function", "torch/distributed/c10d_logger.py(80): wrapper", at + 32.1, 5.8);
      trace.Add("python_function",
                fmt::format("torch/distributed/distributed_c10d.py(90): {}", function), at + 32.2,
                5.6);
      trace.Add("user_annotation", "gloo:all_gather", at + 32.4, 5, 2);
    }
    traces.push_back(trace.End());
  }
  const auto answer = AskAboutRanks(traces);
  return answer ? AllFindings(*answer) : "";
}

TEST(Causes, CommunicationThatAFunctionOfTheUsersStartsIsToldAsSuch) {
  const std::string objects = FindingsWithCalls("hooks.py(11): collect", "all_gather_object");
  EXPECT_TRUE(objects.contains(
      "; 33.3% of communication is in all_gather_object, called by collect (hooks.py:11)."))
      << objects;
  EXPECT_TRUE(objects.contains("TRY avoid object collectives in the loop")) << objects;
  const std::string tensors = FindingsWithCalls("hooks.py(11): collect", "all_gather");
  EXPECT_TRUE(tensors.contains("TRY call all_gather in collect (hooks.py:11) less often"))
      << tensors;
  // What the model communicates, it must, and what a library does is not the user's.
  for (const char* caller : {"model.py(4): forward", "torch/distributed/fsdp/api.py(4): unshard"}) {
    const std::string of_model = FindingsWithCalls(caller, "all_gather");
    EXPECT_FALSE(of_model.contains("called by")) << of_model;
  }
}

// Kernels of four ranks, in a library whose collectives have names that nobody knows: rank 2
// computes 30% longer, and the others wait in "exchange_all".
std::string UnknownLibrary(int rank, int slow) {
  std::string text = fmt::format(
      R"({{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"NVIDIA H100"}}],)"
      R"("distributedInfo":{{"backend":"other","rank":{},"world_size":4}},"traceEvents":[)",
      rank);
  int64_t at = 0, number = 0;
  const auto kernel = [&](std::string_view name, int64_t us) {
    ++number;
    text += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{}}}}},)"
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}},)",
        at, number, name, at + 2, us, number);
    at += us;
  };
  for (int step = 1; step <= 6; ++step) {
    const int64_t start = at;
    const double factor = rank == slow ? 1.3 : 1;
    kernel("gemm_a", static_cast<int64_t>(400 * factor));
    kernel("gemm_b", static_cast<int64_t>(600 * factor));
    kernel("exchange_all", rank == slow ? 50 : 350);
    text += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":{}}},)",
        step, start, at - start);
  }
  text.back() = ']';
  return text + "}";
}

TEST(Causes, WhereCommunicationIsUnknownTheRankThatComputesLongerIsTold) {
  const auto ask = [](int slow) {
    std::vector<std::string> traces;
    for (int rank = 0; rank < 4; ++rank) traces.push_back(UnknownLibrary(rank, slow));
    return AskAboutRanks(traces);
  };
  const auto slow = ask(2), even = ask(-1);
  ASSERT_TRUE(slow && even);
  EXPECT_TRUE(
      slow->verdict.contains("Communication of the 4 ranks was not recognized; rank 2 "
                             "computes 30.0% longer than the others."))
      << slow->verdict;
  EXPECT_FALSE(even->verdict.contains("longer than the others")) << even->verdict;
}

// Two ranks that exchange gradients over sockets, in steps of 100 ms; no trace has the number of
// ranks. Rank 0 computes for `compute` ms in its first steps, and for 1 ms like the other one
// since.
Result<ReportSet> AskAboutSockets(int second, double compute, int first_steps = 6) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const int rank : {0, second}) {
    CpuTrace trace(rank);
    for (int step = 1; step <= 6; ++step) {
      const double at = 100.0 * step, each = rank == 0 && step <= first_steps ? compute / 2 : 0.5;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 100);
      trace.Add("cpu_op", "aten::linear", at, each);
      trace.Add("cpu_op", "aten::addmm", at + each, each);
      trace.Add("python_function", "ring.py(13): receive", at + 2 * each, 99 - 2 * each);
    }
    std::string text = trace.End();
    const size_t info = text.find(R"("distributedInfo")");
    text.erase(info, text.find(R"("traceEvents")") - info);
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), text));
  }
  return Ask(paths);
}

TEST(Causes, ARankThatComputesLongerForLittleOfItsStepsIsNotAccused) {
  const auto little = AskAboutSockets(1, 4), much = AskAboutSockets(1, 40);
  const auto seldom = AskAboutSockets(1, 40, 2);
  ASSERT_TRUE(little && much && seldom);
  EXPECT_FALSE(seldom->verdict.contains("computes")) << seldom->verdict;
  EXPECT_FALSE(little->verdict.contains("computes")) << little->verdict;
  EXPECT_TRUE(much->verdict.contains("rank 0 computes 3,900% longer than rank 1."))
      << much->verdict;
  EXPECT_TRUE(
      AllFindings(*little).contains("communication counts as compute or as Python between "
                                    "operators"))
      << AllFindings(*little);
}

// Rank 1 parses records for 80 ms of each step; the others wait for it in a library of the job's
// own.
TEST(Causes, TheRankThatOthersWaitForGoesBeforeTheFunctionTheyWaitIn) {
  std::vector<std::string> traces;
  for (int rank = 0; rank < 3; ++rank) {
    CpuTrace trace(rank, "[]", 1, 3);
    for (int step = 1; step <= 12; ++step) {
      const double at = 100.0 * step, parsed = at + (rank == 1 ? 82 : 2.1);
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 100);
      trace.Add("python_function", "train.py(25): parse_records", at + 2, parsed - at - 2);
      trace.Add("cpu_op", "aten::randn", parsed, 1);
      trace.Add("cpu_op", "aten::linear", parsed + 1, 2);
      trace.Add("python_function", "ring.py(13): receive", parsed + 4, at + 90 - parsed - 4);
      trace.Add("cpu_op", "aten::copy_", at + 90, 5);
    }
    traces.push_back(trace.End());
  }
  const auto answer = AskAboutRanks(traces);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with(
      "Rank 1 spends 79.9 ms more per step (median) in every recorded step (1 to 12): time between "
      "operators (parse_records (train.py:25)). Meanwhile ranks 0 and 2 are in receive "
      "(ring.py:13). Step time is 100 ms"))
      << answer->verdict << "\n"
      << AllFindings(*answer);
}

TEST(Causes, ARankBetweenTheRecordedOnesIsMissing) {
  const auto answer = AskAboutSockets(2, 1);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("Communication of the 2 recorded ranks was not recognized."))
      << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains(". Input is incomplete: rank 1 has no trace."))
      << answer->verdict;
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains("the job has at least 3 ranks")) << all;
  EXPECT_TRUE(
      all.contains("give the traces of all 3 ranks: this may be waiting for the absent one"))
      << all;
}

}  // namespace
}  // namespace stepscope::causes_test
