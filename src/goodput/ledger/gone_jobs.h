// Remembers which jobs were deleted from a ledger, or renamed, and when: who has copies of their
// data can tell that from a directory that is empty because a disk is not mounted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "goodput/ledger/database.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// The table of these jobs; ledgers of earlier versions get it when they are written to. {0} is the
// type of texts and bytes.
inline constexpr const char* kGoneJobs = "gone_jobs";
inline constexpr const char* kMakeGoneJobs =
    "CREATE TABLE IF NOT EXISTS gone_jobs (job {0} PRIMARY KEY, gone BIGINT)";

// Says that no job has this name from `now` on, ns since 1970. REQUIRES: a writing transaction.
Result<void> AddGoneJob(const Database& db, const std::string& job, int64_t now);

// When jobs went, by name. One may have come back since. Empty: none did, or nothing tells. `db`:
// of a ledger, null where it has none.
Result<std::map<std::string, int64_t>> GoneJobs(const Database* db);

}  // namespace stepscope::goodput
