// Draws a Summary for terminals.
#include "report/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "report/display_width.h"
#include "report/humanize.h"
#include "report/pen.h"
#include "report/summary.h"
#include "report/text_table.h"
#include "report/wrap.h"

namespace stepscope {
namespace {

constexpr int kWidest = 100;
constexpr size_t kVerdictLines = 4, kMostVerdictLines = 6, kCauseLines = 2, kUnseenLines = 2;
constexpr size_t kMostParts = 7, kPartTitle = 30;
constexpr size_t kBar = 22;    // columns of the longest bar
constexpr size_t kIndent = 3;  // of what a cause says
constexpr size_t kName = 48;   // columns of the longest word in a sentence
constexpr std::string_view kDim = "2", kBlue = "34";

// At most `most` lines of `first` and then `rest` columns; the last one ends in "…" where text is
// left out.
std::vector<std::string> Clip(std::string_view text, size_t first, size_t rest, size_t most) {
  std::vector<std::string> lines = WrapLines(text, first, rest);
  const bool clipped = lines.size() > most;
  if (clipped) lines.resize(most);
  for (size_t i = 0; i < lines.size(); ++i)
    lines[i] = ShortenMiddle(lines[i], i == 0 ? first : rest);
  if (!clipped) return lines;
  std::string& last = lines.back();
  if (DisplayWidth(last) + 2 > rest) {  // it gives way to "…"
    const std::string before = WithoutLastWord(last);
    last = before.empty() ? ShortenMiddle(last, std::max<size_t>(rest, 3) - 2) : before;
  }
  last += " …";
  return lines;
}

// Kernels of generated code have names of several lines: cut in the middle, so that the sentence
// goes on. Scripts that do without spaces have no such words.
std::string WithShortNames(std::string_view text) {
  const auto in_name = [](char c) { return c > ' ' && c < '\x7f'; };
  std::string shorter;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    shorter += ShortenMiddle(text.substr(at, end - at), kName);
    if (end < text.size()) shorter += text[end++];
    at = end;
  }
  return shorter;
}

void Write(Pen& pen, size_t indent, std::string_view text, size_t most) {
  if (text.empty()) return;
  for (const std::string& line : Clip(text, pen.Room(indent), pen.Room(indent), most))
    pen.Line(indent, line);
}

// The lines that a verdict may take: its first sentence is never cut.
size_t LinesOfVerdict(const Pen& pen, const Phrase& verdict) {
  if (verdict.kind() != Phrase::Kind::kJoined) return kVerdictLines;
  const std::string first = WithShortNames(Printable(pen.In(verdict.parts().front())));
  const size_t lines = WrapLines(first, pen.Room(0), pen.Room(0)).size();
  return std::clamp(lines, kVerdictLines, kMostVerdictLines);
}

// As many of its parts as fit into the lines and end a sentence; all, where the first one does not.
std::string WholeSentences(const Pen& pen, const Phrase& verdict, size_t most) {
  Phrase said;
  std::string text = WithShortNames(Printable(pen.In(verdict))), fits;
  if (WrapLines(text, pen.Room(0), pen.Room(0)).size() <= most) return text;
  for (const Phrase& part : verdict.parts()) {
    said += part;
    std::string so_far = WithShortNames(Printable(pen.In(said)));
    if (WrapLines(so_far, pen.Room(0), pen.Room(0)).size() > most) break;
    if (so_far.ends_with('.') || so_far.ends_with("。")) fits = std::move(so_far);
  }
  return fits.empty() ? text : fits;
}

// Draws it bold. Returns how many bytes of its text fit.
size_t DrawVerdict(Pen& pen, const Summary& summary) {
  const std::string text =
      WholeSentences(pen, summary.verdict, LinesOfVerdict(pen, summary.verdict));
  const size_t all = WrapLines(text, pen.Room(0), pen.Room(0)).size();
  const auto lines = Clip(text, pen.Room(0), pen.Room(0), LinesOfVerdict(pen, summary.verdict));
  size_t shown = 0;
  for (const std::string& line : lines) {
    pen.Line(0, pen.Painted(kBold, line));
    shown += line.size();
  }
  return all > lines.size() ? shown : text.size();
}

void DrawCause(Pen& pen, size_t number, const SummaryCause& cause, std::string_view said_before) {
  const Finding& finding = *cause.finding;
  const SaidCause said =
      SayCause(finding, said_before.contains(WithShortNames(Printable(pen.In(finding.message)))));
  const size_t room = pen.Room(kIndent);
  const std::string worth_text = pen.In(cause.worth);
  const size_t worth = DisplayWidth(worth_text);
  const size_t first = room > worth + 22 ? room - worth - (worth > 0 ? 2 : 0) : room;
  const auto lines = Clip(WithShortNames(Printable(pen.In(said.head))), first, room, kCauseLines);
  const std::string pad(first - DisplayWidth(lines.front()) + (worth > 0 ? 2 : 0), ' ');
  const std::string place = pen.Painted(ColorOf(finding.severity), fmt::format("{}", number));
  pen.Line(0, fmt::format("{}  {}{}{}", place, lines.front(), pad,
                          first == room ? "" : pen.Painted(kBold, worth_text)));
  for (size_t i = 1; i < lines.size(); ++i) pen.Line(kIndent, lines[i]);
  if (first == room) pen.Paragraph(kIndent, worth_text);
  Write(pen, kIndent, Printable(pen.In(said.because)), kCauseLines);
  if (!finding.hint.empty())
    Write(pen, kIndent, Printable(pen.In(Say("try: {hint}", finding.hint))), kCauseLines);
}

// `said`: bytes of the verdict that are on the screen.
void DrawCauses(Pen& pen, const Summary& summary, size_t said) {
  if (summary.causes.empty()) return;
  pen.Gap();
  const std::string verdict = WithShortNames(Printable(pen.In(summary.verdict))).substr(0, said);
  for (size_t i = 0; i < summary.causes.size(); ++i)
    DrawCause(pen, i + 1, summary.causes[i], verdict);
}

// A bar of whole and eighths of blocks; every time above zero has something to see.
std::string Bar(int64_t time, int64_t longest, size_t columns, bool ascii) {
  if (time <= 0 || longest <= 0) return {};
  const double share = static_cast<double>(time) / static_cast<double>(longest);
  if (ascii)
    return std::string(
        static_cast<size_t>(std::max(1.0, std::round(share * static_cast<double>(columns)))), '#');
  constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<size_t>(std::max(1.0, std::round(share * 8 * static_cast<double>(columns))));
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + std::string(kEighths[eighths % 8]);
}

std::string PadLeft(const std::string& text, size_t width) {
  const size_t own = DisplayWidth(text);
  return std::string(width > own ? width - own : 0, ' ') + text;
}
std::string PadRight(const std::string& text, size_t width) {
  const size_t own = DisplayWidth(text);
  return text + std::string(width > own ? width - own : 0, ' ');
}

constexpr size_t kNumber = 8;  // columns of a time: "999 µs", "12.4 min"

// A time and its bar, `columns` wide in all but for the time.
std::string DrawTime(const Pen& pen, int64_t time, int64_t longest, size_t columns) {
  const std::string bar = Bar(time, longest, columns, pen.ascii());
  return PadLeft(pen.In(HumanNanoseconds(time)), kNumber) + " " + pen.Painted(kBlue, bar) +
         std::string(columns - std::min(columns, DisplayWidth(bar)), ' ');
}

void DrawStep(Pen& pen, const SummaryParts& step) {
  if (step.parts.empty()) return;
  std::vector<SummaryPart> parts = step.parts;
  if (parts.size() > kMostParts) {
    std::ranges::stable_sort(parts, std::ranges::greater{}, [](const SummaryPart& p) {
      return std::max(p.now, p.before.value_or(0));
    });
    parts.resize(kMostParts);
  }
  const std::string title = pen.In(step.title);
  size_t widest = DisplayWidth(title);
  int64_t longest = 0;
  for (SummaryPart& part : parts) {
    part.title = ShortenMiddle(Printable(pen.In(part.title)), kPartTitle - 2);
    widest = std::max(widest, DisplayWidth(part.title) + 2);
    longest = std::max({longest, part.now, part.before.value_or(0)});
  }
  const bool changed = !step.now.empty();
  const auto total = [&](const Phrase& name, int64_t time) {
    const std::string in = ShortenMiddle(Printable(pen.In(name)), kBar - 4);
    return PadRight(PadLeft(pen.In(HumanNanoseconds(time)), kNumber) +
                        (in.empty() ? "" : " " + pen.In(Say("in {steps}", Phrase::Name(in)))),
                    kNumber + 1 + kBar);
  };
  pen.Gap();
  pen.Line(0, pen.Painted(kBold, PadRight(title, widest)) + "  " +
                  (changed ? total(step.before, step.time_before.value_or(0)) + "  " : "") +
                  total(step.now, step.time));
  for (const SummaryPart& part : parts) {
    const std::string before =
        changed ? DrawTime(pen, part.before.value_or(0), longest, kBar) + "  " : "";
    pen.Line(2, PadRight(part.title, widest - 2) + "  " + before +
                    DrawTime(pen, part.now, longest, kBar));
  }
}

// The parts in which ranks differ most, as many as fit, in their order.
std::vector<size_t> PartsThatFit(const Pen& pen, const SummaryRanks& ranks, size_t room) {
  std::vector<std::pair<int64_t, size_t>> by_spread;
  for (size_t c = 0; c < ranks.parts.size(); ++c) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (const SummaryRanks::Row& row : ranks.rows) {
      least = std::min(least, row.times[c]);
      most = std::max(most, row.times[c]);
    }
    by_spread.emplace_back(least - most, c);
  }
  std::ranges::sort(by_spread);
  std::vector<size_t> fit;
  size_t used = DisplayWidth(pen.In(SayWhatRanksShow(ranks)));
  for (const SummaryRanks::Row& row : ranks.rows)
    used = std::max(used, DisplayWidth(pen.In(row.title)));
  for (const auto& [negative, c] : by_spread) {
    used += std::max(DisplayWidth(pen.In(ranks.parts[c])), kNumber) + 2;
    if (used > room) break;
    fit.push_back(c);
  }
  std::ranges::sort(fit);
  return fit;
}

