// Walks the tokens of a value by the grammar of RFC 8259.
#include "ingest/json/strict_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

constexpr std::string_view kNull = "null", kReplacement = "\\ufffd";
// As Python, C++ and JavaScript print them.
constexpr auto kNoNumbers =
    std::to_array<std::string_view>({"NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf"});

enum class Number : uint8_t { kFinite, kTooLarge, kNone };

Number KindOfNumber(std::string_view token) {
  constexpr size_t kSafeDigits = 300, kSafeExponent = 2;
  if (!IsJsonNumber(token)) return Number::kNone;
  const size_t mark = token.find_first_of("eE");
  const size_t exponent = mark == token.npos ? 0 : token.size() - mark - 1;
  if (exponent <= kSafeExponent && token.size() - exponent <= kSafeDigits - 100)
    return Number::kFinite;
  return nlohmann::json::accept(token) ? Number::kFinite : Number::kTooLarge;
}

}  // namespace

StrictJson::Outcome StrictJson::Check(JsonWalk walk) {
  const char* from = walk.At();
  JsonWalk behind = walk;
  const std::string_view original = behind.TakeValue();
  if (original.empty()) return Outcome::kNoJson;
  plain_ = !original.contains('\\');
  edits_.clear();
  objects_.clear();
  if (!Value(walk)) return Outcome::kNoJson;
  text_ = {from, original.size()};
  if (edits_.empty()) return Outcome::kJson;
  Mend(original);
  return Outcome::kMended;
}

StrictJson::Outcome StrictJson::CheckWhole(const std::string& text) {
  const char* const end = text.data() + text.size();
  if (index_.Index(text.data(), end) != JsonIndex::Outcome::kIndexed) return Outcome::kNoJson;
  const JsonWalk walk(index_);
  JsonWalk behind = walk;
  if (walk.At() != text.data() || behind.TakeValue().empty() || behind.At() != end)
    return Outcome::kNoJson;
  return Check(walk);
}

// A value with all that is in it; what is open is on a stack of its own.
bool StrictJson::Value(JsonWalk& walk) {
  while (true) {
    const char c = walk.Peek();
    if (c == '{' || c == '[') {
      walk.Advance();
      if (!walk.Consume(c == '{' ? '}' : ']')) {
        if (!Opened(walk, c == '{')) return false;
        continue;
      }
    } else if (!(c == '"' ? Text(walk) : Scalar(walk))) {
      return false;
    }
    while (!objects_.empty() && !walk.Consume(',')) {
      if (!walk.Consume(objects_.back() ? '}' : ']')) return false;
      objects_.pop_back();
    }
    if (objects_.empty()) return true;
    if (objects_.back() && !Key(walk)) return false;
  }
}

bool StrictJson::Opened(JsonWalk& walk, bool object) {
  if (objects_.size() == kMostLevels) return false;
  objects_.push_back(object);
  return !object || Key(walk);
}

bool StrictJson::Key(JsonWalk& walk) {
  return walk.Peek() == '"' && Text(walk) && walk.Consume(':');
}

bool StrictJson::Text(JsonWalk& walk) {
  const std::string_view inside = walk.PeekString();
  walk.Advance();
  if (plain_) return true;
  return ForEachEscape(inside, [&](size_t at, const Escape& escape) {
    if (escape.half) edits_.push_back({inside.data() + at, escape.length, kReplacement});
    return escape.length > 0;
  });
}

bool StrictJson::Scalar(JsonWalk& walk) {
  const std::string_view token = WithoutSpace(walk.TakeValue());
  if (token.empty()) return false;
  if (token == "true" || token == "false" || token == kNull) return true;
  const Number number = KindOfNumber(token);
  if (number == Number::kFinite) return true;
  if (number == Number::kNone && std::ranges::find(kNoNumbers, token) == kNoNumbers.end())
    return false;
  edits_.push_back({token.data(), token.size(), kNull});
  return true;
}

void StrictJson::Mend(std::string_view original) {
  mended_.clear();
  const char* at = original.data();
  for (const Edit& edit : edits_) {
    mended_.append(at, edit.at);
    mended_ += edit.by;
    at = edit.at + edit.length;
  }
  mended_.append(at, original.data() + original.size());
  text_ = mended_;
}

}  // namespace stepscope
