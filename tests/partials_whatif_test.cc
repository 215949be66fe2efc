// Asks partials what a change saves, and the traces they were made of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "stepscope/demo.h"
#include "stepscope/partials.h"
#include "tests/answer.h"
#include "tests/front_door.h"

namespace stepscope::partials_whatif_test {
namespace {

class PartialsWhatif : public ::testing::Test {
 protected:
  void Write(const DemoOptions& options) {
    ASSERT_TRUE(WriteDemo(traces_, options).has_value());
    ASSERT_TRUE(MapRanks(std::vector{traces_}, {.folder = part_, .shard = {0, 1}}).has_value());
  }

  // ns per step; -1: nothing is told.
  static double Saved(const std::string& path, const std::string& change) {
    const auto answer =
        testing::Ask({path}, {.only = {"whatif"}, .params = {{"whatif.set", change}}});
    if (!answer) return -1;
    for (const testing::Row& row : testing::RowsOf(*answer, "whatif", "changes")) {
      if (row.Text("change") == change) return static_cast<double>(row.Int("saved"));
    }
    return -1;
  }

  // Within this part of what the traces say.
  void ExpectAlike(const std::string& change, double part) const {
    const double of_traces = Saved(traces_, change);
    EXPECT_NEAR(Saved(part_, change), of_traces, part * of_traces) << change;
  }

  // The events of the traces of this category.
  void LeaveOut(const std::string& category) const {
    for (int rank = 0; rank < 4; ++rank) {
      const std::string name = fmt::format("job/rank-{}.pt.trace.json", rank);
      std::ifstream in(folder_.path() + "/" + name);
      std::string text(std::istreambuf_iterator<char>(in), {});
      for (size_t at = 0; (at = text.find(category, at)) != text.npos;)
        text.replace(at, category.size(), "unknown");
      folder_.Write(name, text);
    }
  }

  const testing::ScratchFolder folder_;
  const std::string traces_ = folder_.path() + "/job", part_ = folder_.path() + "/part";
};

// Collectives queue behind those that the late host began late. Mending it alone leaves the slow
// rank, for whose gradients they then wait.
TEST_F(PartialsWhatif, OneOfTwoLateRanksSavesWhatItDoesByTheTraces) {
  DemoOptions options{.ranks = 4, .slow_rank = 1, .slow_factor = 1.3, .layers = 2, .stacks = false};
  options.slow_host = 3;
  Write(options);
  EXPECT_GT(Saved(traces_, "rank 3: all = median of ranks"), 1e6);
  ExpectAlike("rank 3: all = median of ranks", 0.002);
  ExpectAlike("rank 1: all = median of ranks", 0.02);
  ExpectAlike("rank 1,3: all = median of ranks", 0.02);
  ExpectAlike("link: x2", 0.002);
}

// Profilers record calls, but seldom waits of streams.
TEST_F(PartialsWhatif, WithoutRecordsOfWaitsTheOrderOfLaunchesTellsThem) {
  DemoOptions options{.ranks = 4, .slow_rank = 1, .slow_factor = 1.3, .layers = 2, .stacks = false};
  options.slow_host = 3;
  options.compress = false;
  Write(options);
  const std::string change = "rank 3: all = median of ranks";
  const double recorded = Saved(traces_, change);
  LeaveOut("cuda_sync");
  ASSERT_TRUE(MapRanks(std::vector{traces_}, {.folder = part_, .shard = {0, 1}}).has_value());
  EXPECT_NEAR(Saved(traces_, change), recorded, 0.002 * recorded);
  ExpectAlike(change, 0.002);
}

// Of gaps they do not tell which were waits for input, of which there is a change of its own.
TEST_F(PartialsWhatif, DoNotTellWhatGapsOfHostsCost) {
  Write({.ranks = 2, .slow_rank = -1, .layers = 2, .stacks = false});
  const auto asked =
      testing::Ask({part_}, {.only = {"whatif"}, .params = {{"whatif.set", "host gaps: none"}}});
  EXPECT_EQ(asked->reports.front().why.str(),
            "'host gaps: none' concerns nothing: partials do not tell: ask the traces");
  const auto all = testing::Ask({part_}, {.only = {"whatif"}});
  for (const testing::Row& row : testing::RowsOf(*all, "whatif", "upper_bounds"))
    EXPECT_NE(row.Text("change"), "host gaps: none");
}

}  // namespace
}  // namespace stepscope::partials_whatif_test
