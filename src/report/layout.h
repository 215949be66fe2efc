// What text and Markdown have in common: which rows, columns, findings and notes are shown, and how
// every cell reads. The faces only draw the Page.
//
// All strings of a Page are printable (see printable.h); each face escapes what its own syntax
// means.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

struct PageColumn {
  std::string title;
  bool is_text = false;  // left-aligned, and may be shortened
};

struct PageTable {
  std::string title;
  std::vector<PageColumn> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`; empty: only `remark`
  std::string remark;  // what is not shown: "… 34 more rows (...)"; empty when all is
};

struct PageFinding {
  Severity severity = Severity::kLow;
  std::string message;
  std::string because;
  std::string hint;
};

struct PageSection {
  std::string title;
  std::string problem;  // "unavailable: why" or "partial: why"; empty when the answer is whole
  std::string headline;
  std::vector<std::pair<std::string, std::string>> metrics;
  std::vector<PageTable> tables;
  std::string
      also;  // which tables are not shown at all, and where to find them; empty when all are
};

struct Page {
  std::string verdict;
  std::vector<PageFinding>
      findings;               // of all reports, the most worthwhile first, only the first few
  std::string more_findings;  // how many were left out; empty when none
  std::vector<PageSection> sections;  // one a report
  std::vector<std::string> notes;     // of the run and all reports; alike ones are one line
};

// `brief`: of each report the sentence and the first rows of its first table.
Page LayOut(const ReportSet& answer, bool brief = false);

}  // namespace stepscope
