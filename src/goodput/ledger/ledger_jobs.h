// Lists the jobs of a ledger, for callers that ask again and again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "goodput/ledger/ledger_faults.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// A job as it was when its events were read last.
struct ListedJob {
  std::vector<Cell> row;
  int64_t events = 0;
  FoundLost found;                     // that reading found
  std::optional<int64_t> lost_of_job;  // with those that are missing; absent: unknown
  int64_t read = 0;                    // when, by the monotonic clock
};

// Which jobs are read, and what was read before.
struct JobList {
  std::string first;             // read in any case, before others; empty: none
  std::optional<int64_t> until;  // until when others are read, by the monotonic clock; absent: all
  std::map<std::string, ListedJob> known;  // by name
  std::set<std::string> waiting;           // answered: jobs that may have changed and were not read

  // From now on others are read for so many ns.
  void ReadOthersFor(int64_t patience);
  bool MayRead(const std::string& job) const;
};

// As GoodputJobs(). Rows of waiting jobs are as known, or have nothing but the name.
Result<ReportSet> ListJobs(const std::string& store, JobList& list);

}  // namespace stepscope::goodput
