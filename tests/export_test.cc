// Tests exported traces: what they hold, and that nothing is lost.
#include "stepscope/export.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/byte_source.h"
#include "stepscope/demo.h"
#include "tests/front_door.h"
#include "tests/gzip.h"
#include "tests/perfetto_trace.h"

namespace stepscope::testing::export_test {
namespace {

// A call that launches a kernel; times are microseconds.
std::string Launch(int64_t correlation, int64_t start, int64_t duration) {
  return fmt::format(
      R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{},"dur":{},)"
      R"("args":{{"correlation":{}}}}})",
      start, duration, correlation);
}
std::string Launched(int64_t correlation, int64_t start, int64_t duration) {
  return fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"k{0}","pid":0,"tid":7,"ts":{1},"dur":{2},)"
      R"("args":{{"device":0,"stream":7,"correlation":{0},"grid":[1,2,3]}}}})",
      correlation, start, duration);
}
std::string StepRange(int64_t number, int64_t start, int64_t duration) {
  return fmt::format(
      R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":9,"tid":9,"ts":{},"dur":{}}})",
      number, start, duration);
}

// Two launches, of which the second waits for the first: 2 operations queued from 12 to 25 us.
std::vector<std::string> TwoLaunches() {
  return {Launch(1, 10, 1), Launch(2, 12, 1), Launched(1, 15, 10), Launched(2, 25, 5)};
}

std::string Content(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) throw std::runtime_error(source.error().what);
  std::string text(size_t{64} << 20, '\0');
  text.resize(source->Read(text));
  EXPECT_EQ(source->end(), InputEnd::kClean);
  return text;
}

class ExportTest : public ::testing::Test {
 protected:
  // Writes `text` as the only trace and exports it.
  nlohmann::json ExportedEvents(const std::string& text, ExportOptions options = {}) {
    in_.Write("rank_0.json", text);
    options.folder = Out();
    const auto written = Export(std::vector{in_.path()}, options);
    if (!written) throw std::runtime_error(written.error().what);
    return nlohmann::json::parse(Content(Out() + "/rank_0.json.gz"));
  }
  PerfettoTrace ExportedPerfetto(ExportOptions options = {}) {
    options.folder = Out();
    options.format = ExportFormat::kPerfetto;
    const auto written = Export(std::vector{in_.path()}, options);
    if (!written) throw std::runtime_error(written.error().what);
    return PerfettoParser().Parse(Content(Out() + "/run.pftrace.gz"));
  }
  std::string Out() const { return out_.path() + "/deep/er"; }

  const ScratchFolder in_, out_;
};

TEST_F(ExportTest, WithoutWishesTheTraceStaysAsItWas) {
  const std::string text = Document(TwoLaunches(), R"("schemaVersion":1,"own":{"a":[1,"}"]},)");
  EXPECT_EQ(ExportedEvents(text), nlohmann::json::parse(text));
}

TEST_F(ExportTest, CountersStandBesideTheirDevice) {
  const auto document = ExportedEvents(Document(TwoLaunches()), {.counters = true});
  std::vector<std::pair<double, double>> queue;  // time in us, operations
  for (const auto& event : document["traceEvents"]) {
    if (event["name"] != "queue of stream 7, not finished") continue;
    EXPECT_EQ(event["ph"], "C");
    EXPECT_EQ(event["pid"], 0);
    queue.emplace_back(event["ts"], event["args"]["operations"]);
  }
  const std::vector<std::pair<double, double>> expected = {{10, 1}, {12, 2}, {25, 1}, {30, 0}};
  EXPECT_EQ(queue, expected);
}

TEST_F(ExportTest, CountersOfOneSeries) {
  const auto names_of = [&](CounterSeries series) {
    std::set<std::string> names;
    std::vector<std::string> events = TwoLaunches();
    events.push_back(
        R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":7,"ts":40,"dur":1,)"
        R"("args":{"device":0,"stream":7,"bytes":1000}})");
    const auto document =
        ExportedEvents(Document(events), {.counters = true, .counter_series = series});
    for (const auto& event : document["traceEvents"]) {
      if (event["ph"] == "C") names.insert(event["name"].get<std::string>().substr(0, 5));
    }
    return names;
  };
  EXPECT_EQ(names_of(CounterSeries::kBoth), (std::set<std::string>{"bandw", "queue"}));
  EXPECT_EQ(names_of(CounterSeries::kQueue), std::set<std::string>{"queue"});
  EXPECT_EQ(names_of(CounterSeries::kBandwidth), std::set<std::string>{"bandw"});
}

