// Tests that the path tiles its window for any trace, and that recomputing it gives the recorded
// times.
#include "facts/paths/critical_path.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "facts/activity/rank_activity_builder.h"
#include "facts/paths/path_window.h"
#include "facts/paths/what_if.h"
#include "tests/support/sample_trace.h"

namespace stepscope::critical_path_test {
namespace {

struct Solved {
  RankActivity rank;
  ChosenWindow chosen;
  Dependencies dependencies;
  CriticalPath path;
};

Solved Solve(SampleTrace& t, const WindowChoice& choice = {}) {
  Solved s{.rank = BuildRankActivity(t.trace)};
  s.chosen = ChooseWindow(s.rank, t.trace.strings, choice).value_or(ChosenWindow{});
  s.dependencies = BuildDependencies(s.rank, t.trace.strings, s.chosen.window);
  s.path = FindCriticalPath(s.dependencies);
  return s;
}

// "launch_overhead 2, gpu_compute 10, ...": neighbors of one bound as one.
std::string Say(const Solved& s) {
  std::string text;
  int64_t time = 0;
  for (size_t i = 0; i < s.path.segments.size(); ++i) {
    const Bound bound = s.path.segments[i].edge.bound;
    time += s.path.segments[i].duration();
    if (i + 1 < s.path.segments.size() && s.path.segments[i + 1].edge.bound == bound) continue;
    if (!text.empty()) text += ", ";
    text += std::string(BoundName(bound)) + " " + std::to_string(std::exchange(time, 0));
  }
  return text;
}

int64_t LengthWith(const Solved& s, const SampleTrace& t, std::string_view changes) {
  return ReplayWith(s.dependencies, s.rank, t.trace.strings, *ParseChanges(changes)).length;
}

// A recording in which anything may overlap, repeat, end at once, or be missing.
SampleTrace Random(unsigned seed, int64_t events) {
  SampleTrace t;
  std::mt19937 random(seed);
  const auto any = [&](int64_t below) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(below));
  };
  constexpr const char* kCalls[] = {"cudaLaunchKernel",      "cudaGraphLaunch",
                                    "cudaMemcpyAsync",       "cudaStreamSynchronize",
                                    "cudaDeviceSynchronize", "cudaEventSynchronize",
                                    "cudaStreamWaitEvent",   "cudaEventRecord"};
  constexpr const char* kRanges[] = {"aten::mm", "aten::copy_", "DataLoader.__next__", "forward"};
  const int64_t span = events * 20'000;
  t.Activity("a", any(span), span, 1);
  for (int64_t i = 0; i < events; ++i) {
    const int64_t start = any(span), end = start + any(3) * any(100'000);
    const int64_t correlation = any(events / 3 + 1);
    const auto thread = static_cast<int64_t>(any(3));
    switch (any(5)) {
      case 0:
      case 1:
        t.Activity(any(2) == 0 ? "gemm" : "copy", start, end, correlation, 7 + any(3),
                   static_cast<Kind>(any(4)), any(2));
        break;
      case 2:
        t.Call(kCalls[any(8)], start, correlation, end, thread);
        break;
      case 3:
        t.Range(kRanges[any(4)], start, end, any(2) == 0 ? Kind::kOperator : Kind::kAnnotation,
                thread);
        break;
      default:
        t.Sync(any(2) == 0 ? "Stream Wait Event" : "Event Sync", start, end, correlation,
               7 + any(3), 7 + any(3), any(events / 3 + 1));
    }
  }
  t.Step(1, span / 4, span / 2);
  return t;
}

TEST(CriticalPath, TilesItsWindowWhateverItHolds) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SampleTrace t = Random(seed, 5 + seed);
    for (const std::string_view annotation : {"", "forward", "aten::mm"}) {
      const RankActivity rank = BuildRankActivity(t.trace);
      if (!ChooseWindow(rank, t.trace.strings, {annotation})) continue;
      const Solved s = Solve(t, {annotation});
      int64_t at = s.chosen.window.start, sum = 0;
      for (const Segment& segment : s.path.segments) {
        ASSERT_EQ(segment.start, at) << seed;
        ASSERT_GT(segment.end, segment.start) << seed;
        at = segment.end;
      }
      for (const int64_t time : s.path.time) sum += time;
      ASSERT_EQ(at, s.chosen.window.end) << seed;
      ASSERT_EQ(sum, s.chosen.window.span()) << seed;
    }
  }
}

