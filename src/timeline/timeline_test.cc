// Tests a viewer's requests other than tiles and search: tracks, counters, details, sums.
#include "stepscope/timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/columns.h"
#include "tests/support/sample_timeline.h"

namespace stepscope::timeline_test {
namespace {

// An operator in another, the call that launches, the kernel, and a copy that nobody launched.
SampleTrace Launched() {
  SampleTrace trace;
  trace.Range("aten::linear", 1000, 2000);
  trace.Range("aten::mm", 1100, 1900);
  trace.trace.Set(TextField::kInputShapes, trace.trace.strings.Intern("[[8, 16], [16, 4]]"));
  trace.Call("cudaLaunchKernel", 1200, 42, 1210);
  trace.Activity("gemm", 3000, 3500, 42);
  trace.trace.Set(IntField::kLaunchConfig,
                  trace.trace.launch_configs.Intern({.grid = {8, 1, 1}, .block = {256, 1, 1}}));
  trace.Activity("Memcpy HtoD", 4000, 4100, 0, 7, Kind::kMemcpy);
  return trace;
}

std::vector<std::string> TrackNames(const Timeline& timeline) {
  std::vector<std::string> names;
  for (const TimelineTrack& track : timeline.tracks()) {
    names.push_back(track.group + "/" + track.name);
  }
  return names;
}

const EventField* FieldNamed(const EventDetails& details, std::string_view key) {
  for (const EventField& field : details.fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

TEST(Timeline, NothingRecordedIsNoTimelineButNoFailure) {
  const Timeline timeline = TimelineOf(SampleTrace());
  EXPECT_EQ(timeline.end(), 0);
  EXPECT_EQ(timeline.tracks().size(), 0u);
  EXPECT_FALSE(timeline.Tile(0, 0, 0).has_value());
  EXPECT_FALSE(timeline.Describe({}).has_value());
  EXPECT_EQ(timeline.Find("", 0, 1, 10)->total, 0u);
  EXPECT_EQ(timeline.Select({.to = 100})->tables[0].rows.size(), 0u);
}

TEST(Timeline, TracksStandByDeviceThenThreadCountersBelowThem) {
  SampleTrace trace = Launched();
  trace.Step(3, 900, 2500);
  trace.Range("forward", 1000, 1001, Kind::kPython);
  trace.Range("other", 1000, 1001, Kind::kOperator, 1);
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(
      TrackNames(timeline),
      (std::vector<std::string>{"steps/steps", "GPU 0/stream 7", "GPU 0/queue length of stream 7",
                                "CPU/thread 1", "CPU/thread 1: Python", "CPU/thread 2"}));
  ASSERT_EQ(timeline.steps().size(), 1u);
  EXPECT_EQ(timeline.steps()[0].number, 3);
  EXPECT_EQ(timeline.steps()[0].start, 0);   // the first event of all
  EXPECT_EQ(timeline.steps()[0].end, 2600);  // its activities run on after its annotation
  EXPECT_EQ(timeline.end(), 4100 - 900);
  EXPECT_EQ(timeline.events(), 8u);
  EXPECT_EQ(timeline.ranks()[0].name, "rank 0");
}

// A step begins where the one before it has ended, as it does in every report.
TEST(Timeline, StepsAreThoseOfTheReports) {
  SampleTrace trace = Launched();
  trace.Step(3, 900, 2500);
  trace.Step(4, 2500, 5000);
  trace.Step(5, 5000, 6000);
  const Timeline timeline = TimelineOf(std::move(trace));
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const TimelineStep& step : timeline.steps()) times.emplace_back(step.start, step.end);
  EXPECT_EQ(times,
            (std::vector<std::pair<int64_t, int64_t>>{{0, 2600}, {2600, 4100}, {4100, 5100}}));
}

TEST(Timeline, QueueLengthIsACounter) {
  const Timeline timeline = TimelineOf(Launched());
  const uint32_t track = TrackNamed(timeline, "queue length of stream 7");
  EXPECT_EQ(timeline.tracks()[track].max, 1);
  EXPECT_EQ(timeline.tracks()[track].unit, "count");
  // Launched at 200 on the axis, done at 2500; buckets of 8.
  EXPECT_EQ(TileOf(timeline, track, 3, 0).points,
            (std::vector<ReadPoint>{{25, 1, 1, 1}, {312, 0, 1, 0}}));
  EXPECT_EQ(TileOf(timeline, track, 1, 1).points, (std::vector<ReadPoint>{{0, 1, 1, 1}}));
}

TEST(Timeline, AKernelLeadsToItsLaunchAndOperators) {
  const Timeline timeline = TimelineOf(Launched());
  const uint32_t stream = TrackNamed(timeline, "stream 7");
  const EventDetails gemm = timeline.Describe({stream, 0}).value();
  EXPECT_EQ(gemm.event.name, "gemm");
  EXPECT_EQ(gemm.event.kind, "compute");
  EXPECT_EQ(gemm.event.start, 2000);
  EXPECT_EQ(Names(gemm.stack), (std::vector<std::string>{"aten::mm", "aten::linear"}));
  EXPECT_EQ(FieldNamed(gemm, "operator_shapes")->title, "inputs of aten::mm");
  EXPECT_EQ(FieldNamed(gemm, "operator_shapes")->value, Cell("[[8, 16], [16, 4]]"));
  ASSERT_EQ(gemm.links.size(), 1u);
  EXPECT_EQ(gemm.links[0].kind, LinkKind::kLaunch);
  EXPECT_EQ(gemm.links[0].event.name, "cudaLaunchKernel");
  ASSERT_NE(FieldNamed(gemm, "grid"), nullptr);
  EXPECT_EQ(FieldNamed(gemm, "grid")->value, Cell("8 x 1 x 1"));

  const EventDetails call = timeline.Describe(gemm.links[0].event.ref).value();
  ASSERT_EQ(call.links.size(), 1u);
  EXPECT_EQ(call.links[0].kind, LinkKind::kActivity);
  EXPECT_EQ(call.links[0].event.ref, gemm.event.ref);

  const EventDetails mm = timeline.Describe(gemm.stack[0].ref).value();
  EXPECT_EQ(FieldNamed(mm, "input_shapes")->value, Cell("[[8, 16], [16, 4]]"));
  EXPECT_EQ(Names(mm.stack), std::vector<std::string>{"aten::linear"});

  EXPECT_TRUE(timeline.Describe({stream, 1})->links.empty());
  EXPECT_FALSE(timeline.Describe({stream, 2}).has_value());
}

TEST(Timeline, AWaitNamesWhatItWaitsFor) {
  SampleTrace trace;
  trace.Call("cudaEventRecord", 100, 5);
  trace.Call("cudaStreamWaitEvent", 110, 6);
  trace.Sync("Stream Wait Event", 200, 300, 6, 7, 8, 5);
  trace.Activity("gemm", 300, 400);
  const Timeline timeline = TimelineOf(std::move(trace));
  const uint32_t track = TrackNamed(timeline, "stream 7: synchronization");
  const EventDetails wait = timeline.Describe({track, 0}).value();
  ASSERT_EQ(wait.links.size(), 2u);
  EXPECT_EQ(wait.links[0].kind, LinkKind::kLaunch);
  EXPECT_EQ(wait.links[0].event.name, "cudaStreamWaitEvent");
  EXPECT_EQ(wait.links[1].kind, LinkKind::kWait);
  EXPECT_EQ(wait.links[1].event.name, "cudaEventRecord");
}

TEST(Timeline, AKernelWaitsForTheOneAheadOfIt) {
  SampleTrace trace;
  trace.Launch(100, 1);
  trace.Launch(110, 2);
  trace.Launch(700, 3);
  trace.Activity("first", 200, 500, 1);
  trace.Activity("second", 501, 600, 2);
  trace.Activity("third", 710, 800, 3);  // launched when the stream was idle
  const Timeline timeline = TimelineOf(std::move(trace));
  const uint32_t track = TrackNamed(timeline, "stream 7");
  const auto links = timeline.Describe({track, 1})->links;
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].kind, LinkKind::kLaunch);
  EXPECT_EQ(links[1].kind, LinkKind::kWait);
  EXPECT_EQ(links[1].event.name, "first");
  EXPECT_EQ(timeline.Describe({track, 2})->links.size(), 1u);
}

TEST(Timeline, ACallThatWaitsLeadsToWhatEndedLast) {
  SampleTrace trace;
  trace.Call("cudaDeviceSynchronize", 100, 9, 1000);
  trace.Activity("early", 150, 500, 0, 7);
  trace.Activity("last", 200, 990, 0, 8);
  trace.Activity("later", 300, 2000, 0, 9);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto links = timeline.Describe({TrackNamed(timeline, "thread 1"), 0})->links;
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].kind, LinkKind::kWait);
  EXPECT_EQ(links[0].event.name, "last");
}

