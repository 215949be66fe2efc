// Writes an answer for the page: as the command line writes it, but for the last rows of long
// tables. What is cut from a table of ranks by steps is a grid beside it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "stepscope/report.h"

namespace stepscope::server {

struct PageAnswer {
  // ToJson() with the page's languages, and where tables were cut
  //   cut   {"breakdown.matrix": {"rows": how many it has, "grid": whether there is one}}
  std::string json;
  // Of the tables that were cut, by "analysis.table" the grid's JSON, and by
  // "analysis.table.column" the column's bytes (docs/formats/grid.md).
  std::map<std::string, std::string> grids;
};

PageAnswer AnswerForPage(ReportSet answer, int64_t most_rows);

// The grids of all tables that are of ranks by steps and have more than `most_rows` rows.
std::map<std::string, std::string> GridsOf(const ReportSet& answer, int64_t most_rows);

}  // namespace stepscope::server
