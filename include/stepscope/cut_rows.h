// Leaves out the last rows of long tables, for what is sent or kept whole.
//
// A run of 10,000 ranks has tables with a row for every kernel of every rank. No number changes:
// the rows that stay are the first, in the table's order, and a note of the report counts the
// others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

struct CutTable {
  std::string analysis;
  std::string table;  // key
  int64_t rows = 0;   // that it has in full
};

// Tables keep their first `most` rows; 0: all. Which tables had more, in the order of the answer.
std::vector<CutTable> CutRows(ReportSet& answer, int64_t most);

}  // namespace stepscope
