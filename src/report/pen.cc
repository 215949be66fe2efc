// Collects lines of text for terminals.
#include "report/pen.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/wrap.h"

namespace stepscope {
namespace {

constexpr int kNarrowest = 20;  // below this, wrapping does not help

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

}  // namespace

std::string_view ColorOf(Severity severity) {
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

Pen::Pen(const TextStyle& style)
    : language_(style.language),
      ascii_(style.ascii),
      color_(style.color),
      width_(static_cast<size_t>(std::max(style.width, kNarrowest))) {}

std::string Pen::Painted(std::string_view code, std::string_view text) const {
  if (!color_) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void Pen::Gap() {
  if (!out_.empty()) out_ += '\n';
}

void Pen::Line(size_t indent, std::string_view text) {
  out_.append(indent, ' ').append(text);
  out_.erase(out_.find_last_not_of(' ') + 1);
  out_ += '\n';
}

void Pen::Heading(std::string_view title) {
  Gap();
  Line(0, Painted(kBold, title));
}

void Pen::Prose(std::string_view lead, size_t lead_width, size_t indent, std::string_view text) {
  const auto lines = WrapLines(text, Room(lead_width), Room(indent));
  Line(0, fmt::format("{}{}", lead, lines.front()));
  for (size_t i = 1; i < lines.size(); ++i) Line(indent, lines[i]);
}

void Pen::Paragraph(size_t indent, std::string_view text) {
  if (!text.empty()) Prose(std::string(indent, ' '), indent, indent, text);
}

size_t Pen::Room(size_t indent) const { return width_ - std::min(indent, width_ - 1); }

std::string Pen::Take() && {
  if (out_.empty()) return "\n";
  return ascii_ ? ToAscii(std::move(out_)) : std::move(out_);
}

}  // namespace stepscope
