// Tests SQL of the page: its answers, its limits, and who ends what.
#include "server/sql_answer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/front_door.h"
#include "tests/our_duckdb.h"
#include "tests/scratch.h"

namespace stepscope::server::sql_answer_test {
namespace {

const Gone kThere = [] { return false; };

class SqlAnswerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { stepscope::testing::UseOurDuckDb(); }
  void SetUp() override {
    const auto answer = Ask("SELECT 1");
    if (!answer && answer.error().error.what.contains("DuckDB"))
      GTEST_SKIP() << answer.error().error.what;
  }
  // The JSON of an answer that is short enough to be sent as it is.
  Attempt<std::string> Ask(const std::string& sql, int64_t rows = 3, const Gone& gone = kThere) {
    const auto body = box_.Answer(
        {.statement = sql, .client = "a", .rows = rows, .question = {}, .runs = {{"job", run_}}},
        gone);
    if (!body) return std::unexpected(body.error());
    return (*body)->bytes;
  }

  const stepscope::testing::ScratchFolder folder_;
  std::shared_ptr<OpenRun> run_ = std::make_shared<OpenRun>(
      *Session::Open(std::vector{folder_.Write(
                         "t.json", stepscope::testing::Document(stepscope::testing::Kernels(5)))},
                     {.keep_events = true}));
  SqlBox box_{SqlLimits{.timeout = 20'000'000'000, .memory = 500'000'000}};
};

TEST_F(SqlAnswerTest, HasTypesRowsAndWhetherThereAreMore) {
  EXPECT_TRUE(
      Ask("SELECT 1 AS n, 0.5::DOUBLE AS r, 'x' AS s, true AS b, NULL::INT AS z")
          .value_or("none")
          .starts_with(
              R"({"columns":[{"name":"n","type":"whole"},{"name":"r","type":"real"},)"
              R"({"name":"s","type":"text"},{"name":"b","type":"boolean"},{"name":"z","type":"whole"}],)"
              R"("rows":[[1,0.5,"x",true,null]],"more":false,"notes":[)"));
  EXPECT_TRUE(Ask("FROM range(3)").value_or("").contains(R"([[0],[1],[2]],"more":false)"));
  EXPECT_TRUE(Ask("FROM range(4)").value_or("").contains(R"([[0],[1],[2]],"more":true)"));
  EXPECT_TRUE(
      Ask("SELECT run, count(*) FROM kernels GROUP BY run").value_or("").contains(R"(["job",5])"));
}

TEST_F(SqlAnswerTest, SaysWhatIsWrongAndWhere) {
  const auto answer = Ask("SELECT nme FROM kernels");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().status, 422);
  EXPECT_EQ(answer.error().error.where, "line 1: nme FROM kernels");
}

TEST_F(SqlAnswerTest, ChangesNothingAndReadsNoFile) {
  const std::string file = folder_.Write("secret.csv", "a\n1\n");
  for (const std::string& sql :
       {"SELECT * FROM '" + file + "'", std::string("DROP TABLE steps"),
        std::string("SET memory_limit = '900GB'"), "COPY (SELECT 1) TO '" + file + "'",
        std::string("INSTALL httpfs"), std::string("SELECT 1; SELECT 2"), std::string()}) {
    const auto answer = Ask(sql);
    EXPECT_FALSE(answer) << sql << answer.value_or("");
    if (!answer) {
      EXPECT_EQ(answer.error().status, 422) << sql;
    }
  }
  EXPECT_EQ(stepscope::testing::Content(file), "a\n1\n");
}

// 200 MB of it. Before an answer was bounded, one of 5 GB took two minutes.
TEST_F(SqlAnswerTest, RefusesMoreTextThanAPageShows) {
  const auto answer = Ask("SELECT repeat('x', 10000000) FROM range(20)", 50);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error.what, "the answer has too much text");
  EXPECT_TRUE(Ask("SELECT repeat('x', 1000000) FROM range(3)").has_value());
}

constexpr const char* kEndless = "SELECT count(*) FROM range(1000000000000) a, range(1000000) b";

TEST_F(SqlAnswerTest, EndsWhenItsClientIsGone) {
  std::atomic<int> looks = 0;
  const auto answer = Ask(kEndless, 3, [&] { return ++looks > 3; });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().status, 499);
}

TEST_F(SqlAnswerTest, ALaterStatementOfTheSameClientEndsTheOneBefore) {
  std::atomic<int> looks = 0;
  std::atomic<bool> ended = false;
  Attempt<std::string> first = "none";
  std::jthread slow([&] {
    first = Ask(kEndless, 3, [&] {
      ++looks;
      return false;
    });
    ended = true;
  });
  while (looks < 3 && !ended) std::this_thread::yield();
  EXPECT_TRUE(Ask("SELECT 7").value_or("").contains("[[7]]"));
  slow.join();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().status, 499);
}

}  // namespace
}  // namespace stepscope::server::sql_answer_test
