// Reads a ledger in full and finds what its manifests do not show.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// Cuts the bytes of a segment behind the last slot that is not empty. REQUIRES: they hold its two
// headers.
void CutToUsed(std::string& bytes);

// A table with a row for each fault: of which file, what is `said` of it, and what it lost.
Table LossTable(std::string key, Phrase title, Column said);
std::vector<Cell> LossRow(const SegmentFault& fault, std::string_view said);

}  // namespace stepscope::goodput
