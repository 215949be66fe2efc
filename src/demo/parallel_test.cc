// Tests jobs whose replicas span several ranks: their groups, and that times of ranks agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "demo/groups.h"
#include "tests/support/demo_fixture.h"

namespace stepscope::demo_parallel_test {
namespace {

using nlohmann::json;

DemoOptions Parallel() {
  return {.ranks = 16,
          .steps = 1,
          .slow_rank = 5,
          .slow_factor = 2,
          .ranks_per_host = 8,
          .tensor = 2,
          .pipeline = 2,
          .expert_groups = 2,
          .microbatches = 2,
          .layers = 2,
          .stacks = false,
          .compress = false};
}

struct Span {
  int64_t start = 0, end = 0;
};

struct Communication {
  int rank = 0;
  Span span;
  json args;
};

int64_t Ns(const json& micros) { return std::llround(micros.get<double>() * 1000); }

class DemoParallelTest : public DemoTest {
 protected:
  std::vector<Communication> Write16() {
    Write(Parallel());
    std::vector<Communication> all;
    for (int rank = 0; rank < 16; ++rank) {
      const json trace = Trace(rank);
      for (const json& event : trace["traceEvents"]) {
        if (event.value("cat", "") != "kernel" || !event["args"].contains("Collective name"))
          continue;
        const int64_t start = Ns(event["ts"]);
        all.push_back({rank, {start, start + Ns(event["dur"])}, event["args"]});
      }
    }
    return all;
  }
};

bool IsMessage(const Communication& each) {
  return each.args["Collective name"] == "send" || each.args["Collective name"] == "recv";
}

TEST(GroupsOf, ReplicasOfSeveralRanksHaveAllKinds) {
  const DemoOptions options{.ranks = 24, .tensor = 2, .pipeline = 2, .expert_groups = 3};
  const auto groups = demo::GroupsOf(options, 17);  // stage 1, replica 2, part 1
  ASSERT_EQ(groups.size(), demo::kMostGroups);
  EXPECT_EQ(groups[demo::kTensorGroup].Listed(), "[16, 17]");
  EXPECT_EQ(groups[demo::kPipelineGroup].Listed(), "[5, 17]");
  EXPECT_EQ(groups[demo::kDataGroup].Listed(), "[13, 15, 17, 19, 21, 23]");
  EXPECT_EQ(groups[demo::kExpertGroup].Listed(), "[13, 15, 17]");
  EXPECT_EQ(groups[demo::kExpertDataGroup].Listed(), "[17, 23]");
}

TEST(GroupsOf, EachGroupHasItsOwnName) {
  const DemoOptions options{.ranks = 24, .tensor = 2, .pipeline = 2, .expert_groups = 3};
  std::map<std::string, std::set<std::string>> members;  // by name
  for (int rank = 0; rank < options.ranks; ++rank) {
    for (const auto& group : demo::GroupsOf(options, rank))
      members[group.name].insert(group.description + group.Listed());
  }
  for (const auto& [name, lists] : members) EXPECT_EQ(lists.size(), 1u) << name;
  EXPECT_EQ(members.size(), 1u + 12 + 12 + 4 + 8 + 12);
}

TEST_F(DemoParallelTest, AllMembersOfACollectiveEndItTogether) {
  std::map<std::pair<std::string, int64_t>, std::vector<Communication>> collectives;
  for (Communication& each : Write16()) {
    if (IsMessage(each)) continue;
    collectives[{each.args["Process Group Name"], each.args["Seq"]}].push_back(std::move(each));
  }
  std::set<std::string> kinds;
  for (const auto& [key, members] : collectives) {
    std::set<int64_t> ends;
    std::set<int> ranks;
    for (const Communication& each : members) {
      ends.insert(each.span.end);
      ranks.insert(each.rank);
    }
    EXPECT_EQ(ends.size(), 1u) << key.first;
    EXPECT_EQ(json(ranks).dump(),
              json::parse(members[0].args["Process Group Ranks"].get<std::string>()).dump());
    kinds.insert(members[0].args["Process Group Description"]);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"mesh_tp", "mesh_pp", "mesh_dp", "mesh_ep", "mesh_edp"}));
}