// Two ranks, the clock of the second 50,000 ns ahead, which leave collectives together.
std::vector<SampleTrace> Together() {
  std::vector<SampleTrace> ranks(2);
  for (int64_t rank = 0; rank < 2; ++rank) {
    SampleTrace& trace = ranks[static_cast<size_t>(rank)];
    const StringId operation = trace.trace.strings.Intern("allreduce");
    const StringId group = trace.trace.strings.Intern("0");
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t end = 2000 + i * 1000 + rank * 50'000;
      // Rank 1 comes 300 later each time.
      trace.Activity("ncclDevKernel_AllReduce", end - 500 + rank * 300, end, 0, 20,
                     Kind::kCommunication);
      trace.trace.Set(TextField::kCollective, operation);
      trace.trace.Set(TextField::kGroupName, group);
      trace.trace.Set(IntField::kCollectiveSequence, i);
      trace.trace.Set(IntField::kGroupSize, 2);
    }
  }
  return ranks;
}

TEST(Timeline, RanksStandOnOneClock) {
  const Timeline timeline = TimelineOf(Together());
  EXPECT_TRUE(timeline.ranks()[1].aligned);
  EXPECT_EQ(timeline.ranks()[1].own_begin - timeline.ranks()[0].own_begin, 50'000);
  EXPECT_EQ(timeline.ranks()[1].own_end - timeline.ranks()[0].own_end, 50'000);
  const TimelineEvent first = timeline.Event({0, 0}).value();
  const TimelineEvent second = timeline.Event({1, 0}).value();
  EXPECT_EQ(first.start + first.duration, second.start + second.duration);
  EXPECT_EQ(second.start - first.start, 300);
  EXPECT_EQ(TileOf(timeline, 1, 4, 0).boxes[0].start, 300);
}

TEST(Timeline, ACollectiveLeadsToItsPeersAndTheLastToCome) {
  const Timeline timeline = TimelineOf(Together());
  const EventDetails first = timeline.Describe({0, 4}).value();
  ASSERT_EQ(first.links.size(), 2u);
  EXPECT_EQ(first.links[0].kind, LinkKind::kWait);
  EXPECT_EQ(first.links[1].kind, LinkKind::kPeer);
  EXPECT_EQ(first.links[1].event.ref, (EventRef{1, 4}));
  const EventDetails last = timeline.Describe({1, 4}).value();
  ASSERT_EQ(last.links.size(), 1u);
  EXPECT_EQ(last.links[0].kind, LinkKind::kPeer);
}

TEST(Timeline, SelectCountsWhatMeetsAndAddsWhatLiesWithin) {
  SampleTrace trace;
  trace.Activity("gemm", 0, 100);
  trace.Activity("gemm", 200, 300);
  trace.Activity("copy", 300, 310, 0, 7, Kind::kMemcpy);
  trace.Activity("gemm", 400, 500);
  const Timeline timeline = TimelineOf(std::move(trace));
  const Report report = timeline.Select({.from = 50, .to = 305}).value();
  const Table& table = report.tables[0];
  ASSERT_EQ(table.rows.size(), 2u);
  // name, count, sum, mean, min, max, share
  EXPECT_EQ(table.rows[0], (std::vector<Cell>{"gemm", int64_t{2}, int64_t{150}, int64_t{75},
                                              int64_t{50}, int64_t{100}, 150.0 / 155}));
  EXPECT_EQ(ColumnOf(table, "sum").Int(table.rows[1]), 5);
  const Report kinds = timeline.Select({.from = 0, .to = 500, .by = "kind"}).value();
  const auto& first = kinds.tables[0].rows[0];
  EXPECT_EQ(ColumnOf(kinds.tables[0], "kind").Text(first), "compute");
  EXPECT_EQ(ColumnOf(kinds.tables[0], "count").Int(first), 3);
  EXPECT_EQ(timeline.Select({.to = 500, .tracks = {0, 0}, .by = "track"})->tables[0].rows.size(),
            1u);
  EXPECT_FALSE(timeline.Select({.to = 500, .by = "color"}).has_value());
  EXPECT_FALSE(timeline.Select({.to = 500, .tracks = {77}}).has_value());
}

TEST(Timeline, SumsStopWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const Timeline timeline = TimelineOf(Launched());
  EXPECT_FALSE(timeline.Select({.to = 5000}, stop.get_token()).has_value());
  EXPECT_FALSE(timeline.Occurrences({0, 0}, stop.get_token()).has_value());
  EXPECT_FALSE(timeline.Find("a", 0, 1, 5, stop.get_token()).has_value());
}

TEST(Timeline, OccurrencesAreOfAllRanks) {
  const Timeline timeline = TimelineOf(Together());
  const Report report = timeline.Occurrences({1, 3}).value();
  EXPECT_EQ(report.metrics[0].value, Cell(int64_t{20}));
  EXPECT_EQ(report.metrics[1].value, Cell(int64_t{10 * 500 + 10 * 200}));
  ASSERT_EQ(report.tables[0].rows.size(), 2u);
  const Table& ranks = report.tables[0];
  EXPECT_EQ(ColumnOf(ranks, "rank").Int(ranks.rows[0]), 0) << "the rank with the larger sum";
  const auto& histogram = report.series[0].points;
  ASSERT_EQ(histogram.size(), 32u);
  EXPECT_EQ(histogram.front(), std::pair(200.0, 10.0));
  EXPECT_EQ(histogram.back().second, 10);
}

TEST(Timeline, BrokenClocksAreLeftOutAndCounted) {
  constexpr int64_t kFar = int64_t{1} << 61;
  SampleTrace trace;
  for (int64_t i = 0; i < 5; ++i) trace.Activity("w", 1000 + i * 100, 1050 + i * 100);
  trace.Activity("early", -kFar, -kFar + 5);
  trace.Range("late", kFar, kFar + 5);
  trace.Range("endless", 1000, kFar);
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(timeline.left_out(), 3u);
  EXPECT_EQ(timeline.events(), 5u);
  EXPECT_EQ(timeline.end(), 450);
}

TEST(Timeline, RanksFarApartBeginTogether) {
  std::vector<SampleTrace> ranks(3);
  ranks[0].Activity("w", 100, 200);
  ranks[1].Activity("w", int64_t{1} << 61, (int64_t{1} << 61) + 7);
  ranks[2].Activity("w", 150, 250);
  const Timeline timeline = TimelineOf(std::move(ranks));
  EXPECT_EQ(timeline.end(), 150);
  EXPECT_EQ(timeline.Event({1, 0})->start, 0);
  EXPECT_EQ(timeline.Event({2, 0})->start, 50);
  EXPECT_FALSE(timeline.ranks()[1].aligned);
}

TEST(Timeline, EveryEventMayBeOfAProcessOfItsOwn) {
  constexpr uint32_t kThreads = 50'000;
  SampleTrace trace;
  const StringId name = trace.trace.strings.Intern("f");
  for (uint32_t t = 0; t < kThreads; ++t) {
    trace.trace.tracks.push_back({.process = std::to_string(t), .thread = "1"});
    trace.trace.Add({t, 10, name, t, Kind::kOperator});
  }
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(timeline.tracks().size(), kThreads);
  EXPECT_EQ(timeline.Find("F", 40'000, 1, 3)->matches.size(), 3u);
  const Report selection = timeline.Select({.to = 20}).value();
  const Table& events = selection.tables[0];
  EXPECT_EQ(ColumnOf(events, "count").Int(events.rows[0]), 20);
}

TEST(Timeline, DevicesStandByNumberAlsoThoseWithCountersAlone) {
  SampleTrace trace;
  trace.Activity("w", 0, 10, 0, 1, Kind::kCompute, 5);
  trace.Range("op", 0, 10);
  trace.trace.Add(
      {3, 0, trace.trace.strings.Intern("[memory]"), trace.HostTrack(), Kind::kInstant});
  trace.trace.Set(IntField::kBytes, 512);
  trace.trace.Set(IntField::kDeviceType, 1);
  trace.trace.Set(IntField::kDeviceId, 2);
  EXPECT_EQ(TrackNames(TimelineOf(std::move(trace))),
            (std::vector<std::string>{"GPU 2/memory since the start", "GPU 5/stream 1",
                                      "CPU/thread 1", "CPU/thread 1: moments"}));
}

// As PyTorch writes it: what the profiler says of itself begins before the job's work and ends long
// after it, as does the Python frame around all.
TEST(Timeline, WorkIsWhatRanksDidAndNotWhatTheProfilerSaysOfItself) {
  SampleTrace trace;
  trace.Range("main.py(1): <module>", 0, 9'000, Kind::kPython);
  trace.Step(1, 1000, 2000);
  trace.Range("aten::mm", 1100, 2500);
  auto& tracks = trace.trace.tracks;
  StringTable& strings = trace.trace.strings;
  const auto track = static_cast<TrackId>(tracks.size());
  tracks.push_back({.process = "Spans", .thread = "PyTorch Profiler"});
  tracks.push_back({});
  trace.trace.Add({0, 3000, strings.Intern("PyTorch Profiler (0)"), track, Kind::kProfilerWindow});
  trace.trace.Add({50'000, 0, strings.Intern("Record Window End"), track + 1, Kind::kInstant});
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(timeline.work_begin(), 1000);
  EXPECT_EQ(timeline.work_end(), 2500);
  EXPECT_EQ(timeline.end(), 50'000);
  EXPECT_EQ(TrackNames(timeline),
            (std::vector<std::string>{"steps/steps", "CPU 1/thread 1", "CPU 1/thread 1: Python",
                                      "profiler/no thread: moments",
                                      "profiler/thread PyTorch Profiler"}));
}

TEST(Timeline, WithoutWorkAllIsShown) {
  SampleTrace trace;
  trace.Range("main.py(1): <module>", 0, 9'000, Kind::kPython);
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(timeline.work_begin(), 0);
  EXPECT_EQ(timeline.work_end(), 9'000);
}

// The processors that run a job without an accelerator are no device of it with a queue.
TEST(Timeline, AJobOnProcessorsHasNoDevice) {
  SampleTrace trace;
  trace.Range("aten::mm", 0, 100);
  trace.Range("gloo:all_reduce", 20, 80, Kind::kAnnotation, 1);
  EXPECT_EQ(TrackNames(TimelineOf(std::move(trace))),
            (std::vector<std::string>{"CPU/thread 1", "CPU/thread 2"}));
}

TEST(Timeline, JsonHasWhatAViewerAsksFor) {
  const Timeline timeline = TimelineOf(Launched());
  const auto head = nlohmann::json::parse(ToJson(timeline));
  EXPECT_EQ(head["end"], 3100);
  EXPECT_EQ(head["work_begin"], 0);
  EXPECT_EQ(head["work_end"], 3100);
  EXPECT_EQ(head["ranks"][0]["name"], "rank 0");
  EXPECT_EQ(head["ranks"][0]["aligned"], true);
  EXPECT_EQ(int64_t{head["ranks"][0]["own_end"]} - int64_t{head["ranks"][0]["own_begin"]}, 3100);
  EXPECT_EQ(head["tracks"][0]["kind"], "stream");
  EXPECT_EQ(head["tracks"][1]["id"], 1);
  EXPECT_EQ(head["kinds"][0], "compute");
  EXPECT_EQ(head["column_kinds"].size(), head["kinds"].size());
  EXPECT_EQ(head["column_kinds"][0], "compute");
  EXPECT_EQ(head["column_kinds"][2], "memory");  // memcpy
  const auto event = nlohmann::json::parse(ToJson(*timeline.Describe({0, 0}), timeline));
  EXPECT_EQ(event["name"], "gemm");
  EXPECT_EQ(event["stack"][0]["name"], "aten::mm");
  EXPECT_EQ(event["links"][0]["relation"], "launch");
  EXPECT_EQ(event["links"][0]["end"], 210);
  const auto found = nlohmann::json::parse(ToJson(*timeline.Find("mm", 0, 1, 5)));
  EXPECT_EQ(found["total"], 2);
  EXPECT_EQ(found["matches"][0]["start"], 100);
}

}  // namespace
}  // namespace stepscope::timeline_test
