// Cuts and quotes for a model.
#include "mcp/say.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "report/display_width.h"
#include "report/quoted_names.h"
#include "stepscope/select.h"

namespace stepscope::mcp {
namespace {

constexpr size_t kNameCut = 200;
constexpr size_t kSentenceCut = 600;
constexpr std::string_view kCutLine = "(cut: raise the budget)\n";

std::string OneLine(std::string_view text) {
  const std::string plain = Printable(text);
  return DisplayWidth(plain) > kSentenceCut ? ShortenMiddle(plain, kSentenceCut) : plain;
}

}  // namespace

std::string Quoted(std::string_view name) { return "`" + CutName(name, kNameCut) + "`"; }

std::string SayError(const Error& error) {
  std::string text = OneLine(error.what);
  // The core names arguments in backquotes already.
  if (error.where.starts_with('`') && error.where.ends_with('`')) {
    text += ": " + Quoted(std::string_view(error.where).substr(1, error.where.size() - 2));
  } else if (!error.where.empty()) {
    text += ": " + Quoted(error.where);
  }
  if (!error.hint.empty()) text += ". Try: " + OneLine(error.hint);
  return text;
}

std::string Fitted(const std::vector<std::string>& lines, size_t budget) {
  const size_t room = budget * kTokenBytes;
  std::string text;
  for (const std::string& line : lines) {
    if (text.size() + line.size() + 1 + kCutLine.size() > room) return text.append(kCutLine);
    text += line + "\n";
  }
  return text;
}

}  // namespace stepscope::mcp
