// Tests that hints are in the terms of the job's framework and devices.
#include "analyses/advice.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope::advice_test {
namespace {

TEST(Advice, IsInTheWordsOfTheFramework) {
  constexpr Advice kFuse{"torch.compile", "jit_compile=True", "jit"};
  const auto say = [&](Framework framework) {
    std::vector<RankActivity> ranks(1);
    ranks[0].framework = framework;
    Facts facts;
    facts.ranks = ranks;
    return Say(kFuse, facts);
  };
  EXPECT_EQ(say(Framework::kPyTorch), "torch.compile");
  EXPECT_EQ(say(Framework::kTensorFlow), "jit_compile=True");
  EXPECT_EQ(say(Framework::kJax), "jit");
  EXPECT_EQ(Say(kFuse, Facts()), "torch.compile");
}

TEST(Advice, AsksDevicesInTheirMakersWay) {
  std::vector<RankActivity> ranks(1);
  Facts facts;
  facts.ranks = ranks;
  facts.devices = {{.rank = ranks.data(), .device = 0, .total = {}, .by_step = {}}};
  EXPECT_TRUE(CommandForClocks(facts).starts_with("nvidia-smi"));
  EXPECT_EQ(NetworkTest(facts), "nccl-tests");
  ranks[0].device_name = "AMD Instinct MI300X";
  EXPECT_TRUE(CommandForClocks(facts).starts_with("rocm-smi"));
  EXPECT_EQ(NetworkTest(facts), "rccl-tests");
  constexpr Advice kGraphs = ForAll("CUDA graphs, or a CUDA graph of the step");
  EXPECT_EQ(Say(kGraphs, facts), "HIP graphs, or a HIP graph of the step");
  EXPECT_TRUE(CheckLinks(facts).contains("rocm-smi"));
  ranks[0].device_name = "";
  ranks[0].recorded_by = RecordedBy::kAscend;
  EXPECT_EQ(CommandForClocks(facts), "npu-smi info");
  EXPECT_EQ(NetworkTest(facts), "hccl_test");
  EXPECT_EQ(Say(kGraphs, facts), "NPU graphs, or an NPU graph of the step");
  EXPECT_TRUE(CheckLinks(facts).contains("hccn_tool"));
  ranks[0].recorded_by = RecordedBy::kFramework;
  EXPECT_TRUE(CheckLinks(facts).contains("nvidia-smi"));
  ranks[0].on_host = true;
  EXPECT_EQ(NetworkTest(facts), "iperf3");
}

TEST(Advice, NamesOptionsOfTheProfilerThatRecorded) {
  std::vector<RankActivity> ranks(1);
  Facts facts;
  facts.ranks = ranks;
  EXPECT_EQ(Say(kRecordHost, facts), "record with ProfilerActivity.CPU");
  ranks[0].recorded_by = RecordedBy::kRocprof;
  EXPECT_TRUE(Say(kRecordHost, facts).contains("rocprofv3"));
  EXPECT_TRUE(Say(kMarkSteps, facts).contains("nvtx"));
  ranks[0].recorded_by = RecordedBy::kNsight;
  EXPECT_TRUE(Say(kRecordHost, facts).contains("nsys"));
}

TEST(Advice, NamesNoFlagsForGpusWhereProcessorsCompute) {
  std::vector<RankActivity> ranks(1);
  ranks[0].framework = Framework::kJax;
  Facts facts;
  facts.ranks = ranks;
  const auto say = [&](std::string_view hint) { return Say(ForAll(hint), facts); };
  EXPECT_EQ(say("jit all, or buffers (--xla_gpu_b in XLA_FLAGS); see kernels"),
            "jit all, or buffers (--xla_gpu_b in XLA_FLAGS); see kernels");
  ranks[0].on_host = true;
  facts.devices = {{.rank = ranks.data(), .device = 0, .total = {}, .by_step = {}}};
  EXPECT_EQ(say("jit all, or buffers (--xla_gpu_b in XLA_FLAGS); see kernels"),
            "jit all; see kernels");
  EXPECT_EQ(say("send less: a scheduler (--xla_gpu_s=true in XLA_FLAGS), or a sharding"),
            "send less: a sharding");
  EXPECT_EQ(say("jit all, buffers (--xla_gpu_b in XLA_FLAGS), a larger batch"),
            "jit all, a larger batch");
}

}  // namespace
}  // namespace stepscope::advice_test
