// Changes JSON as a tree of values: members and elements are swapped, copied, dropped and given
// other types. Damaged text is scanned as far as it goes; several documents may follow each other.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/chance.h"

namespace stepscope::fuzz {

// Half-open ranges of a text.
struct JsonPart {
  size_t key = 0, key_end = 0;  // with quotes; empty: an element, or a document
  size_t value = 0, end = 0;

  size_t begin() const { return key < key_end ? key : value; }
};

class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : text_(text) {
    while (at_ < text_.size() && parts_.size() < kMost) TakeItem(0, false);
  }
  const std::vector<JsonPart>& parts() const { return parts_; }

 private:
  static constexpr size_t kMost = 4096;  // parts
  static constexpr int kDeepest = 100;

  char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n,", at_), text_.size()); }

  void SkipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
    at_ = std::min(at_ + 1, text_.size());
  }

  // A member, an element or a document, or a character that has no place here.
  void TakeItem(int depth, bool member) {
    SkipSpace();
    if (at_ >= text_.size()) return;
    JsonPart part{.value = at_};
    if (member && Next() == '"') {
      part.key = at_;
      SkipString();
      part.key_end = at_;
      at_ = std::min(text_.find_first_not_of(" \t\r\n:", at_), text_.size());
      part.value = at_;
    }
    const size_t mine = parts_.size();
    parts_.push_back(part);
    TakeValue(depth);
    parts_[mine].end = at_;
  }

  void TakeValue(int depth) {
    const char first = Next();
    if (first == '"') return SkipString();
    if ((first == '{' || first == '[') && depth < kDeepest) return TakeList(depth, first);
    const size_t end = std::min(text_.find_first_of(",:]}{[\" \t\r\n", at_), text_.size());
    at_ = std::max(end, std::min(at_ + 1, text_.size()));
  }

  void TakeList(int depth, char opening) {
    const char closing = opening == '{' ? '}' : ']';
    ++at_;
    while (parts_.size() < kMost) {
      SkipSpace();
      if (at_ >= text_.size()) return;
      if (Next() == closing) {
        ++at_;
        return;
      }
      TakeItem(depth + 1, opening == '{');
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<JsonPart> parts_;
};

inline std::string OddJson(std::string_view old, Chance& chance) {
  constexpr std::array<std::string_view, 30> kOdd = {"0",
                                                     "-0",
                                                     "1",
                                                     "-1",
                                                     "0.5",
                                                     "1e308",
                                                     "-1e308",
                                                     "1e-400",
                                                     "1e999",
                                                     "9223372036854775807",
                                                     "-9223372036854775808",
                                                     "9223372036854775808",
                                                     "18446744073709551615",
                                                     "1e18",
                                                     "4294967296",
                                                     "2147483648",
                                                     "0.0000001",
                                                     "123456789012345678901234567890",
                                                     "null",
                                                     "true",
                                                     "false",
                                                     "[]",
                                                     "{}",
                                                     "\"\"",
                                                     "\"a\"",
                                                     "\"\\ud800\"",
                                                     "\"\\u0000\"",
                                                     "\"1\"",
                                                     "[0]",
                                                     "{\"a\":0}"};
  switch (chance.Below(8)) {
    case 0:
      return "[" + std::string(old) + "]";
    case 1:
      return "{\"a\":" + std::string(old) + "}";
    case 2:
      return old.starts_with('"') && old.size() > 1 ? std::string(old.substr(1, old.size() - 2))
                                                    : "\"" + std::string(old) + "\"";
    default:
      return std::string(chance.Of(kOdd));
  }
}

// Another text; the same where there is nothing to change.
inline std::string MutateJson(std::string_view text, Chance& chance) {
  const std::vector<JsonPart> parts = JsonScan(text).parts();
  if (parts.empty()) return std::string(text);
  const auto of = [&](size_t begin, size_t end) { return text.substr(begin, end - begin); };
  const auto replaced = [&](size_t begin, size_t end, std::string_view by) {
    return std::string(of(0, begin)).append(by).append(of(end, text.size()));
  };
  const JsonPart& one = chance.Of(parts);
  const JsonPart& other = chance.Of(parts);
  const std::string_view value = of(one.value, one.end);
  switch (chance.Below(8)) {
    case 0: {  // drop, with the comma behind it or before
      const size_t comma = std::min(text.find_first_not_of(" \t\r\n", one.end), text.size());
      const bool has = comma < text.size() && text[comma] == ',';
      return replaced(one.begin(), has ? comma + 1 : one.end, "");
    }
    case 1: {  // twice
      const std::string copy(of(one.begin(), one.end));
      return replaced(one.end, one.end, (chance.OneIn(8) ? "\n" : ",") + copy);
    }
    case 2:  // a copy of another value
      return replaced(one.value, one.end, of(other.value, other.end));
    case 3:  // a copy of another member or element behind it
      return replaced(one.end, one.end, "," + std::string(of(other.begin(), other.end)));
    case 4: {  // swapped, where none is in the other
      const JsonPart& first = one.value < other.value ? one : other;
      const JsonPart& second = one.value < other.value ? other : one;
      if (second.value < first.end) return replaced(one.value, one.end, OddJson(value, chance));
      const std::string swapped = replaced(second.value, second.end, of(first.value, first.end));
      return swapped.substr(0, first.value) + std::string(of(second.value, second.end)) +
             swapped.substr(first.end);
    }
    case 5:  // the name of another member
      if (one.key < one.key_end && other.key < other.key_end)
        return replaced(one.key, one.key_end, of(other.key, other.key_end));
      [[fallthrough]];
    case 6:
      return replaced(one.value, one.end, OddJson(value, chance));
    default:
      return replaced(one.value, one.end, chance.Changed(value));
  }
}

}  // namespace stepscope::fuzz
