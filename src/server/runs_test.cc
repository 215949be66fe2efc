// Tests which runs are in memory.
#include "server/runs.h"

#include <gtest/gtest.h>

#include <thread>

#include "server/api.h"
#include "tests/front_door.h"
#include "tests/gzip.h"

namespace stepscope::server::runs_test {
namespace {

const Gone kThere = [] { return false; };

class RunsTest : public ::testing::Test {
 protected:
  RunsTest() {
    for (const char* name : {"a", "b", "c"}) {
      folder_.Write(std::string(name) + "/t.json", testing::Document(testing::Kernels(5)));
    }
  }
  // The states of a, b and c once nothing is being read and the first is not waiting.
  static std::string States(const Runs& runs) {
    std::string states;
    for (int k = 0; k < 400; ++k) {
      states.clear();
      for (const RunView& run : runs.List()) states += RunStateName(run.state).substr(0, 1);
      if (states.find('l') == states.npos && states.find('r') != states.npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return states;
  }
  const testing::ScratchFolder folder_;
};

TEST_F(RunsTest, AreReadFirstToLast) {
  Runs runs({.paths = {folder_.path()}});
  for (int k = 0; k < 400 && States(runs) != "rrr"; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(States(runs), "rrr");
}

// However little may be kept, one is, and none is read again and again without being asked for.
TEST_F(RunsTest, ThatAreTooLargeTogetherAreKeptOneAtATime) {
  Runs runs({.paths = {folder_.path()}, .keep_bytes = 1});
  for (const size_t which : {0u, 2u, 1u, 2u}) {
    const auto run = runs.Get(runs.List().at(which).id, kThere);
    ASSERT_TRUE(run.has_value());
    std::string alone = "www";
    alone[which] = 'r';
    EXPECT_EQ(States(runs), alone);
  }
}

// One that is read though nobody asked gives way, and is read afterwards.
TEST_F(RunsTest, ThatAreAskedForAreReadFirst) {
  folder_.Write("a/t.json", testing::Document(testing::Kernels(300'000)));
  Runs runs({.paths = {folder_.path()}});
  while (runs.List().at(0).state == RunState::kWaiting) std::this_thread::yield();
  ASSERT_TRUE(runs.Get(runs.List().at(2).id, kThere).has_value());
  EXPECT_NE(runs.List().at(0).state, RunState::kReady);
  ASSERT_TRUE(runs.Get(runs.List().at(0).id, kThere).has_value());
}

TEST_F(RunsTest, HaveTheLimitsOfTheServer) {
  folder_.Write("a/t.json", testing::Document(testing::Kernels(5)));
  folder_.Write("b/t.json", testing::Gzip(testing::Document(testing::Kernels(30'000))));
  Runs runs({.paths = {folder_.path()}, .max_input = 1'000'000, .most = {.names = 7}});
  const auto refused = runs.Get(runs.List().at(1).id, kThere);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().error.hint.contains("`max_input`")) << refused.error().error.hint;
  EXPECT_TRUE(runs.Get(runs.List().at(0).id, kThere).has_value());
}

TEST_F(RunsTest, NobodyWaitsForOneWhenItIsOver) {
  Runs runs({.paths = {folder_.path()}, .keep = 1});
  runs.Stop();
  const auto last = runs.Get(runs.List().at(2).id, kThere);
  EXPECT_TRUE(last.has_value() || last.error().status == kNotYet);
  EXPECT_EQ(runs.Get("nothing", kThere).error().status, 404);
}

TEST_F(RunsTest, WhoWaitsTooLongIsToldToAskAgain) {
  folder_.Write("a/t.json", testing::Document(testing::Kernels(300'000)));
  Runs runs({.paths = {folder_.path()}, .patience = std::chrono::milliseconds(0)});
  const std::string first = runs.List().at(0).id;
  Dropped dropped;
  Ledgers ledgers({});
  Captures captures(runs);
  Snapshots snapshots;
  SqlBox sql({});
  const Api api(Gate("127.0.0.1", 80, "secret"), runs, dropped, ledgers, snapshots, captures, sql,
                {});
  const Request request{.method = "GET",
                        .target = "/api/runs/" + first + "/timeline",
                        .headers = {{"Host", "127.0.0.1:80"}, {"Authorization", "Bearer secret"}}};
  const Response told = api.Answer(request);
  EXPECT_EQ(told.status, 202);
  EXPECT_EQ(told.headers, (decltype(told.headers){{"Retry-After", "1"}}));
  EXPECT_NE(told.body->bytes.find(R"({"what": "this run is still being read", "where": "a",)"),
            std::string::npos)
      << told.body->bytes;
  Response answer = told;
  for (int k = 0; k < 6000 && answer.status == 202; ++k) {  // a minute: the machine may be busy
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    answer = api.Answer(request);
  }
  EXPECT_EQ(answer.status, 200);
}

TEST_F(RunsTest, WhoIsGoneWaitsForNone) {
  Runs runs({.paths = {folder_.path()}, .keep = 1});
  States(runs);
  const auto last = runs.Get(runs.List().at(2).id, [] { return true; });
  EXPECT_TRUE(last.has_value() || last.error().status == 499);
}

}  // namespace
}  // namespace stepscope::server::runs_test