void DrawRanks(Pen& pen, const SummaryRanks& ranks) {
  if (ranks.rows.empty()) return;
  PageTable table{
      .title = {}, .columns = {{pen.In(SayWhatRanksShow(ranks)), true}}, .rows = {}, .remark = {}};
  const std::vector<size_t> parts = PartsThatFit(pen, ranks, pen.Room(0));
  for (const size_t c : parts) table.columns.push_back({Printable(pen.In(ranks.parts[c]))});
  for (const SummaryRanks::Row& row : ranks.rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(pen.In(row.title));
    for (const size_t c : parts) cells.push_back(pen.In(SayRankTime(ranks, row.times[c])));
  }
  pen.Gap();
  for (const std::string& line : AlignTable(table, pen.Room(0))) pen.Line(0, line);
}

void DrawUnseen(Pen& pen, const Summary& summary) {
  std::string text;
  for (const Phrase& sentence : summary.unseen)
    text += (text.empty() ? "" : " ") + pen.In(sentence);
  if (text.empty()) return;
  pen.Gap();
  Write(pen, 0, Printable(text), kUnseenLines);
}

void DrawMore(Pen& pen, std::string_view more) {
  while (!more.empty()) {
    const size_t end = std::min(more.find('\n'), more.size());
    pen.Line(0, pen.Painted(kDim, ShortenMiddle(more.substr(0, end), pen.Room(0))));
    more.remove_prefix(std::min(end + 1, more.size()));
  }
}

}  // namespace

std::string ToScreen(const ReportSet& answer, const TextStyle& style) {
  TextStyle narrow = style;
  narrow.width = std::min(style.width, kWidest);
  const Summary summary = Summarize(answer);
  Pen pen(narrow);
  Write(pen, 0, Printable(pen.In(summary.subject)), 1);
  const size_t said = DrawVerdict(pen, summary);
  DrawCauses(pen, summary, said);
  DrawStep(pen, summary.step);
  DrawRanks(pen, summary.ranks);
  DrawUnseen(pen, summary);
  DrawMore(pen, style.more);
  return std::move(pen).Take();
}

}  // namespace stepscope
