// Lays out what text and Markdown share: the rows, columns, findings and notes shown, and the text
// of every cell. The writers only draw the Page.
//
// All strings of a Page are printable (see printable.h); each writer escapes its own syntax.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/write.h"

namespace stepscope {

struct PageColumn {
  std::string title;
  bool is_text = false;  // left-aligned, and may be shortened
  bool is_key = false;   // tells rows apart
};

struct PageTable {
  std::string title;
  std::vector<PageColumn> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`; empty: only `remark`
  std::string remark;  // what is not shown: "… 34 more rows (...)"; empty if all is shown
};

struct PageFinding {
  Severity severity = Severity::kLow;
  std::string message;
  // "costs up to 47.1 ms per step (28.5% of mean step time)", "worth 4 ms of 9 ms (44.4%) per step,
  // ± 3 µs, by a replay"; empty where it is not a time.
  std::string cost;
  std::string because;
  std::vector<std::string> evidence;  // "idle_time: Host-bound idle time is 20.1% of span."
  std::string hint;
};

struct PageSection {
  std::string title;
  std::string problem;  // "unavailable: why" or "partial: why"; empty if the report is complete
  std::string headline;
  std::vector<std::pair<std::string, std::string>> metrics;
  std::vector<PageTable> tables;
  std::string also;  // tables that are not shown, and where to find them; empty if all are shown
};

struct Page {
  std::string verdict;
  std::vector<PageFinding> findings;  // of all reports, in their order, only the first few
  std::string more_findings;          // how many were left out; empty when none
  std::vector<PageSection> sections;  // one per report
  std::vector<std::string> notes;     // of the run and all reports; equal ones are one line
};

// A screen has no Page (screen.h): kScreen is as kUsual.
// `language`: that of the answer, for the words around its own.
Page LayOut(const ReportSet& answer, Language language,
            TextStyle::Extent extent = TextStyle::Extent::kUsual);

}  // namespace stepscope
