// Writes a ReportSet in each format. Pure functions: data in, text out, no I/O, no arithmetic
// beyond choosing units a person can read ("1.24 ms" for 1240000 ns).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stepscope/report.h"

namespace stepscope {

enum class Format : uint8_t { kText, kJson, kCsv, kMarkdown };

// "text", "json", "csv", "markdown" or "md"; anything else is no format.
std::optional<Format> ParseFormat(std::string_view name);

struct TextStyle {
  bool ascii = false;  // for terminals that are not UTF-8: "us" instead of "µs", "x" for "×"
  bool color = false;  // ANSI colors; for terminals only
  int width = 120;     // columns to fit tables into; long names are shortened in the middle
  bool brief = false;  // of each report the sentence and the first rows of its first table
  std::string more;    // the last line of a brief answer: how to get the rest; empty: none
};

// For people. Opens with the verdict, then the findings by impact, then each report's tables, then
// notes.
std::string ToText(const ReportSet& answer, const TextStyle& style = {});

// For programs: one JSON object as docs/report-schema.json describes it, ending in a newline.
std::string ToJson(const ReportSet& answer);

// For spreadsheets: every table of every report, RFC 4180, each preceded by a line
// "# analysis.table: title"; the notes follow as one more table.
std::string ToCsv(const ReportSet& answer);

// For issues and wikis: as ToText, with Markdown headings and tables.
std::string ToMarkdown(const ReportSet& answer);

std::string Write(const ReportSet& answer, Format format, const TextStyle& style = {});

}  // namespace stepscope