TEST(CriticalPath, NothingChangedTakesWhatWasRecorded) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SampleTrace t = Random(seed, 5 + seed);
    const Solved s = Solve(t);
    ASSERT_EQ(LengthWith(s, t, ""), s.chosen.window.span()) << seed;
    ASSERT_EQ(LengthWith(s, t, "cpu*1; kernel:a*1"), s.chosen.window.span()) << seed;
  }
}

// The old path is still a chain of dependencies when something is removed from it.
TEST(CriticalPath, RemovingSavesAtMostWhatThePathSpendsOnIt) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SampleTrace t = Random(seed, 5 + seed);
    const Solved s = Solve(t);
    const int64_t span = s.chosen.window.span();
    for (const auto& [change, bound] :
         {std::pair("compute*0", Bound::kCompute), std::pair("cpu=0", Bound::kCpu),
          std::pair("launch*0", Bound::kLaunch), std::pair("sync*0", Bound::kSync)}) {
      const int64_t saved = span - LengthWith(s, t, change);
      ASSERT_GE(saved, 0) << seed << change;
      ASSERT_LE(saved, s.path.Time(bound)) << seed << change;
    }
    ASSERT_GE(LengthWith(s, t, "compute*2; cpu*2"), span) << seed;
  }
}

TEST(CriticalPath, AStreamWaitsForTheEventThatItsRecordNames) {
  SampleTrace t;
  t.Launch(0, 1);
  t.Launch(2, 2);
  t.Call("cudaEventRecord", 4, 3);
  t.Launch(6, 4);  // behind the event
  t.Call("cudaStreamWaitEvent", 8, 5);
  t.Sync("Stream Wait Event", 8, 9, 5, 7, 9, 3);
  t.Launch(10, 6);
  t.Activity("a", 10, 20, 1, 7);
  t.Activity("b", 10, 60, 2, 9);
  t.Activity("c", 61, 90, 4, 9);
  t.Activity("d", 92, 100, 6, 7);
  EXPECT_EQ(
      Say(Solve(t)),
      "launch_overhead 1, cpu 1, launch_overhead 8, gpu_compute 50, kernel_gap 32, gpu_compute 8");
  EXPECT_EQ(Solve(t).dependencies.guessed_waits, 0);
}

TEST(CriticalPath, TheHostWaitsForTheEventThatItsRecordNames) {
  SampleTrace t;
  t.Launch(0, 1);
  t.Call("cudaEventRecord", 2, 2);
  t.Launch(4, 3);
  t.Call("cudaEventSynchronize", 6, 4, 42);
  t.Sync("Event Sync", 6, 41, 4, -1, 7, 2);
  t.Activity("a", 10, 40, 1, 7);
  t.Activity("b", 41, 42, 3, 7);
  t.Range("tail", 42, 80);
  EXPECT_EQ(Say(Solve(t)), "launch_overhead 10, gpu_compute 30, sync 2, cpu 38");
}

TEST(CriticalPath, AStreamSyncWithARecordWaitsForItsStreamAlone) {
  SampleTrace t;
  t.Launch(0, 1);
  t.Launch(2, 2);
  t.Call("cudaStreamSynchronize", 6, 4, 52);
  t.Sync("Stream Sync", 6, 51, 4, 9, -1, -1);
  t.Activity("a", 10, 40, 1, 9);
  t.Activity("b", 10, 50, 2, 7);
  t.Range("tail", 52, 80);
  EXPECT_EQ(Say(Solve(t)), "launch_overhead 10, gpu_compute 30, sync 12, cpu 28");
}

TEST(CriticalPath, CausesFromTheFutureAreNotBelieved) {
  SampleTrace t;
  t.Launch(50, 1);
  t.Range("aten::mm", 0, 60);
  t.Activity("a", 10, 80, 1);
  const Solved s = Solve(t);
  EXPECT_EQ(Say(s), "no_record 10, gpu_compute 70");
}

}  // namespace
}  // namespace stepscope::critical_path_test
