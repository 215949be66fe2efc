// Asks SQL as a user does. Skipped where DuckDB is not there.
#include "stepscope/query.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/demo.h"
#include "stepscope/events.h"
#include "tests/our_duckdb.h"
#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::query_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrace = R"({"distributedInfo": {"rank": 0}, "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "say \"hi\"\nnow", "pid": 0, "tid": 7, "ts": 1.0, "dur": 2.5, "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "=1+1", "pid": 0, "tid": 7, "ts": 4.0, "dur": 1.0, "args": {"device": 0, "stream": 7, "correlation": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 0.5, "dur": 0.1, "args": {"correlation": 1}}
]})";

// A job with events of every kind, made once.
class QueryTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    UseOurDuckDb();
    job_ = new ScratchFolder();
    ASSERT_TRUE(
        WriteDemo(job_->path() + "/job", {.ranks = 3, .steps = 4, .layers = 4}).has_value());
    job_->Write("names/rank0.json", kTrace);
  }
  static void TearDownTestSuite() { delete job_; }
  void SetUp() override {
    const auto rows = Query(std::vector{Job()}, "SELECT 1");
    if (!rows && rows.error().what.contains("DuckDB")) GTEST_SKIP() << rows.error().what;
  }

  static std::string Job() { return job_->path() + "/job"; }
  static std::string Names() { return job_->path() + "/names"; }

  // What the command prints, `options` among it.
  static Outcome Ask(const std::string& path, const std::string& sql,
                     const std::string& options = "") {
    const std::string file = job_->Write("question.sql", sql);
    return Shell("stepscope query " + options + " " + path + " - < " + file);
  }
  static std::string Csv(const std::string& path, const std::string& sql) {
    const Outcome outcome = Ask(path, sql, "--format csv");
    EXPECT_EQ(outcome.code, 0) << sql << outcome.err;
    return outcome.out;
  }
  static void ExpectRefused(const std::string& sql, const std::string& what) {
    const Outcome outcome = Ask(Job(), sql);
    EXPECT_EQ(outcome.code, 2) << sql;
    EXPECT_EQ(outcome.out, "") << sql;
    EXPECT_TRUE(outcome.err.contains(what)) << sql << outcome.err;
    EXPECT_TRUE(outcome.err.contains("try:")) << sql << outcome.err;
  }

 private:
  static ScratchFolder* job_;
};
ScratchFolder* QueryTest::job_ = nullptr;

TEST_F(QueryTest, EveryQueryOfTheDocumentationHasRows) {
  std::string page = Content(SourceDir() + "/docs/query.md");
  int asked = 0;
  constexpr std::string_view kBegin = "```sql\n";
  for (size_t at = page.find(kBegin); at != page.npos; at = page.find(kBegin, at)) {
    at += kBegin.size();
    const std::string sql = page.substr(at, page.find("```", at) - at);
    auto rows = Query(std::vector{Job()}, sql);
    ASSERT_TRUE(rows.has_value()) << sql << rows.error().what << rows.error().where;
    const auto first = rows->Next();
    ASSERT_TRUE(first.has_value()) << sql << first.error().what;
    EXPECT_GT(first->rows, 0) << sql;
    ++asked;
  }
  EXPECT_GE(asked, 20);
}

TEST_F(QueryTest, ColumnsOfEventsHaveTheTypeThatIsPromised) {
  std::string cells;
  for (const std::string& name : EventTable::ColumnNames()) {
    cells += cells.empty() ? "" : ", ";
    cells += "count(\"" + name + "\"), any_value(\"" + name + "\")";
  }
  auto rows = Query(std::vector{Job()}, "SELECT " + cells + " FROM events");
  ASSERT_TRUE(rows.has_value()) << rows.error().what;
  const auto part = rows->Next();
  ASSERT_TRUE(part.has_value()) << part.error().what;
  EXPECT_EQ(Csv(Names(),
                "SELECT column_name, column_type FROM (DESCRIBE events) "
                "WHERE column_name IN ('start', 'name', 'device', 'bandwidth')"),
            "column_name,column_type\r\nname,VARCHAR\r\nstart,BIGINT\r\ndevice,SMALLINT\r\n"
            "bandwidth,DOUBLE\r\n");
}

