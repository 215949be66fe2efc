// Watches jobs that are written here: what stays of which window, and what is told.
#include "stepscope/watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "tests/scratch.h"
#include "watch/departure.h"
#include "watch/history.h"

namespace stepscope::testing {
namespace {

namespace fs = std::filesystem;

// Two steps of so many us of a rank, each with a kernel.
std::string TraceOf(int rank, int64_t kernel, int64_t step_us) {
  std::string events;
  for (int step = 0; step < 2; ++step) {
    const int64_t at = step * step_us;
    events += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":{}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"correlation":{}}}}},
{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"correlation":{},"device":0,"stream":7}}}},
)",
        step, at, step_us, at + 10, step + 1, at + 20, kernel, step + 1);
  }
  events.resize(events.size() - 2);
  return fmt::format(
      R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":2}},"traceEvents":[{}]}})",
      rank, events);
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A watched job of two ranks whose hours pass in no time. kernel(window) is how many us the kernel
// of rank 1 takes; that of rank 0 takes 10 ms. 0: nothing is captured.
struct WatchedJob {
  explicit WatchedJob(std::function<int64_t(int64_t window)> kernel_of)
      : kernel(std::move(kernel_of)) {
    options.folder = scratch.path() + "/watch";
    options.now = [this] { return now; };
    options.sleep = [this](int64_t until) { now = until; };
    options.capture = [this](const std::string& folder) { return Capture(folder); };
    options.on_window = [this](const WatchedWindow& window) {
      for (const auto& departure : window.departed)
        told.push_back(fmt::format("{} {}", windows, SayDeparture(departure)));
      ++windows;
    };
  }