// An operator of the host, or an annotation.
std::string Range(std::string_view name, int64_t start, int64_t duration,
                  std::string_view category = "cpu_op", int64_t thread = 9) {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":9,"tid":{},"ts":{},"dur":{}}})",
                     category, name, thread, start, duration);
}

// Names of the events that have this argument, in order.
std::vector<std::string> NamesWith(const nlohmann::json& document, const std::string& argument) {
  std::vector<std::string> names;
  for (const auto& event : document["traceEvents"]) {
    if (event.contains("args") && event["args"].contains(argument)) names.push_back(event["name"]);
  }
  return names;
}

// The path of the second "part": its operator and call, and the kernel it launched.
TEST_F(ExportTest, OfAnAnnotationOnlyWhatIsCritical) {
  const std::vector<std::string> events = {Range("part", 0, 10, "user_annotation"),
                                           Range("part", 100, 10, "user_annotation"),
                                           Range("aten::mm", 101, 5),
                                           Range("aten::relu", 101, 5, "cpu_op", 77),
                                           Launch(1, 2, 1),
                                           Launched(1, 5, 3),
                                           Launch(2, 102, 1),
                                           Launched(2, 105, 50)};
  const PathRegion region = {.annotation = "part", .instance = 1, .only_critical = true};
  const auto document = ExportedEvents(Document(events), {.critical_path = true, .path = region});
  EXPECT_EQ(NamesWith(document, "critical"),
            (std::vector<std::string>{"part", "aten::mm", "cudaLaunchKernel", "k2"}));
  std::vector<std::string> others;
  for (const auto& event : document["traceEvents"]) {
    const bool is_path = event["pid"] == "critical path";
    if (!is_path && !event.value("args", nlohmann::json::object()).contains("critical"))
      others.push_back(event["name"]);
    if (is_path && event["ph"] == "X") {
      EXPECT_GE(event["ts"], 100);
    }
  }
  EXPECT_EQ(others, std::vector<std::string>{"part"}) << "annotations stay";
}

TEST_F(ExportTest, WithoutTheRangeNothingIsLeftOut) {
  const std::string text = Document(TwoLaunches());
  const PathRegion region = {.annotation = "absent", .only_critical = true};
  EXPECT_EQ(ExportedEvents(text, {.critical_path = true, .path = region}),
            nlohmann::json::parse(text));
}

// Two calls launch k1 and k2, one k3 alone. The other thread's operator is no member.
TEST_F(ExportTest, PatternsAreMarkedInTheirEvents) {
  std::vector<std::string> events = {Range("aten::other", 0, 90, "cpu_op", 77)};
  for (const int64_t at : {0, 20}) {
    events.insert(events.end(), {Range("aten::linear", at, 10), Range("aten::addmm", at + 1, 8),
                                 Launch(at + 1, at + 2, 1), Launch(at + 2, at + 4, 1)});
  }
  events.insert(events.end(), {Range("aten::linear", 40, 10), Launch(50, 42, 1)});
  const auto kernel = [&](int64_t correlation, std::string_view name, int64_t at) {
    events.push_back(
        fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":1,)"
                    R"("args":{{"device":0,"stream":7,"correlation":{}}}}})",
                    name, at, correlation));
  };
  kernel(1, "k1", 12);
  kernel(2, "k2", 14);
  kernel(21, "k1", 32);
  kernel(22, "k2", 34);
  kernel(50, "k3", 52);
  const ExportPatterns patterns = {.operator_name = "linear", .min_length = 2};
  const auto document = ExportedEvents(Document(events), {.patterns = patterns});
  const auto marked = NamesWith(document, "Patterns");
  EXPECT_EQ(
      std::multiset<std::string>(marked.begin(), marked.end()),
      (std::multiset<std::string>{"aten::linear", "aten::linear", "aten::addmm", "aten::addmm",
                                  "cudaLaunchKernel", "cudaLaunchKernel", "cudaLaunchKernel",
                                  "cudaLaunchKernel", "k1", "k1", "k2", "k2"}));
  for (const auto& event : document["traceEvents"]) {
    if (!event.contains("args") || !event["args"].contains("Patterns")) continue;
    EXPECT_EQ(event["args"]["Patterns"], nlohmann::json({{"aten::linear|k1|k2", 2}}));
    if (event["name"] == "k1") {
      EXPECT_EQ(event["args"]["stream"], 7) << "arguments stay";
    }
  }
}

TEST_F(ExportTest, MarksAreNotForPerfettoAlone) {
  in_.Write("rank_0.json", Document(TwoLaunches()));
  const auto written = Export(
      std::vector{in_.path()},
      {.folder = Out(), .format = ExportFormat::kPerfetto, .patterns = {.operator_name = "aten"}});
  EXPECT_FALSE(written);
}

