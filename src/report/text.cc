// Writes reports as text for terminals, verdict first.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "report/layout.h"
#include "report/printable.h"
#include "report/text_table.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

constexpr int kNarrowest = 20;  // below this, wrapping does not help
constexpr size_t kShortestValue =
    30;  // a metric is never shortened below this; no number is longer
constexpr std::string_view kBold = "1";

std::string_view Color(Severity severity) {
  switch (severity) {
    case Severity::kHigh:
      return "1;31";
    case Severity::kMedium:
      return "1;33";
    case Severity::kLow:
      return "1;36";
  }
  return kBold;
}

// Replaces the characters beyond ASCII that this program writes itself. Names in traces stay.
std::string ToAscii(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {"µ", "u"}, {"×", "x"}, {"±", "+-"}, {"…", "~"}};
  for (const auto& [from, to] : kReplacements) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

// Collects the page. Blocks are separated by exactly one empty line.
class Pen {
 public:
  explicit Pen(const TextStyle& style)
      : ascii_(style.ascii),
        color_(style.color),
        width_(static_cast<size_t>(std::max(style.width, kNarrowest))) {}

  std::string Painted(std::string_view code, std::string_view text) const {
    if (!color_) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  void Gap() {
    if (!out_.empty()) out_ += '\n';
  }

  void Line(size_t indent, std::string_view text) {
    out_.append(indent, ' ').append(text);
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
  }

  void Heading(std::string_view title) {
    Gap();
    Line(0, Painted(kBold, title));
  }

  // Wraps prose. `lead`, which takes `lead_width` columns, precedes its first line, `indent` spaces
  // the others.
  void Prose(std::string_view lead, size_t lead_width, size_t indent, std::string_view text) {
    const auto lines = WrapLines(text, Room(lead_width), Room(indent));
    Line(0, fmt::format("{}{}", lead, lines.front()));
    for (size_t i = 1; i < lines.size(); ++i) Line(indent, lines[i]);
  }

  void Paragraph(size_t indent, std::string_view text) {
    if (!text.empty()) Prose(std::string(indent, ' '), indent, indent, text);
  }

  size_t Room(size_t indent) const { return width_ - std::min(indent, width_ - 1); }

  // An empty page is still a line, so that shells show their prompt on a new line.
  std::string Take() && {
    if (out_.empty()) return "\n";
    return ascii_ ? ToAscii(std::move(out_)) : std::move(out_);
  }

 private:
  std::string out_;
  bool ascii_;
  bool color_;
  size_t width_;
};

void DrawFinding(Pen& pen, const PageFinding& finding) {
  const std::string_view word = SeverityName(finding.severity);
  const std::string lead = fmt::format("- {}: ", pen.Painted(Color(finding.severity), word));
  pen.Prose(lead, word.size() + 4, 2, finding.message);
  if (!finding.cost.empty()) pen.Paragraph(4, finding.cost);
  if (!finding.because.empty()) pen.Paragraph(4, "because " + finding.because);
  for (const std::string& evidence : finding.evidence) pen.Paragraph(4, "also " + evidence);
  if (!finding.hint.empty()) pen.Paragraph(4, "try: " + finding.hint);
}

void DrawFindings(Pen& pen, const Page& page) {
  if (page.findings.empty() && page.more_findings.empty()) return;
  pen.Heading("Findings");
  for (const PageFinding& finding : page.findings) DrawFinding(pen, finding);
  if (!page.more_findings.empty()) pen.Line(0, page.more_findings);
}

void DrawMetrics(Pen& pen, const PageSection& section) {
  if (section.metrics.empty()) return;
  size_t widest = 0;
  for (const auto& [title, value] : section.metrics) {
    widest = std::max(widest, DisplayWidth(title));
  }
  pen.Gap();
  for (const auto& [title, value] : section.metrics) {
    const std::string pad(widest - DisplayWidth(title), ' ');
    const size_t room = std::max(pen.Room(widest + 4), kShortestValue);
    pen.Line(2, fmt::format("{}{}  {}", title, pad, ShortenMiddle(value, room)));
  }
}

void DrawTable(Pen& pen, const PageTable& table) {
  pen.Gap();
  if (table.rows.empty()) return pen.Line(2, fmt::format("{}: {}", table.title, table.remark));
  pen.Line(2, table.title);
  for (const std::string& line : AlignTable(table, pen.Room(4))) pen.Line(4, line);
  if (!table.remark.empty()) pen.Line(4, table.remark);
}

void DrawSection(Pen& pen, const PageSection& section) {
  pen.Heading(section.title);
  pen.Paragraph(2, section.problem);
  pen.Paragraph(2, section.headline);
  DrawMetrics(pen, section);
  for (const PageTable& table : section.tables) DrawTable(pen, table);
  if (section.also.empty()) return;
  pen.Gap();
  pen.Paragraph(2, section.also);
}

void DrawNotes(Pen& pen, const Page& page) {
  if (page.notes.empty()) return;
  pen.Heading("Notes");
  for (const std::string& note : page.notes) pen.Prose("  ", 2, 4, note);
}

}  // namespace

std::string ToText(const ReportSet& answer, const TextStyle& style) {
  const Page page = LayOut(answer, style.brief);
  Pen pen(style);
  pen.Paragraph(0, page.verdict);
  DrawFindings(pen, page);
  for (const PageSection& section : page.sections) DrawSection(pen, section);
  DrawNotes(pen, page);
  if (style.brief && !style.more.empty()) {
    pen.Gap();
    pen.Paragraph(0, style.more);
  }
  return std::move(pen).Take();
}

}  // namespace stepscope
