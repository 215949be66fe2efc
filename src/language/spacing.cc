// Looks at each pair of neighbours.
#include "language/spacing.h"

#include "base/ascii.h"
#include "base/rune.h"

namespace stepscope {
namespace {

enum class Script : char { kOther, kSpace, kLatin, kJapanese };

Script ScriptOf(const Rune& rune) {
  const char32_t c = rune.code;
  if (!rune.valid) return Script::kOther;
  if (c == ' ') return Script::kSpace;
  if (c == '%' || (c < 0x80 && IsWordChar(static_cast<char>(c)))) return Script::kLatin;
  const bool kana = c > 0x3040 && c <= 0x30ff && c != U'・';
  return kana || (c >= 0x4e00 && c <= 0x9fff) ? Script::kJapanese : Script::kOther;
}

bool Meet(Script a, Script b) {
  return (a == Script::kJapanese && b == Script::kLatin) ||
         (a == Script::kLatin && b == Script::kJapanese);
}

}  // namespace

std::string SpacedJapanese(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Script before = Script::kOther, last = Script::kOther;  // the one before a space; the last
  for (size_t at = 0; at < text.size();) {
    const Rune rune = DecodeRune(text, at);
    const Script script = ScriptOf(rune);
    const bool needless =
        last == Script::kSpace && before == Script::kJapanese && script == Script::kJapanese;
    if (needless) out.pop_back();
    if (Meet(last, script)) out += ' ';
    out += text.substr(at, rune.length);
    at += rune.length;
    if (script == Script::kSpace) before = last;
    last = script;
  }
  return out;
}

}  // namespace stepscope
