// Names findings and rows, so that people and programs can ask for one again.
//
// An id depends on what the finding or the row is about, not on its numbers or place: the same
// fault in another recording of the job has the same id, whichever analysis tells it there.
#pragma once

#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

// "compute#3fa2": kind of cause, rank, and step, where it is in one only; of a finding without a
// cause its analysis and table. Of several equal ones in a report the later ones are "#3fa2.2", ...
// `finding` is one of the report's.
std::string IdOf(const Report& report, const Finding& finding);

// "kernels.top#81c09f3e": the cells of the key columns, or all cells where there is no key.
std::string IdOf(const Report& report, const Table& table, const std::vector<Cell>& row);

}  // namespace stepscope
