// Checks a ledger in a real PostgreSQL, started by tests/postgres/real_postgres.sh: the same
// answers as from files, and no loss or duplicates after kills.
#include "tests/goodput_postgres.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

#include "goodput/ledger/postgres.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_postgres_test {
namespace {

using goodput::Event;
using goodput::Postgres;

// --- The same answers.

TEST_F(GoodputPostgres, AnswersLikeFiles) {
  size_t vectors = 0;
  for (const std::string& vector : VectorFiles()) {
    SCOPED_TRACE(vector);
    const ScratchFolder folder;
    const std::string file = EventsFileOf(vector, folder);
    ExpectToAnswerAsTheFile(store_, file);
    ExpectRollingUpToChangeNothing(store_, file);
    Forget();
    ++vectors;
  }
  if (vectors == 0) GTEST_SKIP() << "no vectors were tested: there is no ../shared";
  EXPECT_GT(vectors, 50u);
}

TEST_F(GoodputPostgres, ImportingAgainIsHarmless) {
  ImportText(TestJob().substr(0, TestJob().find('\n', 9000) + 1));  // the file was still growing
  const size_t half = EventsIn(store_).size();
  EXPECT_GT(half, 90u);
  EXPECT_LT(half, 200u);
  EXPECT_EQ(MetricOf(ImportText(TestJob()), "known"), static_cast<int64_t>(half));
  EXPECT_EQ(EventsIn(store_), EventsOf(folder_.path() + "/events.jsonl"));
  EXPECT_EQ(MetricOf(ImportText(TestJob()), "imported"), 0);
  EXPECT_EQ(EventsIn(store_).size(), 383u);
  // What is rolled up does not come back.
  const std::string whole = Numbers(GoodputReport({.store = store_}), false);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 300 * kSecond}));
  EXPECT_EQ(MetricOf(ImportText(TestJob()), "imported"), 0);
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), whole);
  EXPECT_FALSE(GoodputExport({.store = store_}, [](std::string_view) { return Result<void>(); }));
}

