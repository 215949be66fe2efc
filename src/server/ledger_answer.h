// Reports on ledgers of goodput events, and finds the job that a run is of.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/sources.h"
#include "stepscope/goodput_losses.h"
#include "stepscope/goodput_match.h"
#include "stepscope/goodput_report.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::server {

// The report "goodput_match" on which job a run is of, and where it is of one, the reports of that
// job, and the id of its ledger.
struct RunGoodput {
  std::string ledger;
  ReportSet answer;
};

// May be used from many threads.
class Ledgers {
 public:
  // `options`: what is known of all jobs beside their events.
  explicit Ledgers(GoodputReportOptions options);

  // The report "goodput_jobs" of all jobs, then those of this one; empty: of the first in the
  // table.
  Result<ReportSet> Ask(const std::string& path, std::string job);

  Result<ReportSet> AskJob(const std::string& path, const std::string& job) const;
  Result<RunGoodput> AskRun(const RunOfJob& run, const std::vector<LedgerView>& ledgers) const;

 private:
  struct Kept {
    explicit Kept(GoodputLosses of) : losses(std::move(of)) {}
    std::mutex mutex;  // over all below
    GoodputLosses losses;
  };
  Kept& KeptOf(const std::string& path);
  Result<ReportSet> AskList(const std::string& path, const std::string& job);

  GoodputReportOptions options_;
  std::mutex mutex_;  // over all below
  std::map<std::string, std::unique_ptr<Kept>> kept_;
};

// The names in the table of all jobs, in its order.
std::vector<std::string> JobsIn(const ReportSet& answer);

// What a run tells of itself: `path` is what it was opened from.
RunOfJob RunAt(const std::string& path, const RunInfo& info, std::vector<TracedStep> steps);

// The answer, in whose first report the metric `ledger` is the ledger's id: what the page asks for.
ReportSet WithLedger(RunGoodput found);

}  // namespace stepscope::server