TEST_F(QueryTest, TimesAreWholeNanosecondsAndWhatIsMissingIsNull) {
  EXPECT_EQ(Csv(Names(), "SELECT duration, stream, thread, launch FROM events ORDER BY start"),
            "duration,stream,thread,launch\r\n100,,1,\r\n2500,7,,2\r\n1000,7,,\r\n");
  EXPECT_EQ(Csv(Names(), "SELECT count(*) AS n FROM kernels"), "n\r\n2\r\n");
}

TEST_F(QueryTest, NamesFromTracesAreData) {
  const std::string sql = "SELECT name FROM kernels ORDER BY start";
  EXPECT_EQ(Csv(Names(), sql), "name\r\n\"say \"\"hi\"\"\\nnow\"\r\n'=1+1\r\n");
  EXPECT_EQ(Ask(Names(), sql).out, "name\nsay \"hi\"\\nnow\n=1+1\n2 rows\n");
  EXPECT_EQ(Ask(Names(), sql, "--format json").out,
            "[\n{\"name\": \"say \\\"hi\\\"\\nnow\"},\n{\"name\": \"=1+1\"}\n]\n");
}

TEST_F(QueryTest, SeveralRunsHaveTheirNames) {
  EXPECT_EQ(Csv(Names() + " " + Job(), "SELECT count(DISTINCT run) AS runs FROM events"),
            "runs\r\n2\r\n");
  EXPECT_EQ(Csv(Names() + "/..", "SELECT count(*) AS n FROM runs"), "n\r\n2\r\n");
}

TEST_F(QueryTest, EveryTypeIsPrinted) {
  EXPECT_EQ(Csv(Names(),
                "SELECT true AS b, NULL AS n, 0.5 AS d, [1, 2] AS l, DATE '2026-01-01' AS "
                "t, 3::UBIGINT AS u, sum(4) AS u, 1e300 * 1e300 AS i"),
            "b,n,d,l,t,u,u_2,i\r\ntrue,,0.5,\"[1, 2]\",2026-01-01,3,4,inf\r\n");
  ExpectRefused("SELECT 18446744073709551615::UBIGINT AS u", "more than 64 bits");
}

TEST_F(QueryTest, AnEmptyAnswerHasItsColumns) {
  EXPECT_EQ(Ask(Names(), "SELECT name, start FROM events WHERE false").out,
            "name  start\n0 rows\n");
  EXPECT_EQ(Ask(Names(), "SELECT name FROM events WHERE false", "--format json").out, "[]\n");
}

TEST_F(QueryTest, MistakesAreExplained) {
  ExpectRefused("SELECT nme FROM events", "Candidate bindings: \"name\"");
  ExpectRefused("SELECT * FROM kernls", "did you mean 'kernels'?");
  ExpectRefused("SELECT * FROM kernels.tpo", "did you mean 'kernels.top'?");
  ExpectRefused("SELECT * FROM stragglrs.ranks", "did you mean 'stragglers'?");
  ExpectRefused("SELEC 1", "syntax error");
  ExpectRefused("", "there is no query");
  ExpectRefused("SELECT ?", "parameters");
  const Outcome none = Ask(Names(), "SELECT * FROM memory_profile.devices");
  EXPECT_TRUE(none.err.contains("memory_profile has no tables here")) << none.err;
  const ScratchFolder folder;
  const Outcome steps = Ask(folder.Write("t.json", R"({"traceEvents": []})"), "FROM steps");
  EXPECT_TRUE(steps.err.contains("steps has no tables here")) << steps.err;
}

