// Writes a ReportSet in each format. Pure functions: data in, text out, no I/O, no arithmetic
// beyond choosing units a person can read ("1.24 ms" for 1240000 ns).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/language.h"
#include "stepscope/report.h"

namespace stepscope {

enum class Format : uint8_t { kText, kJson, kCsv, kMarkdown };

// "text", "json", "csv", "markdown" or "md"; anything else is no format.
std::optional<Format> ParseFormat(std::string_view name);

struct TextStyle {
  Language language = Language::kEnglish;  // that of the answer: Translate() it first
  bool ascii = false;  // for terminals that are not UTF-8: "us" instead of "µs", "x" for "×"
  bool color = false;  // ANSI colors; for terminals only
  int width = 120;     // columns to fit tables into; long names are shortened in the middle
  // How much of an answer to write: its first screen, at most 45 lines of 100 columns; the rows and
  // findings that are worth a look; or all.
  enum class Extent : uint8_t { kScreen, kUsual, kAll };
  Extent extent = Extent::kUsual;
  std::string more;  // the last lines of a screen: how to get the rest; empty: none
};

// For people. Opens with the verdict, then the findings by impact, then each report's tables, then
// notes.
std::string ToText(const ReportSet& answer, const TextStyle& style = {});

// For programs: one JSON object as docs/report-schema.json describes it, ending in a newline.
// `also`: languages whose words it holds beside the English ones ("words"), for pages.
// `language`: that of the answer, for its subject.
std::string ToJson(const ReportSet& answer, std::span<const Language> also = {},
                   Language language = Language::kEnglish);

// For spreadsheets: every table of every report, RFC 4180, each preceded by a line
// "# analysis.table: title"; the notes follow as one more table.
std::string ToCsv(const ReportSet& answer);

struct NamedText {
  std::string name;  // of a file: "stragglers.ranks.csv"
  std::string text;
};

// The same as a file for each table that has rows, with units in its first line, and findings.csv
// and notes.csv.
std::vector<NamedText> ToCsvFiles(const ReportSet& answer);

// For issues and wikis, of an answer in `language`: as ToText, with Markdown headings and tables.
std::string ToMarkdown(const ReportSet& answer, Language language = Language::kEnglish);

// JSON and CSV are as the answer is: Translate() it for another language.
std::string Write(const ReportSet& answer, Format format, const TextStyle& style = {});

}  // namespace stepscope
