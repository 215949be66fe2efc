// Compares what partials answer with what their traces do, number for number, on jobs of many
// kinds.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "stepscope/demo.h"
#include "stepscope/partials.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"

namespace stepscope::partials_alike_test {
namespace {

struct Kind {
  std::string name;
  DemoOptions options;
  std::string lost;  // the file of a rank that is missing; empty: none
};

DemoOptions Small(int ranks, int slow_rank = -1) {
  return {.ranks = ranks, .steps = 4, .slow_rank = slow_rank, .layers = 4, .stacks = false};
}

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {{"Healthy", Small(4), ""},
                             {"LostRank", Small(4, 1), "rank-2.pt.trace.json.gz"}};
  Kind two{"TwoSlowRanks", Small(8, 2), ""};
  two.options.other_slow_ranks = {5};
  Kind host{"SlowHostAndClocks", Small(12), ""};
  host.options.ranks_per_host = 4;
  host.options.slow_host = 1;
  host.options.clock_spread = 3'000'000;
  Kind since{"SlowSinceAStep", Small(4, 3), ""};
  since.options.steps = 8;
  since.options.slow_since = 7;
  Kind tensor{"TensorAndData", Small(8, 6), ""};
  tensor.options.tensor = 4;
  Kind pipeline{"Pipeline", Small(8, 3), ""};
  pipeline.options.pipeline = 4;
  Kind experts{"Experts", Small(8, 5), ""};
  experts.options.expert_groups = 2;
  Kind link{"SlowLink", Small(8), ""};
  link.options.ranks_per_host = 4;
  link.options.slow_link = 1;
  for (const Kind& kind : {two, host, since, tensor, pipeline, experts, link})
    kinds.push_back(kind);
  return kinds;
}

class PartialsAlike : public ::testing::TestWithParam<Kind> {};

TEST_P(PartialsAlike, AnswerAsTheTracesDo) {
  const testing::ScratchFolder folder;
  const std::string traces = folder.path() + "/job", part = folder.path() + "/part";
  ASSERT_TRUE(WriteDemo(traces, GetParam().options).has_value());
  if (!GetParam().lost.empty()) {
    ASSERT_TRUE(std::filesystem::remove(traces + "/" + GetParam().lost));
  }
  for (int64_t shard = 0; shard < 3; ++shard) {
    const auto mapped = MapRanks(std::vector{traces}, {.folder = part, .shard = {shard, 3}});
    ASSERT_TRUE(mapped.has_value()) << mapped.error().what;
  }
  for (const std::string only : {"breakdown", "steps", "temporal_breakdown", "kernel_breakdown",
                                 "kernel_distribution", "collectives", "imbalance"}) {
    const auto of_traces = testing::Ask({traces}, {.only = {only}});
    const auto of_partials = testing::Ask({part}, {.only = {only}});
    ASSERT_TRUE(of_traces.has_value() && of_partials.has_value()) << only;
    EXPECT_EQ(testing::Numbers(*of_partials), testing::Numbers(*of_traces)) << only;
    EXPECT_EQ(of_partials->verdict.str(), of_traces->verdict.str()) << only;
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, PartialsAlike, ::testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace stepscope::partials_alike_test
