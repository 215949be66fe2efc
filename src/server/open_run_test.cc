// Tests questions to one run from many clients, some of which are gone.
#include "server/open_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "stepscope/demo.h"
#include "stepscope/write.h"
#include "tests/front_door.h"
#include "tests/scratch.h"

namespace stepscope::server::open_run_test {
namespace {

class OpenRunTest : public ::testing::Test {
 protected:
  OpenRunTest()
      : run_(*Session::Open(
            std::vector{folder_.Write("t.json", testing::Document(testing::Kernels(5)))},
            {.keep_events = true})) {}
  const testing::ScratchFolder folder_;
  OpenRun run_;
};

const Gone kThere = [] { return false; };

TEST_F(OpenRunTest, NothingIsBegunForWhoIsGone) {
  const auto answer = run_.Answer({}, [] { return true; });
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().status, 499);
}

// The same question is answered once, as long as the answer is kept.
TEST_F(OpenRunTest, KeepsAnswersByAllThatIsAsked) {
  const auto first = run_.Answer({.only = {"kernels"}}, kThere).value();
  EXPECT_EQ(run_.Answer({.only = {"kernels"}}, [] { return true; }).value(), first);
  EXPECT_NE(run_.Answer({.only = {"kernels"}, .ranks = {0}}, kThere).value(), first);
  EXPECT_NE(run_.Answer({.only = {"idle_time"}}, kThere).value(), first);
  EXPECT_NE(run_.Answer({.only = {"kernels"}, .steps = "complete"}, kThere).value(), first);
  for (int delay = 1; delay <= 100; ++delay) {
    const auto value = std::to_string(delay);
    ASSERT_TRUE(run_.Answer({.only = {"idle_time"},
                             .params = {{"idle_time.consecutive_kernel_delay", value}}},
                            kThere)
                    .has_value());
  }
  EXPECT_NE(run_.Answer({.only = {"kernels"}}, kThere).value(), first);  // made again
}

// Tables that are cut keep their first rows; those of ranks by steps have a grid beside them, which
// is made again where it was not kept.
TEST(OpenRun, HasGridsOfTablesThatItCuts) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", {.ranks = 4, .steps = 3}));
  const std::vector<std::string> paths = {folder.path() + "/job"};
  OpenRun run(*Session::Open(paths, {.keep_events = true}), paths[0], {.rows = 5});
  const auto head = run.Grid({}, "breakdown.matrix", kThere);
  ASSERT_TRUE(head.has_value()) << head.error().error.what;
  EXPECT_TRUE((*head)->bytes.contains(R"({"key":"rank","cells":[0,1,2,3]})")) << (*head)->bytes;
  const auto column = run.Grid({}, "breakdown.matrix.own", kThere);
  ASSERT_TRUE(column.has_value());
  EXPECT_EQ((*column)->type, "application/octet-stream");
  ASSERT_TRUE(run.Answer({}, kThere).has_value());
  EXPECT_EQ(run.Grid({}, "breakdown.matrix.own", kThere).value()->bytes, (*column)->bytes);
  for (const char* none : {"breakdown.matrix.rank", "breakdown.ranks", "nothing.at.all", ""})
    EXPECT_FALSE(run.Grid({}, none, kThere).has_value()) << none;
}

TEST_F(OpenRunTest, ManyMayAskAtOnce) {
  std::atomic<int> answered = 0;
  std::vector<std::jthread> askers;
  for (int k = 0; k < 8; ++k) {
    askers.emplace_back([&, k] {
      const auto answer = run_.Answer({.only = {k % 2 == 0 ? "kernels" : "idle_time"}}, kThere);
      answered += answer.has_value() ? 1 : 0;
      EXPECT_TRUE(run_.timeline()->Tile(0, 10, 0).has_value());
    });
  }
  askers.clear();
  EXPECT_EQ(answered, 8);
}

// A run of which every question takes some time.
class LongQuestionTest : public ::testing::Test {
 protected:
  LongQuestionTest()
      : run_(*Session::Open(
            std::vector{folder_.Write("t.json", testing::Document(testing::Kernels(300'000)))})) {}
  const testing::ScratchFolder folder_;
  OpenRun run_;
};

TEST_F(LongQuestionTest, IsGivenUpWhenWhoAskedGoes) {
  std::atomic<int> looks = 0;
  const auto answer = run_.Answer({}, [&] { return ++looks > 1; });
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().status, 499);
  looks = 0;
  const auto report = run_.Analyze({}, [&] { return ++looks > 1; });
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().status, 499);
  EXPECT_TRUE(run_.Answer({.only = {"kernels"}}, kThere).has_value());
}

TEST_F(LongQuestionTest, GoesOnWhileAnybodyWaitsForIt) {
  std::atomic<bool> first_waits = false, second_waits = false;
  std::jthread first(
      [&] { (void)run_.Answer({}, [&] { return first_waits = true, second_waits.load(); }); });
  while (!first_waits) std::this_thread::yield();
  const auto answer = run_.Answer({}, [&] { return second_waits = true, false; });
  first.join();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(run_.Answer({}, kThere).value(), *answer);
}

// Where the processors are busy, an answer may be ready before the last one has come and all have
// gone: then it's tried again. If those who leave stopped nothing, one would be answered every
// time.
TEST_F(LongQuestionTest, IsGivenUpWhenTheLastOfManyGoes) {
  int given_up = 0;
  for (int delay = 1; delay <= 20 && given_up < 4; ++delay) {
    const AnalyzeOptions question{
        .params = {{"idle_time.consecutive_kernel_delay", std::to_string(delay)}}};
    std::atomic<int> waiting = 0, went = 0;
    std::vector<std::jthread> askers;
    for (int k = 0; k < 4; ++k) {
      askers.emplace_back([&] {
        bool waits = false;
        const auto answer = run_.Answer(question, [&] {
          if (!std::exchange(waits, true)) ++waiting;
          return waiting == 4;
        });
        went += answer.has_value() ? 0 : 1;
      });
    }
    askers.clear();
    given_up = went;
  }
  EXPECT_EQ(given_up, 4);
}

}  // namespace
}  // namespace stepscope::server::open_run_test
