// Accounts for all jobs of a ledger as rows of tables, for SQL: sums over rows are the numbers of
// goodput_fleet.h.
//
//   auto rows = stepscope::GoodputRows::Read({.store = "ledger"});
//   rows->Each(GoodputRowTable::kDays, 0, rows->jobs(), [](std::span<const Cell> row) { ... });
//
// GoodputRowTables() says once what the tables and their columns are: SQL of DuckDB, and databases
// that rows are published to, have them by it. docs/fleet.md has questions to them.
//
// A moment is ns since 1970, a day one of UTC, a week as in ISO 8601. What is unknown is an empty
// Cell. Chip-hours are fractions, since whole chip-ns of a fleet exceed 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

enum class GoodputRowTable : uint8_t {
  kJobs,         // a row for each job that has an attempt
  kDays,         // of each job, a row for each day
  kBuckets,      // of each job, a row for each day and bucket
  kDisruptions,  // of each job, a row for each
  kLimits,       // of no job: 95% limits of a number of events, see docs/fleet.md
};

enum class GoodputRowType : uint8_t { kText, kInteger, kReal, kDate };

struct GoodputRowColumn {
  std::string_view name;
  GoodputRowType type = GoodputRowType::kText;
  std::string_view unit;   // as UnitName(), or "chip-hours"
  std::string_view title;  // what it is
  bool known = false;      // has a value in every row
};

struct GoodputRowTableInfo {
  GoodputRowTable table = GoodputRowTable::kJobs;
  std::string_view name, title;
  std::vector<GoodputRowColumn> columns;
};

// In the order of GoodputRowTable.
const std::vector<GoodputRowTableInfo>& GoodputRowTables();

struct GoodputRowsOptions {
  std::string store;          // a ledger, see goodput_ledger.h
  std::string name;           // what the column `ledger` says; empty: the ledger's own
  std::optional<int64_t> at;  // end of running jobs; absent: now
  double chips_per_job = 0;   // of jobs that recorded none; 0: unknown
  std::stop_token stop;
};

class GoodputRows {
 public:
  struct State;
  explicit GoodputRows(std::unique_ptr<State> state);
  GoodputRows(GoodputRows&&) noexcept;
  GoodputRows& operator=(GoodputRows&&) noexcept;
  ~GoodputRows();

  // Reads and accounts for every job.
  static Result<GoodputRows> Read(const GoodputRowsOptions& options);

  size_t jobs() const;
  const std::string& ledger() const;
  const std::vector<Note>& notes() const;
  // The rows of jobs [from, to), in the order of their names; of kLimits all, if `from` is 0. A
  // date is its days since 1970.
  void Each(GoodputRowTable table, size_t from, size_t to,
            const std::function<void(std::span<const Cell>)>& take) const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
