// Tests the timeline of whole runs: nothing is lost on the way from the files, and keeping the
// events changes no answer.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "report/columns.h"
#include "stepscope/demo.h"
#include "stepscope/session.h"
#include "stepscope/timeline.h"
#include "stepscope/write.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"
#include "tests/support/sample_timeline.h"

namespace stepscope::testing::timeline_run_test {
namespace {

Session Opened(const std::vector<std::string>& paths, bool keep_events) {
  auto session = Session::Open(paths, {.keep_events = keep_events});
  if (!session) throw std::runtime_error(session.error().what);
  return std::move(*session);
}

// How many events of each kind there are.
std::map<std::string, int64_t> CountsByKind(const Timeline& timeline) {
  const Report report = timeline.Select({.to = timeline.end() + 1, .by = "kind"}).value();
  std::map<std::string, int64_t> counts;
  const Table& kinds = report.tables[0];
  const ColumnOf kind(kinds, "kind"), count(kinds, "count");
  for (const auto& row : kinds.rows) counts[kind.Text(row)] = count.Int(row);
  return counts;
}

void ExpectNothingIsLost(const RunInfo& run, const Timeline& timeline) {
  int64_t gpu_events = 0;
  for (const InputFile& file : run.files) gpu_events += file.gpu_events;
  auto counts = CountsByKind(timeline);
  const int64_t found =
      counts["compute"] + counts["communication"] + counts["memcpy"] + counts["memset"];
  EXPECT_EQ(found + static_cast<int64_t>(timeline.left_out()), gpu_events);

  // The level at which a tile holds the whole run.
  uint32_t level = 0;
  while (int64_t{512} << level <= timeline.end()) ++level;
  for (uint32_t t = 0; t < timeline.tracks().size(); ++t) {
    const TimelineTrack& track = timeline.tracks()[t];
    if (track.kind == TrackKind::kCounter) continue;
    const ReadTile tile = TileOf(timeline, t, level, 0);
    uint64_t seen = tile.boxes.size();
    for (const ReadSpan& span : tile.spans) seen += span.count;
    EXPECT_EQ(seen, track.events) << track.name;
  }
}

class TimelineOfDemo : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        WriteDemo(folder_.path(),
                  {.ranks = 2, .steps = 4, .slow_rank = 1, .clock_spread = 1'000'000, .layers = 2})
            .has_value());
  }
  ScratchFolder folder_;
};

TEST_F(TimelineOfDemo, HoldsEveryEventAndChangesNoAnswer) {
  Session session = Opened({folder_.path()}, true);
  EXPECT_EQ(ToJson(*session.Analyze()), ToJson(*Opened({folder_.path()}, false).Analyze()));
  const Timeline timeline = session.TakeTimeline().value();
  ExpectNothingIsLost(session.run(), timeline);
  EXPECT_EQ(timeline.ranks().size(), 2u);
  EXPECT_TRUE(timeline.ranks()[0].aligned);
  EXPECT_EQ(timeline.steps().size(), 8u);
}

TEST_F(TimelineOfDemo, IsThereOnceAndWhereItWasAskedFor) {
  Session session = Opened({folder_.path()}, true);
  EXPECT_TRUE(session.TakeTimeline().has_value());
  EXPECT_FALSE(session.TakeTimeline().has_value());
  EXPECT_TRUE(session.Analyze().has_value());
  EXPECT_FALSE(Opened({folder_.path()}, false).TakeTimeline().has_value());
}

TEST_F(TimelineOfDemo, CollectivesLeadFromRankToRank) {
  const Timeline timeline = Opened({folder_.path()}, true).TakeTimeline().value();
  const auto found = timeline.Find("ncclDevKernel", 0, 1, 1).value();
  ASSERT_EQ(found.matches.size(), 1u);
  const EventDetails details = timeline.Describe(found.matches[0].ref).value();
  bool has_peer = false, has_launch = false;
  for (const EventLink& link : details.links) {
    has_launch = has_launch || link.kind == LinkKind::kLaunch;
    if (link.kind != LinkKind::kPeer) continue;
    has_peer = true;
    EXPECT_NE(link.event.rank_index, details.event.rank_index);
    EXPECT_EQ(link.event.name, details.event.name);
  }
  EXPECT_TRUE(has_peer);
  EXPECT_TRUE(has_launch);
  EXPECT_FALSE(details.stack.empty());
  EXPECT_FALSE(details.fields.empty());
}

using TimelineOfRealTraces = SharedDataTest;

TEST_F(TimelineOfRealTraces, HoldsEveryEventAndChangesNoAnswer) {
  for (const char* folder : {"h100_bert", "h100_qwen", "b200_eager", "torch_compile_triton"}) {
    const std::string path = Shared("traces/torch2") / folder;
    Session session = Opened({path}, true);
    EXPECT_EQ(ToJson(*session.Analyze()), ToJson(*Opened({path}, false).Analyze())) << path;
    ExpectNothingIsLost(session.run(), session.TakeTimeline().value());
  }
}

}  // namespace
}  // namespace stepscope::testing::timeline_run_test
