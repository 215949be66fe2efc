// Tests that one quantity has one value in all analyses: over all real traces, demo jobs and
// small traces. The quantities are listed in docs/quantities.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/demo.h"
#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/contradictions.h"
#include "tests/front_door.h"
#include "tests/shared_data.h"

namespace stepscope::testing::consistency_test {
namespace {

using Sentences = std::vector<std::string>;

void ExpectConsistent(const ReportSet& answer) {
  EXPECT_EQ(Contradictions(answer), Sentences{});
  EXPECT_EQ(OverstatedFindings(answer), Sentences{});
}

bool IsTrace(const std::filesystem::path& path) {
  const std::string name = path.filename();
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".xplane.pb");
}

// The directories below ../shared/traces that hold traces of jobs; the others there hold dumps,
// damaged files and formats that are not read.
std::vector<std::string> RealJobs() {
  std::vector<std::string> jobs;
  for (const char* folder : {"deepseek", "hta", "kineto", "param", "planted_3d_small", "real_gloo",
                             "torch2", "xplane"}) {
    const auto root = Shared("traces") / folder;
    if (!std::filesystem::exists(root)) continue;
    std::vector<std::filesystem::path> places = {root};
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.is_directory()) places.push_back(entry.path());
    }
    for (const auto& place : places) {
      const auto files = std::filesystem::directory_iterator(place);
      if (std::ranges::any_of(files, [](const auto& file) { return IsTrace(file.path()); }))
        jobs.push_back(place);
    }
  }
  std::ranges::sort(jobs);
  return jobs;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::relative(info.param, Shared("traces"));
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class ConsistentRealJob : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConsistentRealJob);

TEST_P(ConsistentRealJob, TellsEachQuantityOnce) { ExpectConsistent(AnswerTo({GetParam()})); }

INSTANTIATE_TEST_SUITE_P(Shared, ConsistentRealJob, ::testing::ValuesIn(RealJobs()), TestName);

// Says so where there are none.
TEST_F(SharedDataTest, RealJobsAreCompared) { EXPECT_FALSE(RealJobs().empty()); }

ReportSet AnswerToDemo(const DemoOptions& options) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/job";
  EXPECT_TRUE(WriteDemo(path, options).has_value());
  return AnswerTo({path});
}

// What each finding says and is due to, sorted.
Sentences CausesOf(const ReportSet& answer) {
  Sentences causes;
  for (const Report& report : answer.reports) {
    for (const Finding& f : report.findings) {
      causes.push_back(report.analysis + ": " + f.message + " " +
                       std::to_string(static_cast<int>(f.cause.kind)));
    }
  }
  std::ranges::sort(causes);
  return causes;
}

// An analysis is a function of the facts: what was asked before it changes nothing.
TEST(ConsistentDemo, TheOrderOfAnalysesChangesNothing) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/job";
  ASSERT_TRUE(WriteDemo(path, {.ranks = 3, .steps = 4, .layers = 4}).has_value());
  const std::vector<std::string> paths = {path};
  const auto session = Session::Open(paths);
  ASSERT_TRUE(session.has_value());
  for (const std::string first : {"idle_time", "critical_path", "step_gaps", "kernel_sequences"}) {
    for (const AnalysisInfo& second : Session::List()) {
      if (second.name == first) continue;
      const auto one = session->Analyze({.only = {first, std::string(second.name)}});
      const auto other = session->Analyze({.only = {std::string(second.name), first}});
      ASSERT_TRUE(one.has_value() && other.has_value());
      EXPECT_EQ(CausesOf(*one), CausesOf(*other)) << first << " " << second.name;
    }
  }
}

TEST(ConsistentDemo, TellsEachQuantityOnce) {
  ExpectConsistent(AnswerToDemo({.ranks = 3, .steps = 6, .layers = 4}));
}

// A replay counts the steps that the first screen counts.
TEST(ConsistentDemo, AStepTakesAsLongInAReplay) {
  for (const int slow : {-1, 1}) {
    const auto answer = AnswerToDemo({.ranks = 3, .steps = 6, .slow_rank = slow, .layers = 4});
    const auto screen = std::get<int64_t>(MetricOf(answer, "breakdown", "step_time"));
    const auto replay = std::get<int64_t>(MetricOf(answer, "whatif", "step_time"));
    EXPECT_NEAR(static_cast<double>(replay), static_cast<double>(screen),
                0.01 * static_cast<double>(screen));
  }
}

