// Condenses traces, and asks the partials what was asked of the traces.
#include "stepscope/partials.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.h"
#include "stepscope/demo.h"
#include "stepscope/export.h"
#include "tests/front_door.h"

namespace stepscope::partials_test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kOfPartials = {"temporal_breakdown", "kernel_breakdown",
                                              "kernel_distribution", "collectives", "imbalance"};

void MapAll(const std::string& traces, const std::string& folder, int64_t shards) {
  for (int64_t index = 0; index < shards; ++index) {
    const auto mapped = MapRanks(std::vector{traces}, {.folder = folder, .shard = {index, shards}});
    ASSERT_TRUE(mapped.has_value()) << mapped.error().what;
  }
}

// What these analyses say, and what leads.
std::string Said(const std::string& path, const std::string& steps = "all") {
  auto answer = testing::Ask({path}, {.only = kOfPartials, .steps = steps});
  if (!answer) return answer.error().what;
  return testing::Numbers(*answer) + std::string(answer->verdict);
}

class Partials : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  // A job of eight hosts with clocks of their own and one slow rank.
  std::string Demo(int ranks = 8, int devices = 1) const {
    DemoOptions options{.ranks = ranks, .devices = devices, .layers = 3, .stacks = false};
    options.slow_rank = ranks - 1;
    options.clock_spread = 2'000'000;
    EXPECT_TRUE(WriteDemo(Path("job"), options).has_value());
    return Path("job");
  }
  const testing::ScratchFolder folder_;
};

TEST_F(Partials, AnswerAsTheTracesDo) {
  const std::string traces = Demo();
  MapAll(traces, Path("part"), 3);
  EXPECT_EQ(Said(Path("part")), Said(traces));
}

TEST_F(Partials, OfRanksWithSeveralDevicesToo) {
  const std::string traces = Demo(2, 4);
  MapAll(traces, Path("part"), 1);
  EXPECT_EQ(Said(Path("part")), Said(traces));
}

TEST_F(Partials, OfSomeStepsAnswerWhatTheyCan) {
  const std::string traces = Demo();
  MapAll(traces, Path("part"), 1);
  for (const char* only : {"temporal_breakdown", "collectives", "imbalance"}) {
    const AnalyzeOptions question{.only = {only}, .steps = "4..5"};
    EXPECT_EQ(testing::Numbers(*testing::Ask({Path("part")}, question)),
              testing::Numbers(*testing::Ask({traces}, question)))
        << only;
  }
  const auto sums = testing::Ask({Path("part")}, {.only = {"kernel_breakdown"}, .steps = "4"});
  EXPECT_EQ(sums->reports.front().status, Status::kUnavailable);
}

