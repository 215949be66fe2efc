// Publishes to PostgreSQL: tables of the schema `goodput`, partitioned by month. A transaction
// replaces the rows of some jobs; publications wait for each other.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "goodput/ledger/postgres.h"
#include "goodput/publish/row_store.h"
#include "goodput/rows/job_rows.h"

namespace stepscope::goodput {
namespace {

// "stpsrows": publications hold this advisory lock.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(8319398998234625907)";

constexpr const char* kSettings =
    "SELECT set_config('search_path', 'goodput', true), set_config('lock_timeout', '60s', true),"
    " set_config('synchronous_commit', 'on', true),"
    " set_config('client_min_messages', 'error', true)";

constexpr const char* kPostgresTables[] = {
    "CREATE TABLE IF NOT EXISTS published (ledger TEXT NOT NULL, job TEXT NOT NULL,"
    " version BIGINT NOT NULL, signature TEXT NOT NULL, started BIGINT NOT NULL,"
    " PRIMARY KEY (ledger, job))",
    "CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
};

std::string PostgresTypeOf(const GoodputRowColumn& column) {
  const char* type = column.type == GoodputRowType::kText      ? "TEXT"
                     : column.type == GoodputRowType::kInteger ? "BIGINT"
                     : column.type == GoodputRowType::kReal    ? "DOUBLE PRECISION"
                                                               : "DATE";
  return fmt::format("{} {}{}", column.name, type, column.known ? " NOT NULL" : "");
}

std::vector<std::string> PostgresTablesOf(const GoodputRowTableInfo& info) {
  std::string columns;
  for (const GoodputRowColumn& column : info.columns)
    columns += (columns.empty() ? "" : ", ") + PostgresTypeOf(column);
  std::vector<std::string> all{fmt::format("CREATE TABLE IF NOT EXISTS {} ({}){}", info.name,
                                           columns,
                                           HasDays(info) ? " PARTITION BY RANGE (day)" : "")};
  if (HasDays(info))
    all.push_back(
        fmt::format("CREATE INDEX IF NOT EXISTS {0}_of_job ON {0} (ledger, job)", info.name));
  return all;
}

// "jobs_2026_05"
std::string PartitionOf(std::string_view table, int64_t month) {
  return fmt::format("{}_{:04}_{:02}", table, month / 12, month % 12 + 1);
}

// The month of a partition's name; absent: it is none of ours.
std::optional<int64_t> MonthIn(std::string_view partition, std::string_view table) {
  if (partition.size() != table.size() + 8 || !partition.starts_with(table)) return std::nullopt;
  int64_t year = 0, month = 0;
  const char* const at = partition.data() + table.size() + 1;
  std::from_chars(at, at + 4, year);
  std::from_chars(at + 5, at + 7, month);
  const int64_t found = year * 12 + month - 1;
  return PartitionOf(table, found) == partition ? std::optional(found) : std::nullopt;
}

class PostgresRows : public RowStore {
 public:
  explicit PostgresRows(std::string address)
      : address_(std::move(address)), name_(NameOfPostgres(address_)) {}

  const std::string& name() const override { return name_; }

  Result<void> Open() override {
    auto db = Postgres::Open(address_);
    if (!db) return std::unexpected(db.error());
    db_ = std::move(*db);
    return InTransaction([this] { return MakeAll(); });
  }

  Result<std::vector<PublishedJob>> Published() override {
    std::vector<PublishedJob> jobs;
    const auto read = db_->Run(
        "SELECT convert_to(ledger, 'UTF8'), convert_to(job, 'UTF8'), version,"
        " convert_to(signature, 'UTF8'), started FROM goodput.published",
        {}, [&](const Database::Row& row) {
          jobs.push_back({.ledger = row.Text(0),
                          .job = row.Text(1),
                          .version = row.Integer(2),
                          .signature = row.Text(3),
                          .started = row.Integer(4)});
        });
    if (!read) return std::unexpected(read.error());
    return jobs;
  }

  Result<std::optional<int64_t>> KeptFrom() override {
    return Setting("goodput.settings", "kept_from");
  }

  std::string LastCell(int64_t) const override { return ""; }