TEST_F(QueryTest, NothingIsWrittenAndNoFileIsReached) {
  for (const char* sql :
       {"SELECT * FROM read_csv('/etc/passwd')", "FROM '/etc/passwd'", "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO '/tmp/stepscope-never'", "ATTACH '/tmp/stepscope-never'",
        "INSTALL httpfs", "LOAD httpfs", "PRAGMA enable_profiling", "SET threads = 1",
        "CREATE TABLE t AS SELECT 1", "INSERT INTO events SELECT * FROM events", "DROP VIEW events",
        "CALL enable_logging(storage = 'file', storage_path = '/tmp/stepscope-never')",
        "EXPORT DATABASE '/tmp/stepscope-never'", "SELECT 1; SELECT 2",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/stepscope-never'"}) {
    ExpectRefused(sql, "stepscope: ");
  }
  EXPECT_FALSE(fs::exists("/tmp/stepscope-never"));
}

TEST_F(QueryTest, LimitsHold) {
  const Outcome late =
      Ask(Names(), "WITH RECURSIVE t AS (SELECT 1 UNION ALL FROM t) SELECT count(*) FROM t",
          "--timeout 300ms");
  EXPECT_TRUE(late.err.contains("took longer than 0.3 s")) << late.err;
  const Outcome large =
      Ask(Names(), "SELECT count(DISTINCT x) FROM range(100000000) t(x)", "--memory-limit 50MB");
  EXPECT_TRUE(large.err.contains("more memory")) << large.err;
  EXPECT_EQ(Ask(Names(), "FROM range(100000)", "--limit 2").out,
            "range\n    0\n    1\n2 rows; more were left out by the limit\n");
  EXPECT_EQ(Shell("stepscope query " + Names() + " 'FROM range(10000000)' | head -n 1").out,
            "range\n");
}

TEST_F(QueryTest, FilesAppearWhole) {
  const ScratchFolder out;
  for (const char* name : {"a.arrow", "a.parquet", "a.csv", "a.json"}) {
    const std::string file = out.path() + "/" + name;
    EXPECT_EQ(Ask(Names(), "SELECT *, true AS yes FROM events", "-o " + file).code, 0);
    EXPECT_GT(fs::file_size(file), 100);
  }
  EXPECT_TRUE(Content(out.path() + "/a.arrow").ends_with("ARROW1"));
  EXPECT_TRUE(Content(out.path() + "/a.parquet").ends_with("PAR1"));
  EXPECT_EQ(
      Ask(Names(), "SELECT 18446744073709551615::UBIGINT", "-o " + out.path() + "/b.parquet").code,
      2);
  EXPECT_EQ(std::distance(fs::directory_iterator(out.path()), fs::directory_iterator()), 4);
}

TEST_F(QueryTest, NoTraceIsWrittenOver) {
  const std::string trace = Names() + "/rank0.json";
  EXPECT_TRUE(Ask(Names(), "SELECT 1", "-o " + trace).err.contains("cannot write over"));
  EXPECT_EQ(Content(trace), kTrace);
}

TEST_F(QueryTest, ADamagedTraceIsTold) {
  const ScratchFolder folder;
  folder.Write("rank0.json", kTrace.substr(0, kTrace.size() - 60));
  const Outcome outcome = Ask(folder.path(), "SELECT count(*) AS n FROM events", "--format csv");
  EXPECT_TRUE(outcome.out.starts_with("n\r\n")) << outcome.out;
  EXPECT_TRUE(outcome.err.contains("note: ")) << outcome.err;
}

TEST_F(QueryTest, TheSchemaNamesTablesWithUnits) {
  const Outcome schema = Shell("stepscope query --schema --format csv " + Job());
  EXPECT_TRUE(schema.out.contains("events,duration,BIGINT,ns")) << schema.err;
  EXPECT_TRUE(schema.out.contains("kernels.top,total,BIGINT,ns")) << schema.err;
}

TEST_F(QueryTest, EveryTableBecomesParquet) {
  const ScratchFolder out;
  const Outcome written = Shell("stepscope export --parquet " + Job() + " -o " + out.path());
  EXPECT_EQ(written.code, 0) << written.err;
  for (const char* name : {"events/rank_0.parquet", "events/rank_1.parquet", "kernels.top.parquet",
                           "findings.parquet", "steps.steps.parquet"}) {
    EXPECT_TRUE(Content(out.path() + "/" + name).ends_with("PAR1")) << name;
  }
}

TEST(QueryWithoutDuckDbTest, SaysHowToGetIt) {
  const ScratchFolder folder;
  const std::string trace = folder.Write("rank0.json", kTrace);
  const Outcome none =
      Shell("STEPSCOPE_DUCKDB=/none/libduckdb.so stepscope query " + trace + " 'SELECT 1'");
  ExpectError(none, "cannot load DuckDB", "set it to the path of libduckdb.so");
}

}  // namespace
}  // namespace stepscope::testing::query_test
