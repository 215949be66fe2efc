// Quotes words and lays out commands.
#include "cli/more.h"

#include <fmt/ranges.h>

#include "base/shell_word.h"

namespace stepscope::cli {
namespace {

constexpr size_t kLongestLine = 100;

std::string PastedWord(std::string word) {
  if (word.starts_with('-')) word.insert(0, "./");  // a path is no option
  return ShellWord(word);
}

}  // namespace

std::string Pasted(const std::vector<std::string>& words) {
  std::vector<std::string> pasted;
  for (const std::string& word : words) pasted.push_back(PastedWord(word));
  return fmt::format("{}", fmt::join(pasted, " "));
}

bool FitsScreen(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > kLongestLine) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

Phrase SayMore(const std::vector<std::string>& commands) {
  const auto say = [&](std::string_view between) {
    return Say("More: {commands}", Phrase::Name(fmt::format("{}", fmt::join(commands, between))));
  };
  const Phrase line = say(" | ");
  return line.size() <= kLongestLine ? line : say("\n      ");
}

}  // namespace stepscope::cli
