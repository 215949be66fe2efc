// Tests reading and questions that are canceled.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "stepscope/demo.h"
#include "stepscope/goodput_report.h"
#include "stepscope/whatif.h"
#include "tests/front_door.h"
#include "tests/paths.h"

namespace stepscope::testing::stop_test {
namespace {

std::stop_token AlreadyStopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

TEST(Stop, NothingIsReadOnceItWasAsked) {
  const ScratchFolder folder;
  const auto path = folder.Write("t.json", Document(Kernels(5)));
  const auto session = Session::Open(std::vector{path}, {.stop = AlreadyStopped()});
  ASSERT_FALSE(session);
  EXPECT_TRUE(session.error().what.contains("canceled")) << session.error().what;
}

// A pipe, so that the request comes when some of the file was read and some was not.
TEST(Stop, ReadingEndsInTheMiddle) {
  std::signal(SIGPIPE, SIG_IGN);
  const ScratchFolder folder;
  const std::string path = folder.path() + "/t.json";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread writer([&] {
    std::ofstream pipe(path);
    pipe << R"({"traceEvents":[)";
    const auto write_events = [&] {
      for (int k = 0; k < 20'000; ++k) pipe << Kernel("gemm", k * 10, 5) << ",\n";
    };
    write_events();
    stop.request_stop();
    write_events();
    pipe << Kernel("gemm", 0, 5) << "]}";
  });
  const auto session = Session::Open(std::vector{path}, {.threads = 1, .stop = stop.get_token()});
  ASSERT_FALSE(session);
  EXPECT_TRUE(session.error().what.contains("canceled")) << session.error().what;
}

class StopAnalysis : public ::testing::Test {
 protected:
  StopAnalysis() {
    EXPECT_TRUE(WriteDemo(folder_.path(), {}).has_value());
    session_.emplace(*Session::Open(std::vector{folder_.path()}));
    whole_ = ToJson(*session_->Analyze());
  }
  const ScratchFolder folder_;
  std::optional<Session> session_;
  std::string whole_;
};

TEST_F(StopAnalysis, NoQuestionIsBegunOnceItWasAsked) {
  const auto answer = session_->Analyze({.stop = AlreadyStopped()});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("canceled")) << answer.error().what;
  EXPECT_EQ(ToJson(*session_->Analyze()), whole_);
  // What is wrong with a question is said all the same.
  const auto wrong = session_->Analyze({.steps = "nine", .stop = AlreadyStopped()});
  EXPECT_FALSE(wrong.error().what.contains("canceled"));
}

// Whenever the request comes, there is the whole answer or none, and the next one is right.
TEST_F(StopAnalysis, AQuestionEndsInTheMiddle) {
  int given_up = 0;
  for (int k = 0; k < 40; ++k) {
    std::stop_source stop;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(k * 250));
      stop.request_stop();
    });
    const auto answer = session_->Analyze({.stop = stop.get_token()});
    if (answer) {
      EXPECT_EQ(ToJson(*answer), whole_);
    } else {
      EXPECT_TRUE(answer.error().what.contains("canceled")) << answer.error().what;
      ++given_up;
    }
  }
  EXPECT_GT(given_up, 0);
  EXPECT_EQ(ToJson(*session_->Analyze()), whole_);
}

// Sixteen thousand events are looked at before the first look at the request.
TEST(Stop, AReportOnGoodputIsGivenUp) {
  const ScratchFolder folder;
  std::string lines = R"({"job_name":"llm","job_start_time":1780000000})";
  for (int step = 0; step < 40'000; ++step) {
    lines += fmt::format("\n{{\"job_name\":\"llm\",\"step_count\":{},\"step_start_time\":{}}}",
                         step, 1'780'000'000 + step);
  }
  const GoodputReportOptions options{.files = {folder.Write("job.jsonl", lines)}};
  ASSERT_TRUE(GoodputReport(options));
  GoodputReportOptions stopped = options;
  stopped.stop = AlreadyStopped();
  const auto answer = GoodputReport(stopped);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("canceled")) << answer.error().what;
}

TEST(Stop, TheQuestionForStragglersIsGivenUp) {
  const ScratchFolder folder;
  const std::vector<std::string> traces = {folder.Write("t.json", Document(Kernels(5)))};
  const std::vector<std::string> operations = {SourceDir() +
                                               "/tests/data/operations/trace-planted.parquet"};
  for (const auto& paths : {traces, operations}) {
    EXPECT_TRUE(WhatIfStragglers(paths));
    const auto answer = WhatIfStragglers(paths, {.stop = AlreadyStopped()});
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().what.contains("canceled")) << answer.error().what;
  }
}

}  // namespace
}  // namespace stepscope::testing::stop_test