TEST(ConsistentDemo, WithAStepThatCapturesAGraph) {
  ExpectConsistent(AnswerToDemo(
      {.ranks = 2, .steps = 6, .slow_rank = 1, .graph_capture = 300'000'000, .layers = 4}));
}

TEST(ConsistentDemo, WhereTheHostIsLate) {
  ExpectConsistent(AnswerToDemo(
      {.ranks = 2, .steps = 5, .slow_rank = 1, .host_gap_fraction = 0.6, .layers = 4}));
}

// A step of 100 us; times are microseconds.
std::string StepOf(int64_t number, int64_t start) {
  return fmt::format(
      R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":9,"tid":9,)"
      R"("ts":{},"dur":100}})",
      number, start);
}

// A launch at `at`, and its kernel.
std::vector<std::string> Launched(std::string_view name, int64_t at, int64_t start,
                                  int64_t duration, int64_t stream = 7) {
  std::string kernel = Kernel(name, start, duration, stream);
  const size_t end = kernel.rfind("}}");
  kernel.insert(end, fmt::format(R"(,"correlation":{})", at + 1));
  return {
      fmt::format(R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,)"
                  R"("ts":{},"dur":1,"args":{{"correlation":{}}}}})",
                  at, at + 1),
      kernel};
}

std::string JobOf(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> events;
  for (const auto& part : parts) events.insert(events.end(), part.begin(), part.end());
  return Document(events);
}

// Only one of ten stretches is a marked step: what all of them cost is not what a step costs.
TEST(ConsistentTrace, WhereFewStepsAreMarked) {
  std::vector<std::string> events = {StepOf(1, 0)};
  for (int64_t i = 0; i < 10; ++i) {
    for (const auto& event : Launched("gemm", i * 100 + 5, i * 100 + 10, 10))
      events.push_back(event);
    for (const auto& event :
         Launched("ncclDevKernel_AllReduce_Sum_f32", i * 100 + 21, i * 100 + 25, 70, 9))
      events.push_back(event);
  }
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer.has_value());
  ExpectConsistent(*answer);
}

// The host does nothing but run beside the device: it is on the path, and no device waits for it.
TEST(ConsistentTrace, WhereTheHostIsOnThePathAndNoDeviceIdles) {
  const auto answer = AskAbout(JobOf({{StepOf(1, 0), StepOf(2, 100)},
                                      Launched("a", 0, 2, 48),
                                      Launched("b", 45, 50, 50),
                                      Launched("a", 95, 100, 50),
                                      Launched("b", 145, 150, 49)}));
  ASSERT_TRUE(answer.has_value());
  ExpectConsistent(*answer);
}

// Between its steps, the host has a pause: step times leave it out, and intervals have it.
TEST(ConsistentTrace, WithPausesBetweenSteps) {
  const auto answer = AskAbout(JobOf({{StepOf(1, 0), StepOf(2, 300), StepOf(3, 600)},
                                      Launched("a", 10, 20, 30),
                                      Launched("a", 310, 320, 30),
                                      Launched("a", 610, 620, 30)}));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(MetricOf(*answer, "overview", "step_time_mean"), Cell(int64_t{100'000}));
  EXPECT_EQ(MetricOf(*answer, "temporal_breakdown", "step_time"), Cell(int64_t{300'000}));
  ExpectConsistent(*answer);
}

// Numbers that disagree are found: the tests above would not pass by looking at nothing.
TEST(Contradictions, AreFound) {
  auto answer = AskAbout(JobOf({{StepOf(1, 0)}, Launched("a", 10, 20, 30)}));
  ASSERT_TRUE(answer.has_value());
  for (Report& report : answer->reports) {
    for (Metric& metric : report.metrics) {
      if (metric.key == "step_time_mean") metric.value = Cell(int64_t{1});
    }
  }
  EXPECT_FALSE(Contradictions(*answer).empty());
}

}  // namespace
}  // namespace stepscope::testing::consistency_test
