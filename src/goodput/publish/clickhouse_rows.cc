// Publishes to ClickHouse, which has no transactions: rows carry a version, and a view of each
// table shows those of the last version of each job that was published, which one row says. So a
// publication appears at once with that row, and what a killed one left is never seen.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "goodput/publish/clickhouse.h"
#include "goodput/publish/row_store.h"
#include "goodput/rows/job_rows.h"

namespace stepscope::goodput {
namespace {

// After so long nobody is in the middle of a publication any more.
constexpr int64_t kAbandoned = kDay;
// Replaced rows beside as many that are shown, and these, are worth a removal.
constexpr int64_t kMuch = 1'000'000;

// Whole ns are 128 bits wide, so that no sum over a fleet is too great.
std::string ClickHouseTypeOf(const GoodputRowColumn& column) {
  const std::string type = column.type == GoodputRowType::kText   ? "String"
                           : column.type == GoodputRowType::kReal ? "Float64"
                           : column.type == GoodputRowType::kDate ? "Date"
                           : column.unit == "ns"                  ? "Decimal(38, 0)"
                                                                  : "Int64";
  return column.known ? type : "Nullable(" + type + ")";
}

int64_t Number(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class ClickHouseRows : public RowStore {
 public:
  explicit ClickHouseRows(ClickHouseAddress address) : db_(std::move(address)) {}

  const std::string& name() const override { return db_.name(); }

  Result<void> Open() override {
    const auto version = db_.Rows("SELECT version()");
    if (!version) return std::unexpected(version.error());
    // Rows are there when an INSERT has been answered. Versions before 21 have no other way, and
    // refuse settings that they do not know.
    const bool current = !version->empty() && Number(version->front().front()) >= 21;
    if (current) {
      db_.Set("async_insert=0");
      db_.Set("max_partitions_per_insert_block=0");
    }
    if (auto made = MakeAll(); !made) return made;
    const auto format = Setting("format");
    if (!format) return std::unexpected(format.error());
    if (*format == kTablesFormat) return {};
    if (*format)
      return std::unexpected(
          Error{"the tables are of another version of stepscope", name(),
                "publish to another database, or drop this one and publish again"});
    if (auto added = AddLimits(); !added) return added;
    return Set("format", kTablesFormat);
  }

  Result<std::vector<PublishedJob>> Published() override {
    const auto rows =
        db_.Rows("SELECT ledger, job, version, signature, started FROM " +
                 Last("ledger, job, signature, started, removed") + " WHERE removed = 0");
    if (!rows) return std::unexpected(rows.error());
    std::vector<PublishedJob> jobs;
    for (const auto& row : *rows) {
      if (row.size() != 5) continue;
      jobs.push_back({.ledger = row[0],
                      .job = row[1],
                      .version = Number(row[2]),
                      .signature = row[3],
                      .started = Number(row[4])});
    }
    return jobs;
  }

  Result<std::optional<int64_t>> KeptFrom() override { return Setting("kept_from"); }

  std::string LastCell(int64_t version) const override { return fmt::to_string(version); }

  Result<std::set<std::string>> Put(const std::vector<PublishedJob>& jobs,
                                    const RowText& rows) override {
    for (const GoodputRowTableInfo& info : GoodputRowTables()) {
      const std::string& lines = rows.lines[static_cast<size_t>(info.table)];
      if (lines.empty()) continue;
      const auto added = Insert(RowsOf(info), lines);
      if (!added) return std::unexpected(added.error());
    }
    const auto shown = Stamp(jobs, false);
    if (!shown) return std::unexpected(shown.error());
    return std::set<std::string>();
  }

  Result<void> Forget(const std::vector<PublishedJob>& jobs) override {
    return jobs.empty() ? Result<void>() : Stamp(jobs, true);
  }

  Result<int64_t> DropBefore(int64_t day) override {
    if (auto kept = Set("kept_from", day); !kept) return std::unexpected(kept.error());
    std::set<int64_t> months;
    for (const GoodputRowTableInfo& info : GoodputRowTables()) {
      if (!HasDays(info)) continue;
      const auto dropped = DropMonths(RowsOf(info), MonthOf(day), months);
      if (!dropped) return std::unexpected(dropped.error());
    }
    return std::ssize(months);
  }

  Result<void> Tidy() override {
    for (const GoodputRowTableInfo& info : GoodputRowTables()) {
      if (!HasDays(info)) continue;
      if (auto done = TidyOne(info); !done) return done;
    }
    return {};
  }

 private:
  std::string In(std::string_view table) const {
    return fmt::format("{}.{}", db_.database(), table);
  }
  // The table behind a view.
  std::string RowsOf(const GoodputRowTableInfo& info) const {
    return In(info.name) + (HasDays(info) ? "_rows" : "");
  }

  // The last versions of published jobs, with these columns and `version`.
  std::string Last(std::string_view columns) const {
    std::string wanted = "max(version) AS last";
    for (size_t at = 0; at < columns.size();) {
      const size_t end = std::min(columns.find(", ", at), columns.size());
      const std::string_view column = columns.substr(at, end - at);
      if (column != "ledger" && column != "job")
        wanted += fmt::format(", argMax({0}, version) AS last_{0}", column);
      at = end + 2;
    }
    std::string named = "last AS version";
    for (size_t at = 0; at < columns.size();) {
      const size_t end = std::min(columns.find(", ", at), columns.size());
      const std::string_view column = columns.substr(at, end - at);
      named += column == "ledger" || column == "job" ? fmt::format(", {}", column)
                                                     : fmt::format(", last_{0} AS {0}", column);
      at = end + 2;
    }
    return fmt::format("(SELECT {} FROM (SELECT ledger, job, {} FROM {} GROUP BY ledger, job))",
                       named, wanted, In("published"));
  }

  Result<void> Do(const std::string& sql) {
    const auto done = db_.Run(sql);
    if (!done) return std::unexpected(done.error());
    return {};
  }

  Result<void> Insert(const std::string& table, const std::string& lines) {
    const auto done = db_.Run(fmt::format("INSERT INTO {} FORMAT TabSeparated", table), lines);
    if (!done) return std::unexpected(done.error());
    return {};
  }

  Result<void> MakeAll() {
    auto made = Do("CREATE DATABASE IF NOT EXISTS " + db_.database());
    if (made)
      made =
          Do(fmt::format("CREATE TABLE IF NOT EXISTS {} (ledger String, job String, version Int64,"
                         " signature String, started Int64, removed UInt8)"
                         " ENGINE = ReplacingMergeTree(version) ORDER BY (ledger, job)",
                         In("published")));
    if (made)
      made =
          Do(fmt::format("CREATE TABLE IF NOT EXISTS {} (name String, value Int64, version Int64)"
                         " ENGINE = ReplacingMergeTree(version) ORDER BY name",
                         In("settings")));
    for (const GoodputRowTableInfo& info : GoodputRowTables()) {
      if (made) made = MakeTable(info);
    }
    return made;
  }

  Result<void> MakeTable(const GoodputRowTableInfo& info) {
    std::string columns, names;
    for (const GoodputRowColumn& column : info.columns) {
      columns += fmt::format("{} {}, ", column.name, ClickHouseTypeOf(column));
      names += fmt::format("{}{}", names.empty() ? "" : ", ", column.name);
    }
    if (!HasDays(info)) {
      return Do(fmt::format(
          "CREATE TABLE IF NOT EXISTS {} ({}) ENGINE = ReplacingMergeTree() ORDER BY events",
          RowsOf(info), columns.substr(0, columns.size() - 2)));
    }
    auto made =
        Do(fmt::format("CREATE TABLE IF NOT EXISTS {} ({}version Int64) ENGINE = MergeTree()"
                       " PARTITION BY toYYYYMM(day) ORDER BY (ledger, job, version, day)",
                       RowsOf(info), columns));
    if (!made) return made;
    return Do(
        fmt::format("CREATE VIEW IF NOT EXISTS {} AS SELECT {} FROM {}"
                    " WHERE (ledger, job, version) IN (SELECT ledger, job, max(version)"
                    " FROM {} GROUP BY ledger, job)",
                    In(info.name), names, RowsOf(info), In("published")));
  }

  // Twice the same rows are merged, and were the same row before.
  Result<void> AddLimits() {
    RowText limits;
    const GoodputRowTableInfo& info = GoodputRowTables().back();
    EachLimit([&](std::span<const Cell> row) { limits.Add(info, row, "", 0); });
    return Insert(RowsOf(info), limits.lines[static_cast<size_t>(info.table)]);
  }

  Result<std::optional<int64_t>> Setting(const std::string& setting) {
    const auto rows = db_.Rows(
        fmt::format("SELECT argMax(value, version) FROM {} WHERE name = '{}' GROUP BY name",
                    In("settings"), setting));
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    return Number(rows->front().front());
  }

  // The greatest value stays.
  Result<void> Set(const std::string& setting, int64_t value) {
    return Insert(In("settings"), fmt::format("{}\t{}\t{}\n", setting, value, value));
  }

  // One block of one partition, which is there as a whole or not at all.
  Result<void> Stamp(const std::vector<PublishedJob>& jobs, bool removed) {
    std::string lines;
    for (const PublishedJob& job : jobs) {
      AppendCell(job.ledger, GoodputRowType::kText, lines);
      lines += '\t';
      AppendCell(job.job, GoodputRowType::kText, lines);
      lines += fmt::format("\t{}\t", job.version);
      AppendCell(job.signature, GoodputRowType::kText, lines);
      lines += fmt::format("\t{}\t{}\n", job.started, removed ? 1 : 0);
    }
    return Insert(In("published"), lines);
  }

  Result<void> DropMonths(const std::string& table, int64_t before, std::set<int64_t>& months) {
    const auto partitions =
        db_.Rows(fmt::format("SELECT DISTINCT partition FROM system.parts WHERE database = '{}'"
                             " AND table = '{}' AND active",
                             db_.database(), table.substr(db_.database().size() + 1)));
    if (!partitions) return std::unexpected(partitions.error());
    for (const auto& row : *partitions) {
      const int64_t named = Number(row.front());
      const int64_t month = named / 100 * 12 + named % 100 - 1;
      if (named <= 0 || month >= before) continue;
      months.insert(month);
      if (auto gone = Do(fmt::format("ALTER TABLE {} DROP PARTITION {}", table, named)); !gone)
        return gone;
    }
    return {};
  }

  Result<int64_t> Count(const std::string& from) {
    const auto rows = db_.Rows("SELECT count() FROM " + from);
    if (!rows) return std::unexpected(rows.error());
    return rows->empty() ? 0 : Number(rows->front().front());
  }

  // Rows that are replaced, and those of publications that ended in the middle long ago.
  Result<void> TidyOne(const GoodputRowTableInfo& info) {
    const auto all = Count(RowsOf(info)), shown = Count(In(info.name));
    if (!all) return std::unexpected(all.error());
    if (!shown) return std::unexpected(shown.error());
    if (*all - *shown <= *shown + kMuch) return {};
    return Do(
        fmt::format("ALTER TABLE {} DELETE WHERE version < {} AND (ledger, job, version) NOT"
                    " IN (SELECT ledger, job, max(version) FROM {} GROUP BY ledger, job)",
                    RowsOf(info), WallClock() - kAbandoned, In("published")));
  }

  ClickHouse db_;
};

}  // namespace

Result<std::unique_ptr<RowStore>> ClickHouseRowsAt(const std::string& address) {
  auto parsed = ClickHouseAddress::Parse(address);
  if (!parsed) return std::unexpected(parsed.error());
  return std::make_unique<ClickHouseRows>(std::move(*parsed));
}

}  // namespace stepscope::goodput