TEST_F(Partials, AreTheSameForAnyShardsAndMerges) {
  const std::string traces = Demo();
  MapAll(traces, Path("one"), 1);
  MapAll(traces, Path("four"), 4);
  const auto shard = [&](int i) {
    return fmt::format("{}/shard-{:05}-of-00004.ranks.parquet", Path("four"), i);
  };
  const std::string left = Path("left.ranks.parquet"), right = Path("right.ranks.parquet");
  ASSERT_TRUE(MergePartials(std::vector{shard(3), shard(1)}, left));
  ASSERT_TRUE(MergePartials(std::vector{shard(2), shard(0)}, right));
  const auto bytes = [&](const std::vector<std::string>& from, const std::string& name) {
    EXPECT_TRUE(MergePartials(from, Path(name)));
    std::ifstream in(Path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string all = bytes({left, right}, "lr.ranks.parquet");
  EXPECT_EQ(all, bytes({right, left}, "rl.ranks.parquet"));
  EXPECT_EQ(all, bytes({Path("one")}, "of_one.ranks.parquet"));
  EXPECT_EQ(Said(Path("lr.ranks.parquet")), Said(Path("four")));
  EXPECT_EQ(Said(Path("one")), Said(Path("four")));
}

TEST_F(Partials, AnswerOnlyWhatTheyHold) {
  MapAll(Demo(2), Path("part"), 1);
  const auto all = testing::Ask({Path("part")});
  std::vector<std::string> names;
  for (const Report& report : all->reports) names.push_back(report.analysis);
  EXPECT_EQ(names, kOfPartials);
  const auto asked = testing::Ask({Path("part")}, {.only = {"operators"}});
  EXPECT_EQ(asked->reports.front().why,
            "partials hold collectives, steps and sums alone: ask the traces of the ranks in "
            "question");
}

// Blocks of work are no kernels: nothing shows them as such.
TEST_F(Partials, HoldNoEvents) {
  MapAll(Demo(2), Path("part"), 1);
  const std::vector<std::string> paths = {Path("part")};
  auto session = Session::Open(paths, {.keep_events = true});
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->ReadEvents(0).error().what, "partials hold no events");
  EXPECT_EQ(session->TakeTimeline().error().what, "partials hold no events");
  EXPECT_EQ(Export(paths, {.folder = Path("out")}).error().what, "partials hold no events");
  EXPECT_FALSE(fs::exists(Path("out")));
}

TEST_F(Partials, AreMadeOnce) {
  const std::vector<std::string> traces = {Demo(2)};
  const MapOptions options{.folder = Path("part")};
  const auto again = [&] {
    const auto mapped = MapRanks(traces, options);
    return mapped && mapped->reports.front().headline.contains("already");
  };
  EXPECT_FALSE(again());
  EXPECT_TRUE(again());
  folder_.Write("job/rank-1.pt.trace.json.gz", testing::DocumentOfRank(1, testing::Kernels(3)));
  EXPECT_FALSE(again());
}

TEST_F(Partials, LeaveOutWhatIsNoTraceAndSaySo) {
  const std::vector<std::string> traces = {Demo(3)};
  folder_.Write("job/rank-1.pt.trace.json.gz", "");
  const auto mapped = MapRanks(traces, {.folder = Path("part")});
  ASSERT_TRUE(mapped.has_value());
  const Report& report = mapped->reports.front();
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes.front().name, "no_traces");
  EXPECT_EQ(report.notes.front().count, 2);  // truth.json is none either
  // Which rank is missing leads.
  const auto answer = testing::Ask({Path("part")});
  EXPECT_TRUE(answer->verdict.contains("rank 1 has no trace")) << answer->verdict.str();
}

TEST_F(Partials, OfWhichSomeAreMissingAreCounted) {
  MapAll(Demo(4), Path("part"), 4);
  fs::remove(Path("part") + "/shard-00002-of-00004.ranks.parquet");
  EXPECT_EQ(MissingShards(Path("part"), 4).value(), std::vector<int64_t>{2});
  EXPECT_FALSE(MissingShards(Path("nowhere"), 4).has_value());
}

// Bytes that are gone or changed are an error, or left out with a word.
TEST_F(Partials, ThatAreDamagedAreTold) {
  MapAll(Demo(2), Path("part"), 1);
  const std::string file = Path("part") + "/shard-00000-of-00001.ranks.parquet";
  std::ifstream in(file, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const testing::ScratchFolder damaged;
  for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 100) {
    const auto answer = testing::Ask({damaged.Write("x.ranks.parquet", whole.substr(0, size))});
    EXPECT_FALSE(answer.has_value()) << size;
  }
  Random random(1, 0);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole;
    const auto at = static_cast<size_t>(random.Below(static_cast<int64_t>(whole.size())));
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.Below(8)));
    testing::Ask({damaged.Write("x.ranks.parquet", bytes)}, {.only = {"temporal_breakdown"}});
  }
}

TEST_F(Partials, AreNoOtherParquet) {
  const auto answer = testing::Ask({folder_.Write("x.ranks.parquet", "PAR1")});
  ASSERT_FALSE(answer.has_value());
}

}  // namespace
}  // namespace stepscope::partials_test
