// Makes the rows of one accounted job, as GoodputRowTables() has their columns.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "goodput/rows/accounted_job.h"
#include "stepscope/goodput_rows.h"

namespace stepscope::goodput {

using TakeRow = std::function<void(std::span<const Cell>)>;

// REQUIRES: a table of jobs.
void EachRowOf(const AccountedJob& job, const std::string& ledger, GoodputRowTable table,
               const TakeRow& take);

// The rows of kLimits: between which expected numbers one lies, with 95% certainty, of which so
// many events were counted.
void EachLimit(const TakeRow& take);

}  // namespace stepscope::goodput