  Result<void> Capture(const std::string& folder) {
    const int64_t us = kernel(windows);
    if (us == 0) return std::unexpected(Error{"rank 1 does not answer", "", ""});
    std::ofstream(folder + "/rank0.json") << TraceOf(0, 10'000, step_us(windows));
    std::ofstream(folder + "/rank1.json") << TraceOf(1, us, step_us(windows));
    return {};
  }
  std::vector<WatchedWindow> Run(int64_t count) {
    options.windows = count;
    EXPECT_EQ(Watch(options), count);
    return WatchedWindows(options.folder).value();
  }
  // Names of the folders of traces that are there.
  std::vector<std::string> Folders() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(options.folder)) {
      if (entry.is_directory()) names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  ScratchFolder scratch;
  std::function<int64_t(int64_t window)> kernel;
  std::function<int64_t(int64_t window)> step_us = [](int64_t) { return 20'000; };
  WatchOptions options;
  int64_t now = 1'800'000'000 * kSecond;
  int64_t windows = 0;
  std::vector<std::string> told;
};

std::vector<std::string> KeptOf(const std::vector<WatchedWindow>& windows) {
  std::vector<std::string> kept;
  for (const WatchedWindow& w : windows) {
    if (!w.kept.empty()) kept.push_back(w.kept);
  }
  return kept;
}

TEST(Watch, KeepsOneTraceOfAJobThatStaysAsItIs) {
  WatchedJob job([](int64_t window) { return 10'000 + window % 3 * 100; });
  const auto windows = job.Run(30);
  ASSERT_EQ(windows.size(), 30u);
  EXPECT_EQ(job.told, std::vector<std::string>{});
  EXPECT_EQ(job.Folders(), std::vector<std::string>{"window-1800000000"});
  EXPECT_EQ(windows[1].time - windows[0].time, 600 * kSecond);
  EXPECT_EQ(windows[0].step_time, 20'000'000);
  EXPECT_EQ(windows[7].why, "");
  EXPECT_EQ(fs::status(job.options.folder + "/history.jsonl").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_NE(windows[7].verdict, "");
}

TEST(Watch, TellsWhichRankDepartedOnceAndKeepsTheFirstTwoTraces) {
  WatchedJob job([](int64_t window) { return window < 20 ? 10'000 : 15'000; });
  const auto windows = job.Run(40);
  ASSERT_FALSE(job.told.empty());
  EXPECT_EQ(job.told.front(), "21 rank 1: device compute 15.0 ms per step, before 10.0 ms");
  for (const std::string& line : job.told) EXPECT_TRUE(line.starts_with("21 ")) << line;
  EXPECT_EQ(windows[21].departed.front().windows, 2);
  EXPECT_EQ(job.Folders(), (std::vector<std::string>{"window-1800000000", "window-1800012000",
                                                     "window-1800012600"}));
}

TEST(Watch, TellsWhenItIsAsBeforeAgain) {
  WatchedJob job([](int64_t window) { return window < 20 || window >= 40 ? 10'000 : 15'000; });
  job.Run(50);
  ASSERT_GE(job.told.size(), 2u);
  EXPECT_EQ(job.told.back().substr(0, 3), "41 ");
}

TEST(Watch, AWindowThatCannotBeCapturedSaysWhyAndOthersAreCompared) {
  WatchedJob job([](int64_t window) {
    return window % 4 == 3 ? 0 : window < 20 ? 10'000 : 15'000;
  });
  const auto windows = job.Run(30);
  EXPECT_EQ(windows[3].why, "rank 1 does not answer");
  ASSERT_FALSE(job.told.empty());
  EXPECT_EQ(job.told.front(), "21 rank 1: device compute 15.0 ms per step, before 10.0 ms");
}

TEST(Watch, GoesOnWhereAnEarlierWatchEnded) {
  WatchedJob job([](int64_t window) { return window < 20 ? 10'000 : 15'000; });
  job.Run(15);
  std::ofstream(job.options.folder + "/history.jsonl", std::ios::app)
      << "{\"time\": 17";  // a crash
  const auto windows = job.Run(10);
  ASSERT_EQ(windows.size(), 25u);
  ASSERT_FALSE(job.told.empty());
  EXPECT_EQ(job.told.front(), "21 rank 1: device compute 15.0 ms per step, before 10.0 ms");
  EXPECT_EQ(KeptOf(windows).size(), 2u) << "the first of all, and that of the change";
}

TEST(Watch, KeepsNoMoreTracesThanItMay) {
  WatchedJob job([](int64_t window) { return window / 10 % 2 == 0 ? 10'000 : 15'000; });
  job.options.keep_runs = 3;
  job.Run(100);
  EXPECT_LE(job.Folders().size(), 4u);  // and the one that waits
}

// From 20 to 39 of 60 windows a step takes 20 ms, else 15 ms.
TEST(Watch, TheReportTellsWhenItWasSlower) {
  WatchedJob job([](int64_t window) { return window < 20 || window >= 40 ? 10'000 : 15'000; });
  job.step_us = [&](int64_t window) { return window < 20 || window >= 40 ? 15'000 : 20'000; };
  job.Run(60);
  const auto report = WatchedReport(job.options.folder);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->headline,
            "For 3.33 h of 10.0 h steps took longer than usual: about 50.0 min lost. Most of it: "
            "rank 1, device compute 15.0 ms per step, usually 10.0 ms");
  ASSERT_EQ(report->tables[0].rows.size(), 1u);
  const std::vector<Cell>& row = report->tables[0].rows[0];
  EXPECT_EQ(row[0], Cell((1'800'000'000 + 20 * 600) * kSecond));
  EXPECT_EQ(row[1], Cell((1'800'000'000 + 40 * 600) * kSecond));
  EXPECT_EQ(row[2], Cell(int64_t{20'000'000}));
  EXPECT_EQ(row[3], Cell(int64_t{1}));
  EXPECT_EQ(row[4], Cell(std::string("device compute")));
}

// What the events of the job hold tells the same, and the finding.
TEST(Watch, TheRecordsTellWhenItWasSlowerToo) {
  WatchedJob job([](int64_t window) { return window < 20 || window >= 40 ? 10'000 : 15'000; });
  job.step_us = [&](int64_t window) { return window < 20 || window >= 40 ? 15'000 : 20'000; };
  std::vector<WatchedWindow> recorded;
  int64_t refused = 0;
  job.options.record = [&](int64_t time, const std::string& text) -> Result<void> {
    EXPECT_LE(text.size(), 2048u);
    if (++refused == 3) return std::unexpected(Error{"the disk is full", "", ""});
    recorded.push_back(WindowOfRecord(time, text).value());
    return {};
  };
  std::vector<std::string> problems;
  job.options.on_problem = [&](const Error& error) { problems.push_back(error.what); };
  job.Run(60);
  EXPECT_EQ(problems, std::vector<std::string>{"the disk is full"});
  ASSERT_EQ(recorded.size(), 59u);
  EXPECT_TRUE(recorded[30].parts.empty());
  const Report report = WatchedReport(recorded);
  EXPECT_EQ(report.headline,
            "For 3.33 h of 9.83 h steps took longer than usual: about 50.0 min lost. Most of it: "
            "rank 1, device compute 15.0 ms per step, usually 10.0 ms");
  ASSERT_EQ(report.tables[0].rows.size(), 1u);
  EXPECT_EQ(report.tables[0].rows[0][4], Cell(std::string("device compute")));
  ASSERT_EQ(report.tables[1].rows.size(), 1u);
  EXPECT_NE(std::get<std::string>(report.tables[1].rows[0][1]), "");
}

// As where the job ended, or the machine was too busy to answer.
TEST(Watch, TheReportSaysOfWhichTimeItKnowsNothing) {
  std::vector<WatchedWindow> windows;
  for (int64_t k = 0; k < 10; ++k)
    windows.push_back({.time = k * 10 * kSecond, .step_time = k < 5 ? 50'000'000 : 100'000'000});
  windows[7].findings = {"Rank 1 is a straggler."};
  windows[6].why = windows[8].why = windows[9].why = "no process was found";
  const Report report = WatchedReport(windows);
  EXPECT_EQ(
      report.headline,
      "For 20.0 s of 70.0 s steps took longer than usual: about 10.0 s lost. 1 window could "
      "not be compared: what was lost in these 10.0 s is not known. Nothing is known since: 2 "
      "windows more could not be compared (no process was found)");
  ASSERT_EQ(report.tables[1].rows.size(), 1u);
  EXPECT_EQ(report.tables[1].rows[0][1], Cell(std::string("Rank 1 is a straggler.")));
}

// Steps wait 40 ms longer; that compute takes 0.6 ms longer by chance explains nothing.
TEST(Watch, APartExplainsAQuarterOfHowMuchLongerStepsTook) {
  std::vector<WatchedWindow> windows;
  for (int64_t k = 0; k < 10; ++k) {
    const int64_t compute = k == 9 ? 3'200'000 : 2'600'000, step = k == 9 ? 94'000'000 : 53'000'000;
    windows.push_back(
        {.time = (k + 1) * kSecond,
         .step_time = step,
         .parts = {{0, "device_compute", compute}, {0, "all_others", step - compute}}});
  }
  EXPECT_EQ(WatchedReport(windows).tables[0].rows[0][4], Cell(std::string("unrecorded time")));
  const WatchedWindow last = windows.back();
  windows.pop_back();
  EXPECT_EQ(SlowerPart(windows, last)->part, "all_others");
}

// Rank 1 does something that was not recorded for 40 ms longer, and rank 0 waits for it, a little
// longer still.
TEST(Watch, TimeThatIsNotRecordedIsNearerToTheCauseThanAWaitForIt) {
  std::vector<WatchedWindow> windows;
  for (int64_t k = 0; k < 10; ++k) {
    const int64_t more = k > 5 ? 40'000'000 : 0;
    windows.push_back(
        {.time = (k + 1) * kSecond,
         .step_time = 20'000'000 + more,
         .parts = {{0, "wait", more + more / 100}, {1, "all_others", 20'000'000 + more}}});
  }
  const Report report = WatchedReport(windows);
  EXPECT_EQ(report.tables[0].rows[0][3], Cell(int64_t{1}));
  EXPECT_EQ(report.tables[0].rows[0][4], Cell(std::string("unrecorded time")));
}

TEST(Watch, ARecordHoldsWhatFitsAndHostileOnesAreNone) {
  WatchedWindow window{.time = 5, .why = std::string(5000, '\x01'), .step_time = 7};
  window.findings = {std::string(299, 'a') + "\u00e9\u00e9"};
  const std::string text = RecordOf(window, 400);
  EXPECT_LE(text.size(), 400u);
  EXPECT_EQ(WindowOfRecord(9, text)->time, 9);
  window.why.clear();
  EXPECT_EQ(WindowOfRecord(9, RecordOf(window, 2048))->findings.front(), std::string(299, 'a'));
  for (const char* odd : {"", "{}", "[]", "{\"time\""})
    EXPECT_FALSE(WindowOfRecord(9, odd).has_value()) << odd;
  const auto wild = WindowOfRecord(9, R"({"time": 1, "step_time": -5, "slower": {"rank": 0, )"
                                      R"("part": "wait", "before": -9223372036854775808}})");
  EXPECT_EQ(wild->step_time, 0);
  EXPECT_EQ(wild->slower->before, 0);
  EXPECT_FALSE(WindowOfRecord(-1, text).has_value());
}

TEST(Watch, MetricsCountOverRestarts) {
  WatchedJob job([](int64_t window) { return window == 3 ? 0 : window < 20 ? 10'000 : 15'000; });
  job.options.metrics = job.scratch.path() + "/watch.prom";
  job.options.job = "llm \"7b\"";
  job.Run(10);
  job.Run(15);
  const std::string metrics = ReadAll(job.options.metrics);
  for (const std::string line :
       {R"(windows_total{training_job="llm \"7b\"",result="compared"} 24)",
        R"(windows_total{training_job="llm \"7b\"",result="failed"} 1)",
        R"(departures_total{training_job="llm \"7b\""} 1)",
        R"(step_seconds{training_job="llm \"7b\""} 0.02)",
        R"(last_window_timestamp_seconds{training_job="llm \"7b\""} 1800013800.000)"})
    EXPECT_NE(metrics.find("stepscope_watch_" + line + "\n"), std::string::npos) << line;
}

TEST(Watch, AReportNeedsAHistory) {
  const ScratchFolder empty;
  EXPECT_EQ(WatchedReport(empty.path()).error().what, "there is no history of a watch");
}

TEST(Watch, AFolderThatCannotBeWrittenIsAnError) {
  WatchedJob job([](int64_t) { return 10'000; });
  job.options.folder = "/proc/no";
  const auto watched = Watch(job.options);
  ASSERT_FALSE(watched.has_value());
  EXPECT_EQ(watched.error().hint, "give a folder that you may write (-o)");
}

}  // namespace
}  // namespace stepscope::testing
