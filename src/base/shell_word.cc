// Quotes as POSIX shells do: within '...' only a quote is special.
#include "base/shell_word.h"

#include <algorithm>

#include "base/ascii.h"

namespace stepscope {
namespace {

bool IsPlain(char c) {
  return IsWordChar(c) || (c & 0x80) != 0 || std::string_view("./-+:=@%,").contains(c);
}

}  // namespace

std::string ShellWord(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, IsPlain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += R"('\'')";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string ShellWords(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + ShellWord(word);
  return text;
}

}  // namespace stepscope
