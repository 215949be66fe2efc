// Changes texts line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/chance.h"

namespace stepscope::fuzz {

// Lines with their ends.
inline std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// One word of a line by another, where words are what other characters separate.
inline std::string WithOtherWord(const std::string& line, const std::string& other,
                                 Chance& chance) {
  constexpr std::string_view kBetween = " \t,;:=/&?|\"'";
  const auto word = [&](const std::string& text) {
    const size_t at = text.empty() ? 0 : text.find_last_of(kBetween, chance.Below(text.size()));
    const size_t begin = at == text.npos ? 0 : std::min(at + 1, text.size());
    return std::pair(begin, std::min(text.find_first_of(kBetween, begin), text.size()));
  };
  const auto [begin, end] = word(line);
  const auto [from, to] = word(other);
  return line.substr(0, begin) + other.substr(from, to - from) + line.substr(end);
}

inline std::string MutateLines(std::string_view text, Chance& chance) {
  std::vector<std::string> lines = LinesOf(text);
  if (lines.empty()) return std::string(text);
  const size_t at = chance.Below(lines.size()), other = chance.Below(lines.size());
  const auto here = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (chance.Below(6)) {
    case 0:
      lines.erase(here);
      break;
    case 1:
      lines.insert(here, std::string(lines[other]));
      break;
    case 2:
      std::swap(lines[at], lines[other]);
      break;
    case 3:
      *here = WithOtherWord(lines[at], lines[other], chance);
      break;
    default: {
      const bool ends = here->ends_with('\n');
      *here = chance.Changed(std::string_view(*here).substr(0, here->size() - (ends ? 1 : 0)));
      if (ends) *here += '\n';
      break;
    }
  }
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

}  // namespace stepscope::fuzz