  Result<std::set<std::string>> Put(const std::vector<PublishedJob>& jobs,
                                    const RowText& rows) override {
    std::set<std::string> later;
    const auto done = InTransaction([&]() -> Result<void> {
      if (auto asked = AddLater(jobs, later); !asked || !later.empty()) return asked;
      if (auto removed = Remove(jobs); !removed) return removed;
      for (const GoodputRowTableInfo& info : GoodputRowTables()) {
        if (auto added = AddRows(info, rows); !added) return added;
      }
      return db_->CopyIn("COPY published FROM STDIN", StampsOf(jobs));
    });
    if (!done) return std::unexpected(done.error());
    return later;
  }

  Result<void> Forget(const std::vector<PublishedJob>& jobs) override {
    return InTransaction([&] { return Remove(jobs); });
  }

  Result<int64_t> DropBefore(int64_t day) override {
    int64_t dropped = 0;
    const auto done = InTransaction([&]() -> Result<void> {
      if (auto kept = KeepFrom(day); !kept) return kept;
      std::set<int64_t> months;
      for (const GoodputRowTableInfo& info : GoodputRowTables()) {
        if (auto gone = DropMonths(info, MonthOf(day), months); !gone) return gone;
      }
      dropped = std::ssize(months);
      return {};
    });
    if (!done) return std::unexpected(done.error());
    return dropped;
  }

 private:
  template <class Work>
  Result<void> InTransaction(const Work& work) {
    auto done = db_->Run("BEGIN");
    if (done) done = db_->Run(kSettings);
    if (done) done = db_->Run(kLock);
    if (done) done = work();
    if (!done) {
      // What follows begins with a connection of its own.
      if (auto again = Postgres::Open(address_)) db_ = std::move(*again);
      if (done.error().what == kLedgerIsBusy)
        done.error().what = "cannot publish: another process is writing to these tables";
      return done;
    }
    return db_->Commit();
  }

  Result<void> RunAll(const std::vector<std::string>& all) {
    for (const std::string& sql : all) {
      if (auto done = db_->Run(sql.c_str()); !done) return done;
    }
    return {};
  }

  // A user may have rights in an existing schema but not to create one.
  Result<void> MakeAll() {
    bool there = false;
    auto done = db_->Run("SELECT 1 FROM pg_namespace WHERE nspname = 'goodput'", {},
                         [&](const Database::Row&) { there = true; });
    if (done && !there) done = db_->Run("CREATE SCHEMA goodput");
    there = false;
    if (done)
      done = db_->Run(
          "SELECT 1 FROM pg_tables WHERE schemaname = 'goodput' AND tablename = "
          "'settings'",
          {}, [&](const Database::Row&) { there = true; });
    if (done && !there) done = RunAll({std::begin(kPostgresTables), std::end(kPostgresTables)});
    if (!done) return done;
    const auto format = Setting("settings", "format");
    if (!format) return std::unexpected(format.error());
    if (*format == kTablesFormat) return {};
    if (*format) return std::unexpected(OtherFormat());
    for (const GoodputRowTableInfo& info : GoodputRowTables()) {
      if (auto made = RunAll(PostgresTablesOf(info)); !made) return made;
    }
    if (auto added = AddLimits(); !added) return added;
    return db_->Run("INSERT INTO settings VALUES ('format', $1)", {kTablesFormat});
  }

  Error OtherFormat() const {
    return {"the tables are of another version of stepscope", name_,
            "publish to another database, or drop the schema goodput and publish again"};
  }

  Result<void> AddLimits() {
    RowText limits;
    const GoodputRowTableInfo& info = GoodputRowTables().back();
    EachLimit([&](std::span<const Cell> row) { limits.Add(info, row, "", 0); });
    return AddRows(info, limits);
  }

  Result<std::optional<int64_t>> Setting(const char* table, const char* setting) {
    std::optional<int64_t> value;
    const std::string sql =
        fmt::format("SELECT value FROM {} WHERE name = convert_from($1, 'UTF8')", table);
    const auto read = db_->Run(sql.c_str(), {std::string_view(setting)},
                               [&](const Database::Row& row) { value = row.Integer(0); });
    if (!read) return std::unexpected(read.error());
    return value;
  }

