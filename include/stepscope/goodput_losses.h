// Lists the jobs of a ledger by what they lost, with their goodput over time.
//
//   stepscope::GoodputLosses losses("ledger", {.chips = 512, .price_per_chip_hour = 2.5});
//   auto answer = losses.Now();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "stepscope/goodput_report.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

namespace goodput {
struct JobList;
}

// The options as they are of one of several jobs: where `options.job` names another one, neither
// chips nor a program nor a name at the scheduler.
GoodputReportOptions GoodputOptionsOf(const std::string& job, GoodputReportOptions options);

class GoodputLosses {
 public:
  // Chips, price and scheduler files of GoodputOptionsOf() each job count, as in GoodputReport();
  // the rest is ignored.
  explicit GoodputLosses(std::string store, GoodputReportOptions options = {});

  // GoodputJobs() with more columns, the job that lost most chip-hours first: a job of unknown
  // chips counts as one of one chip.
  //   tables   jobs   job, goodput_ratio, chip_hours (lost), cost (of them), lost (ns of the job's
  //                   time that was no progress), chips, and the columns of GoodputJobs()
  //            trend  job, from (unix_ns), goodput_ratio: of at most 40 equal parts of a job's time
  // Jobs that have not changed since the last call are not read again.
  Result<ReportSet> Now();

  // The same for an answer about one job: reads that job, and others for about `patience` ns. What
  // was not read is as it was at a call before, or no more than a name; the note `jobs_not_read`
  // counts it.
  Result<ReportSet> NowOf(const std::string& job, int64_t patience = 2'000'000'000);

 private:
  // What a job has lost; of the state in which GoodputJobs() listed it.
  struct Lost {
    std::tuple<int64_t, int64_t, std::string> listed;  // events, end, state
    std::optional<double> chips, goodput;
    std::optional<int64_t> time;  // ns
    // Of the job as `goodput analyze` counts it: with its wait in the queue, where that is known.
    std::optional<int64_t> start, total;
    std::vector<std::pair<int64_t, double>> trend;  // from, goodput
  };
  Result<Lost> Account(const std::string& job) const;
  Result<ReportSet> Answer(int64_t patience);
  Result<void> Refresh(const Table& jobs);
  std::vector<Cell> RowOf(const std::vector<Cell>& listed, const Table& jobs) const;

  std::string store_;
  GoodputReportOptions options_;
  std::map<std::string, Lost> known_;
  std::shared_ptr<goodput::JobList> list_;
};

}  // namespace stepscope
