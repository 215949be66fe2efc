// Writes reports as text for terminals, verdict first.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "report/display_width.h"
#include "report/layout.h"
#include "report/pen.h"
#include "report/screen.h"
#include "report/text_table.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

constexpr size_t kShortestValue =
    30;  // a metric is never shortened below this; no number is longer

void DrawFinding(Pen& pen, const PageFinding& finding) {
  const std::string word = pen.In(SeverityName(finding.severity));
  const std::string lead = fmt::format("- {}: ", pen.Painted(ColorOf(finding.severity), word));
  pen.Prose(lead, DisplayWidth(word) + 4, 2, finding.message);
  if (!finding.cost.empty()) pen.Paragraph(4, finding.cost);
  if (!finding.because.empty()) pen.Paragraph(4, pen.In(Say("because {because}", finding.because)));
  for (const std::string& evidence : finding.evidence)
    pen.Paragraph(4, pen.In(Say("also {evidence}", evidence)));
  if (!finding.hint.empty()) pen.Paragraph(4, pen.In(Say("try: {hint}", finding.hint)));
}

void DrawFindings(Pen& pen, const Page& page) {
  if (page.findings.empty() && page.more_findings.empty()) return;
  pen.Heading(pen.In("Findings"));
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
  bool is_first = true;
  for (const auto& lines : AlignToFit(table, pen.Room(4))) {
    if (!std::exchange(is_first, false)) pen.Gap();
    for (const std::string& line : lines) pen.Line(4, line);
  }
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
  pen.Heading(pen.In("Notes"));
  for (const std::string& note : page.notes) pen.Prose("  ", 2, 4, note);
}

}  // namespace

std::string ToText(const ReportSet& answer, const TextStyle& style) {
  if (style.extent == TextStyle::Extent::kScreen) return ToScreen(answer, style);
  const Page page = LayOut(answer, style.language, style.extent);
  Pen pen(style);
  pen.Paragraph(0, page.verdict);
  DrawFindings(pen, page);
  for (const PageSection& section : page.sections) DrawSection(pen, section);
  DrawNotes(pen, page);
  return std::move(pen).Take();
}

}  // namespace stepscope
