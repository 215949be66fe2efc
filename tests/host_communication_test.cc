// Tests jobs with accelerators whose collectives a library runs on the host, as gloo does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::host_communication_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

constexpr std::string_view kDevices = R"([{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}])";

void Launch(CpuTrace& trace, std::string_view kernel, double start, double duration, int id) {
  const std::string correlation = fmt::format(R"("correlation":{})", id);
  trace.Add("cuda_runtime", "cudaLaunchKernel", start - 0.05, 0.02, 1, correlation);
  trace.Add("kernel", kernel, start, duration, 7,
            fmt::format(R"("device":0,"stream":7,{})", correlation));
}

// Loads for `load` ms, computes for 10 ms on the device, and reduces until `end`.
void Step(CpuTrace& trace, int number, double start, double load, double end) {
  trace.Add("user_annotation", fmt::format("ProfilerStep#{}", number), start, end - start);
  trace.Add("python_function", "train.py(7): load", start, load);
  trace.Add("cpu_op", "aten::linear", start + load, 0.2);
  Launch(trace, "gemm", start + load + 0.2, 10, number);
  trace.Add("cpu_op", "c10d::allreduce_", start + load + 10.3, 0.05);
  trace.Add("user_annotation", "gloo:all_reduce", start + load + 10.4, end - start - load - 10.5, 2,
            R"("Input Dims":[[1000]],"Input type":["float"])");
}

// Ten steps of 30 ms; rank 1 loads for 40 ms more since step 5.
Result<ReportSet> AskAboutRanks(double late) {
  std::vector<CpuTrace> ranks = {CpuTrace(0, kDevices), CpuTrace(1, kDevices)};
  double start = 0;
  for (int number = 1; number <= 10; ++number) {
    const double more = number >= 5 ? late : 0;
    const double end = start + 30 + more;
    for (size_t rank = 0; rank < 2; ++rank)
      Step(ranks[rank], number, start, rank == 1 ? 2 + more : 2, end);
    start = end;
  }
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), ranks[rank].End()));
  return Ask(paths, {});
}

TEST(HostCommunication, CollectivesOfGlooAreCommunicationBesideKernels) {
  const auto answer = AskAboutRanks(0);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(AllSaid(*answer).contains("not recognized")) << AllSaid(*answer);
  // 17.5 of 30 ms in the record, 10 ms in the kernel.
  EXPECT_TRUE(answer->verdict.contains("xposed communication")) << answer->verdict;
}

TEST(HostCommunication, TheRankThatComesLateIsNamedAndNotTheOneThatWaits) {
  const auto answer = AskAboutRanks(40);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("since step 5")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("ank 0")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("device collectives")) << answer->verdict;
}

}  // namespace
}  // namespace stepscope::host_communication_test
