// Reads a ledger in full and finds what its manifests do not show.
#pragma once

#include <cstdint>
#include <span>
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

// How many events all of them have lost.
Phrase CountOfLost(std::span<const SegmentFault> faults);

// A table with a row for each fault: of which file, what is `said` of it, and what it lost.
Table LossTable(std::string key, Phrase title, Column said);
std::vector<Cell> LossRow(const SegmentFault& fault, std::string_view said);

}  // namespace stepscope::goodput
