// Selects parts of an answer: for assistants, which can read little at a time, and for people who
// look for one thing.
//
// Texts are for a model's context: at most so many tokens, of which one is four bytes. Equal
// answers give equal texts. Names in traces come from strangers: they are on one line, cut, and in
// quotes
// (`like this`) wherever a sentence holds one, and never in what is advised.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// As people write them: a run of whole words, in any case, "*" for any text. Empty: all.
struct NamePatterns {
  std::string kernel;
  std::string op;  // an operator
};

// Keeps the rows that name such a kernel or operator, all of them, and the tables and reports that
// have some. Fails where there are none.
Result<ReportSet> KeepNamed(ReportSet answer, const NamePatterns& patterns);

inline constexpr size_t kTokenBytes = 4;
inline constexpr size_t kUsualBudget = 2000;  // tokens

// What a reader should know first: the verdict, the causes with their ids, where a step goes, what
// was not recorded, and what to ask next. What does not fit is left out from the end.
std::string Brief(const ReportSet& answer, size_t budget = kUsualBudget);

// All about one finding or one row, by the id that Brief() or SelectRows() gave it.
Result<std::string> ShowById(const ReportSet& answer, std::string_view id,
                             size_t budget = kUsualBudget);

struct RowQuery {
  std::string table;                 // "stragglers.ranks"; "stragglers": its first table;
                                     // "flops.metrics": the single numbers of a report;
                                     // "findings": all findings, "tables": the names of all
                                     // tables, a line each
  std::vector<std::string> where;    // all hold: "rank=3", "time>10ms", "name~gemm", "rank!=0",
                                     // and as KeepNamed() takes patterns, "name=*gemm*"
  std::vector<std::string> columns;  // keys; none: all that are not detail
  std::string sort;                  // a column, largest first; empty: as the report has them
  size_t top = 20;                   // rows at most
  std::string after;                 // the id of the last row that was shown; empty: from the start
  size_t budget = kUsualBudget;
};

// The rows as CSV, with the id of each and exact numbers, units in the first line; then how many
// there are, and how to get the rest.
Result<std::string> SelectRows(const ReportSet& answer, const RowQuery& query);

// The names of all tables that have rows: "stragglers.ranks (8 rows): Ranks by caused wait".
std::vector<std::string> ListTables(const ReportSet& answer);

}  // namespace stepscope
