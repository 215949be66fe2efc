// Tests that each moment of a thread has one innermost frame, whatever frames do.
#include "facts/derived/python/python_time.h"

#include <gtest/gtest.h>

#include "facts/activity/rank_activity_builder.h"
#include "facts/derived/python/walk_frames.h"
#include "tests/support/sample_trace.h"

namespace stepscope::python_time_test {
namespace {

std::string PiecesOf(const SampleTrace& s, const HostOps& host) {
  std::string text;
  const auto nothing = [](size_t, const HostFrame&) {};
  WalkFrames(
      host.frames[0], nothing,
      [&](size_t, const HostFrame& frame, int64_t start, int64_t end) {
        text += std::string(s.trace.strings[frame.name]) + " " + std::to_string(start) + ".." +
                std::to_string(end) + "; ";
      },
      nothing);
  return text;
}

TEST(PythonTime, FramesNestOnTheirThread) {
  SampleTrace s;
  s.Range("aten::mm", 12, 14);
  s.Range("other", 0, 90, Kind::kPython, 5);
  s.Range("inner", 10, 20, Kind::kPython);
  s.Range("outer", 0, 100, Kind::kPython);
  s.Range("innermost", 10, 15, Kind::kPython);
  const RankActivity rank = BuildRankActivity(s.trace);
  const HostOps& host = *rank.host;
  ASSERT_EQ(host.frames.size(), 2u);
  ASSERT_EQ(host.frames[0].size(), 3u);
  EXPECT_EQ(host.ranges.size(), 1u);
  EXPECT_EQ(s.trace.strings[host.frames[0][0].name], "outer");
  EXPECT_EQ(host.frames[0][0].parent, kNoRange);
  EXPECT_EQ(host.frames[0][1].parent, 0);
  EXPECT_EQ(host.frames[0][2].parent, 1);
  ASSERT_EQ(host.frames[1].size(), 1u);
  EXPECT_EQ(host.frames[1][0].parent, kNoRange);
}

TEST(PythonTime, EachMomentBelongsToOneFrame) {
  SampleTrace s;
  s.Range("a", 0, 10, Kind::kPython);
  s.Range("b", 4, 30, Kind::kPython);  // outlasts its caller
  s.Range("c", 30, 30, Kind::kPython);
  s.Range("d", 40, 50, Kind::kPython);
  const RankActivity rank = BuildRankActivity(s.trace);
  EXPECT_EQ(PiecesOf(s, *rank.host), "a 0..4; b 4..30; d 40..50; ");
}

TEST(PythonTime, LeadersAreTheUsersFunctionsWithinWindows) {
  SampleTrace s;
  s.Range("train.py(3): step", 0, 100, Kind::kPython);
  s.Range("queue.py(9): get", 20, 60, Kind::kPython);
  s.Range("<built-in method acquire of _thread.lock object at 0x1>", 30, 60, Kind::kPython);
  s.Range("a.py(1): short", 61, 62, Kind::kPython);
  s.Range("train.py(4): <genexpr>", 64, 66, Kind::kPython);
  s.Range("torch/nn/modules/module.py(7): _call_impl", 200, 300, Kind::kPython);
  s.Range("nn.Module: Net_0", 200, 300, Kind::kPython);
  s.Range("model.py(4): forward", 210, 290, Kind::kPython);
  s.Range("torch/nn/functional.py(2): relu", 220, 230, Kind::kPython);
  const RankActivity rank = BuildRankActivity(s.trace);
  Facts facts;
  facts.names = &s.trace.strings;
  facts.ranks = {&rank, 1};
  FrameTimes times(facts);
  times.Add(rank, 0, {{10, 40}, {50, 70}, {205, 240}});
  const auto leaders = times.Leaders(9, 0.05);
  ASSERT_EQ(leaders.size(), 3u);
  EXPECT_EQ(leaders[0].name.function, "step");
  EXPECT_EQ(leaders[0].within.function, "")
      << "of 49, 19 are its own, 20 in acquire and 10 in get: none has half";
  EXPECT_EQ(leaders[0].time, 49);
  EXPECT_EQ(leaders[1].name.function, "forward");
  EXPECT_EQ(leaders[1].within.function, "");
  EXPECT_EQ(leaders[1].time, 30);
  EXPECT_EQ(leaders[2].name.function, "_call_impl") << "no function of the user is around it";
  EXPECT_EQ(leaders[2].within.function, "nn.Module: Net_0");
  EXPECT_EQ(times.Leaders(1).size(), 1u);

  FrameTimes waits(facts);
  waits.Add(rank, 0, {{30, 60}});
  ASSERT_EQ(waits.Leaders(9).size(), 1u);
  EXPECT_EQ(waits.Leaders(9)[0].name.function, "step");
  EXPECT_EQ(waits.Leaders(9)[0].within.function, "_thread.lock.acquire");

  FrameName step;
  step.function = "step";
  step.file = "train.py";
  step.line = 3;
  const IntervalSet stretches = times.StretchesOf(rank, 0, {{10, 240}}, step);
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(stretches[0].end, 61);
  EXPECT_EQ(stretches[1].start, 62);
}

TEST(PythonTime, TheThreadWithTheOperatorsTrains) {
  SampleTrace s;
  s.Range("train.py(3): step", 0, 100, Kind::kPython);
  s.Range("aten::mm", 10, 60);
  for (int i = 0; i < 9; ++i) s.Range("log.py(1): format", 10 * i, 10 * i + 5, Kind::kPython, 5);
  const RankActivity rank = BuildRankActivity(s.trace);
  const auto thread = TrainingThread(s.trace.strings, rank);
  ASSERT_TRUE(thread);
  EXPECT_EQ(rank.host->frames[*thread].size(), 1u);
}

// A million frames within one another, and as many windows.
TEST(PythonTime, TakesTimeByTheNumberOfFrames) {
  SampleTrace s;
  IntervalSet windows;
  constexpr int64_t kMany = 200000;
  for (int64_t i = 0; i < kMany; ++i) {
    s.Range("f", i, 4 * kMany - i, Kind::kPython);
    windows.push_back({2 * i, 2 * i + 1});
  }
  const RankActivity rank = BuildRankActivity(s.trace);
  Facts facts;
  facts.names = &s.trace.strings;
  facts.ranks = {&rank, 1};
  FrameTimes times(facts);
  times.Add(rank, 0, windows);
  ASSERT_EQ(times.Leaders(9).size(), 1u);
  EXPECT_EQ(times.Leaders(9)[0].time, kMany);
}

}  // namespace
}  // namespace stepscope::python_time_test
