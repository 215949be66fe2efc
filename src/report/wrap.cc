// Finds where lines may break: at spaces, and beside letters of Chinese and Japanese.
#include "report/wrap.h"

#include <algorithm>
#include <array>

#include "base/rune.h"
#include "report/display_width.h"

namespace stepscope {
namespace {

// The end of the text at `at` up to a space. A number and its unit are one word: "1.24 ms" does not
// break.
size_t SpacedEnd(std::string_view text, size_t at) {
  constexpr std::array<std::string_view, 10> kUnits = {"ns", "µs", "ms", "s",  "%",
                                                       "B",  "kB", "MB", "GB", "TB"};
  const size_t end = std::min(text.find(' ', at), text.size());
  if (end == at || end == text.size() || text[end - 1] < '0' || text[end - 1] > '9') return end;
  const size_t next = std::min(text.find(' ', end + 1), text.size());
  std::string_view unit = text.substr(end + 1, next - end - 1);
  while (!unit.empty() && std::string_view(".,;:)").contains(unit.back())) unit.remove_suffix(1);
  return std::ranges::find(kUnits, unit) != kUnits.end() ? next : end;
}

// No line begins with these, nor ends with those of kOpens.
constexpr std::u32string_view kCloses =
    U"、。，．・：；！？）」』】〉》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…";
constexpr std::u32string_view kOpens = U"（「『【〈《";

// The end of the word at `at`: as far as no line breaks.
size_t WordEnd(std::string_view text, size_t at) {
  const size_t end = SpacedEnd(text, at);
  for (size_t next = at; next < end;) {
    const Rune rune = DecodeRune(text, next);
    const bool wide = DisplayWidth(text.substr(next, rune.length)) == 2;
    next += rune.length;
    if (next >= end) break;
    const Rune then = DecodeRune(text, next);
    const bool beside = wide || DisplayWidth(text.substr(next, then.length)) == 2;
    if (beside && !kOpens.contains(rune.code) && !kCloses.contains(then.code)) return next;
  }
  return end;
}

}  // namespace

std::vector<std::string> WrapLines(std::string_view text, size_t first, size_t rest) {
  std::vector<std::string> lines(1);
  size_t used = 0;
  bool spaced = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      spaced = true;
      ++at;
      continue;
    }
    const size_t end = WordEnd(text, at);
    const std::string_view word = text.substr(at, end - at);
    at = end;
    const size_t wide = DisplayWidth(word), gap = spaced && used > 0 ? 1 : 0;
    const size_t room = lines.size() == 1 ? first : rest;
    const bool breaks = used > 0 && used + gap + wide > room;
    if (breaks) {
      lines.emplace_back();
      used = 0;
    }
    lines.back().append(breaks ? 0 : gap, ' ').append(word);
    used += wide + (breaks ? 0 : gap);
    spaced = false;
  }
  return lines;
}

std::string WithoutLastWord(std::string_view line) {
  size_t last = 0;
  for (size_t at = 0; at < line.size();) {
    last = at;
    at = line[at] == ' ' ? at + 1 : WordEnd(line, at);
  }
  const std::string_view rest = line.substr(0, last);
  return std::string(rest.substr(0, rest.find_last_not_of(' ') + 1));
}

}  // namespace stepscope