  // The jobs that are published in a later version.
  Result<void> AddLater(const std::vector<PublishedJob>& jobs, std::set<std::string>& later) {
    for (const PublishedJob& job : jobs) {
      auto asked = db_->Run(
          "SELECT 1 FROM published WHERE ledger = convert_from($1, 'UTF8')"
          " AND job = convert_from($2, 'UTF8') AND version >= $3",
          {std::string_view(job.ledger), std::string_view(job.job), job.version},
          [&](const Database::Row&) { later.insert(job.job); });
      if (!asked) return asked;
    }
    return {};
  }

  // The rows of the jobs that have any.
  Result<void> Remove(const std::vector<PublishedJob>& jobs) {
    for (const PublishedJob& job : jobs) {
      const std::vector<Bound> key{std::string_view(job.ledger), std::string_view(job.job)};
      constexpr const char* kOfJob =
          "WHERE ledger = convert_from($1, 'UTF8') AND job = convert_from($2, 'UTF8')";
      bool there = false;
      auto done = db_->Run(fmt::format("DELETE FROM published {} RETURNING 1", kOfJob).c_str(), key,
                           [&](const Database::Row&) { there = true; });
      for (const GoodputRowTableInfo& info : GoodputRowTables()) {
        if (!done || !there || !HasDays(info)) continue;
        done = db_->Run(fmt::format("DELETE FROM {} {}", info.name, kOfJob).c_str(), key);
      }
      if (!done) return done;
    }
    return {};
  }

  Result<void> AddRows(const GoodputRowTableInfo& info, const RowText& rows) {
    const auto table = static_cast<size_t>(info.table);
    if (rows.lines[table].empty()) return {};
    for (const int64_t month : rows.months[table]) {
      const std::string partition = fmt::format(
          "CREATE TABLE IF NOT EXISTS {} PARTITION OF {} FOR VALUES FROM ('{}') TO ('{}')",
          PartitionOf(info.name, month), info.name, DateOf(FirstDayOf(month)),
          DateOf(FirstDayOf(month + 1)));
      if (auto made = db_->Run(partition.c_str()); !made) return made;
    }
    return db_->CopyIn(fmt::format("COPY {} FROM STDIN", info.name).c_str(), rows.lines[table]);
  }

  static std::string StampsOf(const std::vector<PublishedJob>& jobs) {
    std::string lines;
    for (const PublishedJob& job : jobs) {
      for (const Cell& cell :
           {Cell(job.ledger), Cell(job.job), Cell(job.version), Cell(job.signature)}) {
        AppendCell(cell, GoodputRowType::kText, lines);
        lines += '\t';
      }
      lines += fmt::format("{}\n", job.started);
    }
    return lines;
  }

  Result<void> KeepFrom(int64_t day) {
    return db_->Run(
        "INSERT INTO settings VALUES ('kept_from', $1) ON CONFLICT (name)"
        " DO UPDATE SET value = greatest(settings.value, excluded.value)",
        {day});
  }

  Result<void> DropMonths(const GoodputRowTableInfo& info, int64_t before,
                          std::set<int64_t>& months) {
    if (!HasDays(info)) return {};
    std::vector<std::string> drop;
    const std::string table(info.name);
    auto listed = db_->Run(
        "SELECT convert_to(c.relname::text, 'UTF8') FROM pg_inherits i JOIN pg_class c ON c.oid = "
        "i.inhrelid WHERE i.inhparent = convert_from($1, 'UTF8')::regclass",
        {std::string_view(table)}, [&](const Database::Row& row) {
          const auto month = MonthIn(row.Text(0), table);
          if (!month || *month >= before) return;
          months.insert(*month);
          drop.push_back("DROP TABLE " + row.Text(0));
        });
    if (!listed) return listed;
    return RunAll(drop);
  }

  std::string address_, name_;
  std::unique_ptr<Postgres> db_;
};

}  // namespace

std::unique_ptr<RowStore> PostgresRowsAt(const std::string& address) {
  return std::make_unique<PostgresRows>(address);
}

}  // namespace stepscope::goodput
