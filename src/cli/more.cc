// Quotes words and lays out commands.
#include "cli/more.h"

#include <algorithm>

namespace stepscope::cli {
namespace {

constexpr size_t kLongestLine = 100;

bool IsPlainInShell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c & 0x80) != 0 || std::string_view("_./-+:=@%,").contains(c);
}

std::string PastedWord(std::string word) {
  if (word.starts_with('-')) word.insert(0, "./");  // a path is no option
  if (!word.empty() && std::ranges::all_of(word, IsPlainInShell)) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += R"('\'')";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string JoinedBy(std::string_view between, const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += between;
    joined += text;
  }
  return joined;
}

}  // namespace

std::string Pasted(const std::vector<std::string>& words) {
  std::vector<std::string> pasted;
  for (const std::string& word : words) pasted.push_back(PastedWord(word));
  return JoinedBy(" ", pasted);
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
    return Say("More: {commands}", Phrase::Name(JoinedBy(between, commands)));
  };
  const Phrase line = say(" | ");
  return line.size() <= kLongestLine ? line : say("\n      ");
}

}  // namespace stepscope::cli
