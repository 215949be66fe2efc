// Builds the tables of `layout`.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

Table LayoutGroups(const Facts& facts);
Table LayoutRanks(const Facts& facts);
// Without rows where the job has no pipeline, or its stages were not recorded.
Table LayoutStages(const Facts& facts);
// Without rows where no all-to-all was recorded.
Table LayoutExperts(const Facts& facts);

}  // namespace stepscope
