// Reads a ledger in full and finds what its manifests do not show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "goodput/ledger/ledger.h"

namespace stepscope::goodput {

struct CheckedLedger {
  std::vector<SegmentFault> faults;
  int64_t segments = 0, events = 0;
  std::vector<ManifestEntry> unlisted;  // whole segments that no manifest lists
};

// Of a directory, or of PostgreSQL.
Result<CheckedLedger> CheckLedger(const Ledger& ledger);

// The slots of a segment up to the last that is not empty, and its two headers before them. Fails
// if it cannot be read.
Result<std::string> SegmentBytes(const Ledger& ledger, const std::string& name);

// The table of faults.
Table FaultTable(const std::vector<SegmentFault>& faults);

}  // namespace stepscope::goodput
