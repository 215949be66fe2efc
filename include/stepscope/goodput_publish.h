// Publishes the accounted jobs of a ledger to a database, for Grafana and SQL.
//
//   stepscope::GoodputPublish({.store = "ledger", .to = "clickhouse://127.0.0.1:8123/goodput"});
//
// The tables are those of goodput_rows.h. Rows of a job are replaced together, and only those of
// jobs that may have changed; so a second run changes nothing, runs at the same time and a killed
// one neither double nor lose rows, and readers never see half a job. Of several publications of a
// job the one stays that read its events last.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct GoodputPublishOptions {
  std::string store;  // a ledger, see goodput_ledger.h
  // postgresql://USER@HOST/DATABASE, clickhouse://USER@HOST:PORT/DATABASE, or clickhouses:// by
  // TLS. No answer and no error repeats a password.
  std::string to;
  // What the column `ledger` says, by which a database tells ledgers apart. Empty: the absolute
  // path, or the database's address without password.
  std::string ledger_name;
  double chips_per_job = 0;  // of jobs that recorded no number; 0: unknown
  int64_t keep_months = 0;   // before the current one; older ones are dropped. 0: all that are kept
  // Removes published jobs that are not in the ledger, though it does not say that they were
  // deleted or renamed. Jobs with lost events stay.
  bool remove_absent = false;
  std::optional<int64_t> now;                                    // absent: now
  std::function<void(size_t done, size_t of)> on_progress = {};  // jobs
  std::stop_token stop;
};

// Creates the database's tables if they are missing.
//   metrics  jobs, published, unchanged, removed, absent, lost, rows, dropped_months
// Published jobs are removed where the ledger says that they were deleted or renamed; others stay,
// and are counted as absent, or as lost where their events are. Fails where there is no ledger, and
// where the database refuses; what was published so far stays, and the rest follows with the
// next call.
Result<ReportSet> GoodputPublish(const GoodputPublishOptions& options);

}  // namespace stepscope