TEST_F(DemoParallelTest, WhatIsSentIsReceivedAfterItsSenderBegan) {
  std::map<std::pair<int, int>, std::vector<Span>> sent, received;  // by the ranks of both ends
  for (const Communication& each : Write16()) {
    if (each.args["Collective name"] == "send")
      sent[{each.rank, each.args["Dst Rank"]}].push_back(each.span);
    if (each.args["Collective name"] == "recv")
      received[{each.args["Src Rank"], each.rank}].push_back(each.span);
  }
  ASSERT_EQ(sent.size(), 16u);  // both ways between the two stages
  for (auto& [ends, spans] : sent) {
    std::vector<Span>& other = received[ends];
    ASSERT_EQ(spans.size(), 2u);  // microbatches
    ASSERT_EQ(other.size(), 2u);
    std::ranges::sort(spans, {}, &Span::start);
    std::ranges::sort(other, {}, &Span::start);
    for (size_t i = 0; i < spans.size(); ++i) {
      EXPECT_EQ(spans[i].end, other[i].end);
      EXPECT_LT(spans[i].start, other[i].end);
    }
  }
}

TEST_F(DemoParallelTest, OthersOfTheSlowRanksLayersWaitForIt) {
  std::map<int, int64_t> in_tensor_group;  // by rank
  for (const Communication& each : Write16()) {
    if (each.args["Process Group Description"] == "mesh_tp")
      in_tensor_group[each.rank] += each.span.end - each.span.start;
  }
  EXPECT_GT(in_tensor_group[4], 3 * in_tensor_group[5]);  // 4 shares its layers
  EXPECT_GT(in_tensor_group[4], 3 * in_tensor_group[0]);  // 0 and 1 share others
}

TEST_F(DemoParallelTest, LaunchesComeFirstAndStreamsAreInOrder) {
  Write(Parallel());
  const json trace = Trace(9);
  std::map<int64_t, int64_t> launched;
  std::map<int, std::vector<Span>> streams;
  for (const json& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (category == "cuda_runtime" || category == "cuda_driver")
      launched[event["args"]["correlation"]] = Ns(event["ts"]);
  }
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "kernel") continue;
    const int64_t start = Ns(event["ts"]);
    EXPECT_LT(launched.at(event["args"]["correlation"]), start);
    streams[event["args"]["stream"]].push_back({start, start + Ns(event["dur"])});
  }
  EXPECT_EQ(streams.size(), 7u);
  for (auto& [stream, spans] : streams) {
    std::ranges::sort(spans, {}, &Span::start);
    for (size_t i = 1; i < spans.size(); ++i) EXPECT_GT(spans[i].start, spans[i - 1].end);
  }
}

// Ends of what was launched on a stream before each correlation id, by stream.
using EndsOfStreams = std::map<int, std::map<int64_t, int64_t>>;

// When what was launched on the stream last before that ended; 0: nothing was.
int64_t EndBefore(const EndsOfStreams& ends, int stream, int64_t correlation) {
  const auto own = ends.find(stream);
  if (own == ends.end()) return 0;
  const auto after = own->second.lower_bound(correlation);
  return after == own->second.begin() ? 0 : std::prev(after)->second;
}

TEST_F(DemoParallelTest, WorkBeginsAfterWhatItsStreamWasToldToWaitFor) {
  Write(Parallel());
  const json trace = Trace(9);
  EndsOfStreams ends;
  std::map<int, std::map<int64_t, int64_t>> starts;
  for (const json& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (category != "kernel" && !category.starts_with("gpu_mem")) continue;
    const json& args = event["args"];
    starts[args["stream"]][args["correlation"]] = Ns(event["ts"]);
    ends[args["stream"]][args["correlation"]] = Ns(event["ts"]) + Ns(event["dur"]);
  }
  int waits = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "cuda_sync" || event["name"] != "Stream Wait Event") continue;
    const json& args = event["args"];
    const auto& own = starts[args["stream"]];
    const auto next = own.upper_bound(args["correlation"]);
    if (next == own.end()) continue;
    ++waits;
    EXPECT_GT(next->second,
              EndBefore(ends, args["wait_on_stream"], args["wait_on_cuda_event_record_corr_id"]))
        << args;
  }
  EXPECT_GT(waits, 10);
}

TEST_F(DemoParallelTest, RefusesWhatDoesNotDivide) {
  DemoOptions options = Parallel();
  options.ranks = 18;
  const auto ranks = WriteDemo(folder_, options);
  ASSERT_FALSE(ranks.has_value());
  EXPECT_EQ(ranks.error().hint, "choose a multiple of 4");
  options.ranks = 12;
  const auto experts = WriteDemo(folder_, options);
  ASSERT_FALSE(experts.has_value());
  EXPECT_EQ(experts.error().hint, "choose a divisor of 3");
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

}  // namespace
}  // namespace stepscope::demo_parallel_test
