// Writes the text page as Markdown, for issues and wikis.
#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "report/layout.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

bool IsWordAt(std::string_view text, size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

// Underscores inside a word never start emphasis. Leaving them bare keeps kernel names readable and
// searchable in the source.
bool NeedsBackslash(std::string_view text, size_t at) {
  constexpr std::string_view kSyntax = "\\`*[]|~$";
  if (text[at] == '_') return at == 0 || !IsWordAt(text, at - 1) || !IsWordAt(text, at + 1);
  return kSyntax.find(text[at]) != std::string_view::npos;
}

// Escapes printable text so that Markdown, tables included, shows it literally.
std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  const bool opens_block =
      text.starts_with('#') || text.starts_with("- ") || text.starts_with("+ ");
  if (opens_block) out += '\\';
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        if (NeedsBackslash(text, at)) out += '\\';
        out += text[at];
    }
  }
  return out;
}

// Blocks of Markdown, separated by one empty line.
class Sheet {
 public:
  void Gap() {
    if (!out_.empty()) out_ += '\n';
  }

  void Line(std::string_view line) {
    out_.append(line.substr(0, line.find_last_not_of(' ') + 1)).append("\n");
  }

  void Block(std::string_view line) {
    if (line.empty()) return;
    Gap();
    Line(line);
  }

  std::string Take() && { return out_.empty() ? "\n" : std::move(out_); }

 private:
  std::string out_;
};

void DrawFindings(Sheet& sheet, const Page& page, Language language) {
  const auto say = [&](const Phrase& phrase) { return Escaped(In(language, phrase)); };
  if (page.findings.empty() && page.more_findings.empty()) return;
  sheet.Block("## " + say("Findings"));
  sheet.Gap();
  for (const PageFinding& finding : page.findings) {
    sheet.Line(
        fmt::format("- **{}**: {}", say(SeverityName(finding.severity)), Escaped(finding.message)));
    if (!finding.cost.empty()) sheet.Line(fmt::format("  - {}", Escaped(finding.cost)));
    if (!finding.because.empty()) {
      sheet.Line("  - " + say(Say("because {because}", finding.because)));
    }
    for (const std::string& evidence : finding.evidence) {
      sheet.Line("  - " + say(Say("also {evidence}", evidence)));
    }
    if (!finding.hint.empty()) sheet.Line("  - " + say(Say("try: {hint}", finding.hint)));
  }
  sheet.Block(page.more_findings);
}

void DrawMetrics(Sheet& sheet, const PageSection& section) {
  if (section.metrics.empty()) return;
  sheet.Gap();
  for (const auto& [title, value] : section.metrics) {
    sheet.Line(fmt::format("- {}: {}", Escaped(title), Escaped(value)));
  }
}

void DrawTable(Sheet& sheet, const PageTable& table) {
  if (table.rows.empty()) {
    return sheet.Block(fmt::format("{}: {}", Escaped(table.title), table.remark));
  }
  sheet.Block(fmt::format("### {}", Escaped(table.title)));
  std::string head = "|";
  std::string rule = "|";
  for (const PageColumn& column : table.columns) {
    head += fmt::format(" {} |", Escaped(column.title));
    rule += column.is_text ? " --- |" : " ---: |";
  }
  sheet.Block(head);
  sheet.Line(rule);
  for (const auto& row : table.rows) {
    std::string line = "|";
    for (const std::string& cell : row) line += fmt::format(" {} |", Escaped(cell));
    sheet.Line(line);
  }
  sheet.Block(table.remark);
}

void DrawSection(Sheet& sheet, const PageSection& section) {
  sheet.Block(fmt::format("## {}", Escaped(section.title)));
  sheet.Block(Escaped(section.problem));
  sheet.Block(Escaped(section.headline));
  DrawMetrics(sheet, section);
  for (const PageTable& table : section.tables) DrawTable(sheet, table);
  sheet.Block(Escaped(section.also));
}

void DrawNotes(Sheet& sheet, const Page& page, Language language) {
  if (page.notes.empty()) return;
  sheet.Block("## " + In(language, "Notes"));
  sheet.Gap();
  for (const std::string& note : page.notes) sheet.Line(fmt::format("- {}", Escaped(note)));
}

}  // namespace

std::string ToMarkdown(const ReportSet& answer, Language language) {
  const Page page = LayOut(answer, language);
  Sheet sheet;
  sheet.Block(Escaped(page.verdict));
  DrawFindings(sheet, page, language);
  for (const PageSection& section : page.sections) DrawSection(sheet, section);
  DrawNotes(sheet, page, language);
  return std::move(sheet).Take();
}

}  // namespace stepscope