TEST_F(GoodputPostgres, ExportGivesWhatWasImported) {
  const std::string file = folder_.Write("events.jsonl", TestJob());
  Import({file});
  EXPECT_EQ(EventsOf(Export(GoodputExportFormat::kJsonLines, "out.jsonl")), EventsOf(file));
  std::ifstream in(Export(GoodputExportFormat::kOpenMetrics, "out.prom"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(text.contains("{training_job=\"j\",bucket=\"PRODUCTIVE\"} 330.000000000\n")) << text;
}

// Names may be any bytes; answers are cached.
TEST_F(GoodputPostgres, JobsAreListed) {
  const std::string odd = "z\\u0000'\\\"ß";
  ImportText(TestJob() + Entry(At("job_start_time", 5), odd) + Entry(At("job_end_time", 9), odd));
  // As if imported long ago: nobody writes any more.
  Sql("UPDATE stepscope.segments SET changed = 0");
  for (const int64_t kept : {0, 3}) {
    EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.attempts"), kept);
    const auto answer = GoodputJobs(store_);
    ASSERT_TRUE(answer) << answer.error().what;
    const auto rows = RowsOf(*answer, "goodput_jobs", "jobs");
    ASSERT_EQ(rows.size(), 2u);  // the worst first
    EXPECT_EQ(rows[1].Text("job"), "j");
    EXPECT_EQ(rows[1].Int("first"), kBegin);
    EXPECT_EQ(rows[1].Int("last"), kBegin + 400 * kSecond);
    EXPECT_EQ(rows[1].Int("events"), 383);
    EXPECT_EQ(rows[1].Int("attempts"), 2);
    EXPECT_NEAR(rows[1].Real("goodput_ratio"), 330.0 / 400, 1e-12);
    EXPECT_EQ(rows[1].Text("state"), "ended");
    EXPECT_EQ(rows[0].Text("job"), std::string("z\0'\"ß", 6));
    EXPECT_EQ(MetricOf(*GoodputReport({.store = store_, .job = rows[0].Text("job")}), "total"),
              4 * kSecond);
  }
}

TEST_F(GoodputPostgres, DamageLosesOnlyItsEvent) {
  ImportText(TestJob());
  Sql("UPDATE stepscope.pieces SET bytes = set_byte(bytes, 8192 + 100 * 32 + 9, 85)");
  EXPECT_EQ(EventsIn(store_).size(), 382u);
  const auto answer = GoodputReport({.store = store_});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reports[0].notes.at(0).name, "bad_record");
  // The import puts back what is missing.
  EXPECT_EQ(MetricOf(ImportText(TestJob()), "imported"), 1);
}

// --- Many at once, and killed.

TEST_F(GoodputPostgres, ConcurrentImportsStoreOnce) {
  const std::string file = Job(100'000);
  std::vector<pid_t> importers;
  for (int k = 0; k < 4; ++k) {
    importers.push_back(Start({"goodput", "import", file, "--store", store_}));
  }
  for (const pid_t importer : importers) EXPECT_EQ(End(importer), 0) << Output();
  EXPECT_EQ(Events(), EventsOf(file));
}

// Whoever asks sees a moment: an import that is not over does not count, and holds nobody up.
TEST_F(GoodputPostgres, ReadersDoNotBlock) {
  ImportText(TestJob());
  auto writer = Postgres::Open(store_);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->Begin(goodput::Access::kWrite));
  ASSERT_TRUE((*writer)->Run("DELETE FROM pieces"));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(MetricOf(*GoodputReport({.store = store_}), "total"), 400 * kSecond);
  EXPECT_EQ(MetricOf(*GoodputJobs(store_), "events"), 383);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST_F(GoodputPostgres, KilledImportLeavesNothing) {
  const std::string first = Job(1000), all = Job(100'000);
  Import({first});
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t importer = Start({"goodput", "import", all, "--store", store_});
    SleepUpTo(120'000);
    kill(importer, SIGKILL);
    if (End(importer) == -1) ++killed;
    const size_t has = Events().size();
    EXPECT_TRUE(has == 1001 || has == 100'001) << has;
    if (has == 1001) continue;
    Forget();
    Import({first});
  }
  EXPECT_GT(killed, 5);
  Import({all});
  EXPECT_EQ(Events(), EventsOf(all));
}

TEST_F(GoodputPostgres, KilledCompactionChangesNothing) {
  Import({Job(100'000)});
  const std::string before = Numbers(GoodputReport({.store = store_}), false);
  for (int round = 0; round < 12; ++round) {
    const pid_t compaction =
        Start({"goodput", "compact", "--store", store_, "--keep-raw", round < 11 ? "1s" : "0s"});
    SleepUpTo(80'000);
    kill(compaction, SIGKILL);
    End(compaction);
    EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), before) << round;
  }
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), before);
  EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.pieces"), 0);
}

// --- The server goes down.

TEST_F(GoodputPostgres, CommittedEventsSurviveAServerKill) {
  std::string acknowledged = Job(1000);
  Import({acknowledged});
  int failed = 0;
  for (int64_t steps = 40'000; steps <= 400'000; steps += 40'000) {
    const std::string file = Job(steps);
    const pid_t importer = Start({"goodput", "import", file, "--store", store_});
    SleepUpTo(200'000);
    Control("stop -m immediate");
    const int code = End(importer);
    Control("start");
    if (code == 0) acknowledged = file;
    if (code == 0) continue;
    ++failed;
    EXPECT_EQ(code, 2);
    EXPECT_TRUE(Output().contains("database")) << Output();
    EXPECT_FALSE(Output().contains("pass%word")) << Output();
    const std::vector<Event> events = Events();
    if (events != EventsOf(acknowledged)) {
      EXPECT_EQ(events, EventsOf(file)) << "only what was committed and not answered may be more";
    }
  }
  EXPECT_GT(failed, 2);
  const std::string all = Job(400'000);
  Import({all});
  EXPECT_EQ(Events(), EventsOf(all));
}

TEST_F(GoodputPostgres, RetriesALostConnection) {
  const std::string file = Job(400'000);
  const pid_t importer = Start({"goodput", "import", file, "--store", store_});
  const char* const end =
      "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
      " application_name = 'stepscope' AND pid <> pg_backend_pid() AND query LIKE 'INSERT%') x";
  int64_t ended = 0;
  for (int tries = 0; tries < 5000 && ended == 0; ++tries) ended = Sql(end);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(End(importer), 0) << Output();
  EXPECT_EQ(Events(), EventsOf(file));
}

TEST_F(GoodputPostgres, UnreachableDatabaseIsAnError) {
  const std::string file = folder_.Write("events.jsonl", TestJob());
  const auto none = GoodputReport({.store = store_});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "cannot open the ledger: this database has none");
  EXPECT_FALSE(GoodputCompact({.store = store_}));
  EXPECT_EQ(Sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'stepscope'"), 0);
  Import({file});
  Control("stop -m immediate");
  const std::vector<std::optional<Error>> errors = {
      GoodputReport({.store = store_}).error(), GoodputJobs(store_).error(),
      GoodputImport(store_, {file}).error(), GoodputCompact({.store = store_}).error(),
      GoodputExport({.store = store_}, [](std::string_view) { return Result<void>(); }).error()};
  Control("start");
  for (const auto& error : errors) {
    EXPECT_TRUE(error->what.starts_with("cannot connect to the database: ")) << error->what;
    EXPECT_TRUE(error->where.starts_with("postgresql://tester@127.0.0.1:")) << error->where;
    EXPECT_FALSE((error->what + error->where + error->hint).contains("pass%word"));
    EXPECT_FALSE(error->hint.empty());
  }
  EXPECT_EQ(Events().size(), 383u);
}

TEST_F(GoodputPostgres, PasswordsAreNotPrinted) {
  const size_t at = store_.find('@');
  for (const std::string password : {"hunter2", "hun/ter2", "hun@ter2", "12/hunter2", "hun:ter2",
                                     "hun#ter2", "hun?ter2", "hun%zzter2"}) {
    const auto answer =
        GoodputReport({.store = "postgresql://tester:" + password + store_.substr(at)});
    ASSERT_FALSE(answer) << password;
    const std::string all = answer.error().what + answer.error().where + answer.error().hint;
    EXPECT_FALSE(all.contains("ter2")) << all;
  }
  const pid_t mistaken =
      Start({"goodput", "jobs", "--store", "x", "postgresql://me:hun@ter2@host/x"});
  EXPECT_EQ(End(mistaken), 2);
  EXPECT_TRUE(Output().contains("@host/x")) << Output();
  EXPECT_FALSE(Output().contains("hun") || Output().contains("ter2")) << Output();
}

// A user with read rights only.
TEST_F(GoodputPostgres, ReadOnlyUsersCanQuery) {
  const std::string file = folder_.Write("events.jsonl", TestJob());
  Import({file});
  if (Sql("SELECT 1 FROM pg_roles WHERE rolname = 'reader'") != 1) {
    Sql("CREATE ROLE reader LOGIN PASSWORD 'read.only'");
  }
  std::string address = store_;
  address.replace(0, store_.find('@'), "postgresql://reader:read.only");
  const auto outside = GoodputReport({.store = address});
  ASSERT_FALSE(outside);
  EXPECT_TRUE(outside.error().hint.contains("stepscope")) << outside.error().what;
  Sql("GRANT USAGE ON SCHEMA stepscope TO reader");
  Sql("GRANT SELECT ON ALL TABLES IN SCHEMA stepscope TO reader");
  EXPECT_EQ(Numbers(GoodputReport({.store = address})), Numbers(GoodputReport({.files = {file}})));
  EXPECT_TRUE(GoodputJobs(address));
  const auto import =
      GoodputImport(address, {folder_.Write("more.jsonl", Entry(At("job_start_time", 500)))});
  ASSERT_FALSE(import);
  EXPECT_TRUE(import.error().what.contains("permission denied")) << import.error().what;
}

}  // namespace
}  // namespace stepscope::testing::goodput_postgres_test