TEST_F(ExportTest, TheCriticalPathTilesItsStretch) {
  auto events = TwoLaunches();
  events.push_back(StepRange(3, 8, 10));
  const auto document = ExportedEvents(Document(events), {.critical_path = true});
  double at = 8;
  std::vector<std::string> bounds;
  for (const auto& event : document["traceEvents"]) {
    if (event.value("cat", "") != "critical_path") continue;
    EXPECT_EQ(event["ts"], at);
    EXPECT_EQ(event["tid"], "step 3");
    at += event["dur"].get<double>();
    bounds.push_back(event["args"]["bound"]);
  }
  EXPECT_EQ(at, 30);
  EXPECT_EQ(bounds.back(), "gpu_compute");
}

TEST_F(ExportTest, OfStepsOnlyWhatBelongsToThem) {
  std::vector<std::string> events;
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = step * 100;
    events.insert(events.end(), {StepRange(step, at, 100), Launch(step + 1, at + 90, 1),
                                 Launched(step + 1, at + 120, 50)});
  }
  events.push_back(R"({"ph":"M","name":"process_name","pid":9,"args":{"name":"python"}})");
  const auto document = ExportedEvents(Document(events), {.steps = "1"});
  std::vector<std::string> names;
  for (const auto& event : document["traceEvents"]) names.push_back(event["name"]);
  // The kernel that runs in this step was launched in the one before, and is not of it.
  EXPECT_EQ(names,
            (std::vector<std::string>{"ProfilerStep#1", "cudaLaunchKernel", "k2", "process_name"}));
}

TEST_F(ExportTest, WhatWasWholeOfADamagedTraceIsExported) {
  std::string text = Document(TwoLaunches());
  text.resize(text.find("\"k2\""));
  const auto document = ExportedEvents(text);
  EXPECT_EQ(document["traceEvents"].size(), 3u);
}

TEST_F(ExportTest, AnExportedJobGivesTheSameAnswers) {
  ASSERT_TRUE(WriteDemo(in_.path() + "/job", {.ranks = 3, .steps = 2, .layers = 3}));
  const std::vector<std::string> job = {in_.path() + "/job"};
  const auto written =
      Export(job, {.folder = Out(), .counters = true, .critical_path = true, .threads = 2});
  ASSERT_TRUE(written) << written.error().what;
  const auto before = Ask(job);
  const auto after = Ask({Out()});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(Numbers(*before), Numbers(*after));
  EXPECT_EQ(FirstRow(*written, "files", "counters") > 0, true);
}

// The slice of this name; of several, the one that ended last.
PerfettoSlice Find(const PerfettoTrace& trace, std::string_view name) {
  PerfettoSlice found;
  for (const PerfettoSlice& slice : trace.slices) {
    if (slice.name == name) found = slice;
  }
  return found;
}

