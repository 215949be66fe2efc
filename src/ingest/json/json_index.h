// Indexes a piece of JSON text: where every bracket, colon, comma, string and scalar begins.
// Parsing walks this index: a value's token ends where the next one begins, and skipping a value
// costs a nanosecond per token.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace stepscope {

class JsonIndex {
 public:
  enum class Outcome : uint8_t {
    kIndexed,
    kInvalidText,  // bytes that no JSON text may hold; see ReplaceInvalid()
    kBroken,       // a string does not end, or the index cannot be made
  };

  // Indexes [begin, end). The byte at `end` must be 0 while the index is walked: it is what the
  // walk sees when the text ends too early.
  Outcome Index(const char* begin, const char* end);

  const char* text() const { return text_; }
  const uint32_t* first() const { return offsets_.get(); }

 private:
  bool Reserve(size_t bytes);

  const char* text_ = nullptr;
  std::unique_ptr<uint32_t[]> offsets_;
  size_t capacity_ = 0;  // bytes of text that it has room for
};

// A position in an indexed text. Behind the last token it stands at the zero byte and must not be
// advanced further; every function here stops there.
class JsonWalk {
 public:
  explicit JsonWalk(const JsonIndex& index) : text_(index.text()), token_(index.first()) {}

  char Peek() const { return text_[*token_]; }
  const char* At() const { return text_ + *token_; }
  void Advance() { ++token_; }
  bool Consume(char c) {
    if (Peek() != c) return false;
    ++token_;
    return true;
  }

  // What is between the quotes of the string at hand, escapes and all. The next token comes right
  // behind it, but for space.
  std::string_view PeekString() const {
    const char* from = At() + 1;
    const char* end = text_ + token_[1];
    while (end > from && *--end != '"') {
    }
    return {from, end};
  }

  // Passes over the value at hand, brackets and all. False if the text ends first.
  bool Skip() { return SkipLevels(0); }
  // Passes over the rest of the object or array the walk is inside of.
  bool SkipToEndOfContainer() { return SkipLevels(1); }

  // Passes over the value at hand and gives its text: to the next token for a scalar, space behind
  // it included, and to its bracket for an array or object. Empty if the text ends first.
  std::string_view TakeValue() {
    const char* from = At();
    if (*from != '{' && *from != '[' && *from != '}' && *from != ']' && *from != '\0') {
      ++token_;
      return {from, At()};
    }
    if (!Skip()) return {};
    return {from, text_ + token_[-1] + 1};
  }

 private:
  // By value, so that a walk can live in registers.
  struct Skipped {
    const uint32_t* token;
    bool whole;
  };
  static Skipped SkipFrom(const char* text, const uint32_t* token, int64_t depth);
  bool SkipLevels(int64_t depth) {
    const Skipped skipped = SkipFrom(text_, token_, depth);
    token_ = skipped.token;
    return skipped.whole;
  }

  const char* text_;
  const uint32_t* token_;
};

}  // namespace stepscope