TEST_F(ExportTest, PerfettoGetsEverySliceAndItsArrow) {
  auto events = TwoLaunches();
  events.push_back(Kernel("overlaps", 20, 30));  // neither within k1 nor behind it
  in_.Write("rank_0.json", Document(events));
  const PerfettoTrace trace = ExportedPerfetto({.counters = true});
  EXPECT_EQ(trace.slices.size(), events.size());

  const PerfettoSlice k1 = Find(trace, "k1"), overlaps = Find(trace, "overlaps");
  EXPECT_EQ(k1.process, "rank 0 GPU 0");
  EXPECT_EQ(k1.track, "stream 7");
  EXPECT_EQ(k1.duration, 10'000);
  EXPECT_EQ(k1.annotations.at("correlation"), "1");
  EXPECT_EQ(overlaps.start - k1.start, 5'000);
  EXPECT_EQ(overlaps.duration, 30'000);

  const PerfettoSlice call = Find(trace, "cudaLaunchKernel");
  EXPECT_EQ(call.process, "rank 0 host 9");
  ASSERT_EQ(call.flows_from.size(), 1u);
  EXPECT_EQ(call.flows_from[0], Find(trace, "k2").flow_to);
  EXPECT_NE(call.flows_from[0], k1.flow_to);
  EXPECT_EQ(overlaps.flow_to, 0u);

  std::vector<double> queue;
  for (const PerfettoCount& count : trace.counts) {
    if (count.track == "queue of stream 7, not finished") queue.push_back(count.value);
  }
  EXPECT_EQ(queue, (std::vector<double>{1, 2, 1, 0}));
}

// A demo's ranks leave each collective at once: on one axis of time, so do the slices.
TEST_F(ExportTest, PerfettoPutsAllRanksOnOneAxis) {
  const int64_t spread = 20'000'000;
  ASSERT_TRUE(WriteDemo(in_.path(), {.ranks = 3, .steps = 2, .clock_spread = spread, .layers = 3}));
  std::map<std::string, std::vector<int64_t>> ends;  // of all-reduces, by process
  for (const PerfettoSlice& slice : ExportedPerfetto().slices) {
    if (slice.track.starts_with("stream") && slice.annotations.contains("Collective name")) {
      ends[slice.process].push_back(slice.start + slice.duration);
    }
  }
  ASSERT_EQ(ends.size(), 3u);
  const auto& first = ends.begin()->second;
  for (const auto& [process, of] : ends) {
    ASSERT_EQ(of.size(), first.size());
    for (size_t i = 0; i < of.size(); ++i) EXPECT_LT(std::abs(of[i] - first[i]), 1000) << process;
  }
}

TEST_F(ExportTest, PerfettoGetsStepsAndTimesBeforeZero) {
  std::vector<std::string> events;
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = step * 100 - 5'000'000;
    events.insert(events.end(), {StepRange(step, at, 100), Launch(step + 1, at + 10, 1),
                                 Launched(step + 1, at + 20, 50)});
  }
  in_.Write("rank_0.json", Document(events));
  const PerfettoTrace trace = ExportedPerfetto({.steps = "2"});
  EXPECT_EQ(trace.slices.size(), 3u);
  EXPECT_EQ(Find(trace, "k3").start - Find(trace, "ProfilerStep#2").start, 20'000);
}

TEST_F(ExportTest, ATraceIsNeverWrittenOver) {
  const std::string trace = in_.Write("rank_0.json.gz", Gzip(Document(TwoLaunches())));
  const std::string before = Content(trace);
  const auto written = Export(std::vector{trace}, {.folder = in_.path()});
  ASSERT_FALSE(written);
  EXPECT_TRUE(written.error().what.contains("replace")) << written.error().what;
  EXPECT_EQ(Content(trace), before);
}

TEST_F(ExportTest, OneTraceIsWrittenToTheFileThatIsNamed) {
  in_.Write("rank_0.json", Document(TwoLaunches()));
  for (const char* name : {"/new/ex.json", "/new/ex.json.gz"}) {
    const std::string path = out_.path() + name;
    const auto written = Export(std::vector{in_.path()}, {.folder = path});
    ASSERT_TRUE(written) << written.error().what;
    EXPECT_FALSE(std::filesystem::is_directory(path));
    EXPECT_EQ(nlohmann::json::parse(Content(path)), nlohmann::json::parse(Document(TwoLaunches())));
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(file.get() == '{', path.ends_with(".json")) << "packed as its name says";
  }
}

TEST_F(ExportTest, OfSeveralTracesAFileIsRefused) {
  in_.Write("rank_0.json", Document(TwoLaunches()));
  in_.Write("rank_1.json", Document(TwoLaunches()));
  const std::string path = out_.path() + "/ex.json";
  const auto refused = Export(std::vector{in_.path()}, {.folder = path});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "cannot write 2 traces to one file");
  EXPECT_EQ(refused.error().where, path);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(Export(std::vector{in_.path()}, {.folder = path, .ranks = {1}}));
  const auto other = Export(std::vector{in_.path()},
                            {.folder = out_.path() + "/x.json", .format = ExportFormat::kPerfetto});
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().what.contains(".pftrace.gz")) << other.error().what;
  EXPECT_TRUE(Export(std::vector{in_.path()}, {.folder = out_.path() + "/all.pftrace.gz",
                                               .format = ExportFormat::kPerfetto}));
  EXPECT_FALSE(std::filesystem::is_directory(out_.path() + "/all.pftrace.gz"));
}

TEST_F(ExportTest, ErrorsSayWhatThereIs) {
  in_.Write("rank_0.json", Document(TwoLaunches()));
  const std::vector<std::string> job = {in_.path()};
  const auto no_rank = Export(job, {.folder = Out(), .ranks = {7}});
  ASSERT_FALSE(no_rank);
  EXPECT_TRUE(no_rank.error().hint.contains("ranks that were read: 0")) << no_rank.error().hint;
  EXPECT_FALSE(Export(job, {.folder = Out(), .steps = "4"}));
  EXPECT_FALSE(Export(job, {.folder = Out(), .steps = "x"}));
  EXPECT_FALSE(Export(job, {.folder = ""}));
  EXPECT_FALSE(Export(job, {.folder = job[0] + "/rank_0.json/x"}));
  EXPECT_FALSE(Export(std::vector<std::string>{"/nowhere"}, {.folder = Out()}));
}

}  // namespace
}  // namespace stepscope::testing::export_test
