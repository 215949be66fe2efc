// Walks the tokens of a document window by window. What a window ends in the middle of begins the
// next one, so that nothing but the path is kept from window to window.
#include "ingest/json/json_records.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/stop.h"
#include "ingest/json/json_scan.h"
#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

constexpr size_t kDeepest = 64;
constexpr size_t kLongestToken = size_t{1} << 30;

// The grammar of JSON, a token at a time.
class Grammar {
 public:
  explicit Grammar(JsonVisitor& visitor) : visitor_(visitor) {}

  // Whether strings have to be looked at one by one: the window has bytes that no JSON may hold.
  void CheckStrings(bool check) { check_ = check; }

  // Takes a token, with the space behind it. False where it has no place, or is none.
  bool Take(std::string_view token) {
    switch (token.front()) {
      case '{':
        return TakesValue() && Open(/*is_object=*/true);
      case '[':
        return TakesValue() && Open(/*is_object=*/false);
      case '}':
        return Close(/*is_object=*/true, Next::kKeyOrEnd);
      case ']':
        return Close(/*is_object=*/false, Next::kValueOrEnd);
      case ':':
        return Pass(Next::kColon, Next::kValue);
      case ',':
        return !open_.empty() &&
               Pass(Next::kCommaOrEnd, open_.back().is_object ? Next::kKey : Next::kValue);
      case '"':
        return String(WithoutSpace(token));
      default:
        return Scalar(WithoutSpace(token));
    }
  }

  bool done() const { return next_ == Next::kNothing; }

 private:
  enum class Next : uint8_t { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };
  struct Container {
    size_t path = 0;  // its length
    bool is_object = false, is_element = false;
  };

  bool TakesValue() const { return next_ == Next::kValue || next_ == Next::kValueOrEnd; }

  bool Pass(Next expected, Next next) {
    if (next_ != expected) return false;
    next_ = next;
    return true;
  }
  void Ended() { next_ = open_.empty() ? Next::kNothing : Next::kCommaOrEnd; }

  bool Open(bool is_object) {
    if (open_.size() >= kDeepest) return false;
    const bool is_element = is_object && !open_.empty() && !open_.back().is_object;
    open_.push_back({path_.size(), is_object, is_element});
    if (is_element) visitor_.BeginElement(path_);
    next_ = is_object ? Next::kKeyOrEnd : Next::kValueOrEnd;
    return true;
  }

  bool Close(bool is_object, Next empty) {
    const bool may_end = next_ == Next::kCommaOrEnd || next_ == empty;
    if (open_.empty() || open_.back().is_object != is_object || !may_end) return false;
    const Container closed = open_.back();
    open_.pop_back();
    path_.resize(closed.path);
    if (closed.is_element) visitor_.EndElement(path_);
    Ended();
    return true;
  }

  bool String(std::string_view token) {
    const bool is_key = next_ == Next::kKey || next_ == Next::kKeyOrEnd;
    if (token.size() < 2 || token.back() != '"' || (!is_key && !TakesValue())) return false;
    std::string_view text = token.substr(1, token.size() - 2);
    if (check_ && !IsText(text)) return false;
    if (text.contains('\\')) {
      if (!HasEscapes(text)) return false;
      text = TextOf(token, unescaped_);
    }
    if (is_key) {
      path_.resize(open_.back().path);
      if (!path_.empty()) path_ += '/';
      path_ += text;
      next_ = Next::kColon;
      return true;
    }
    visitor_.Text(path_, text);
    Ended();
    return true;
  }

  bool Scalar(std::string_view token) {
    if (!TakesValue()) return false;
    if (token == "true" || token == "false") {
      visitor_.Number(path_, token == "true" ? 1 : 0);
    } else if (token != "null") {
      if (!IsJsonNumber(token)) return false;
      int64_t value = 0;
      const char* const end = token.data() + token.size();
      const auto [stop, error] = std::from_chars(token.data(), end, value);
      if (stop == end && error == std::errc()) visitor_.Number(path_, value);
    }
    Ended();
    return true;
  }

  static bool IsText(std::string_view text) {
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    return std::ranges::none_of(text, control) && simdjson::validate_utf8(text);
  }

  static bool HasEscapes(std::string_view text) {
    return ForEachEscape(
        text, [](size_t, const Escape& escape) { return escape.length > 0 && !escape.half; });
  }

  JsonVisitor& visitor_;
  Next next_ = Next::kValue;
  bool check_ = false;
  std::string path_, unescaped_;
  std::vector<Container> open_;
};

// Reads a document through one window, which grows only where a token is longer.
class Document {
 public:
  Document(ByteSource& source, JsonVisitor& visitor, size_t window)
      : source_(source), grammar_(visitor), first_window_(window) {}

  JsonEnd Walk() {
    while (true) {
      StopIfAsked();
      if (!Fill()) return JsonEnd::kDamaged;
      const size_t tokens = Scan();
      // The last token may go on in the next window.
      const size_t whole = at_end_ || tokens == 0 ? tokens : tokens - 1;
      for (size_t t = 0; t < whole; ++t) {
        if (grammar_.done()) return Followed();
        if (!grammar_.Take(Token(t)))
          return MayGoOn(t, tokens) ? JsonEnd::kCutShort : JsonEnd::kDamaged;
      }
      if (at_end_) return grammar_.done() ? JsonEnd::kWhole : JsonEnd::kCutShort;
      Keep(whole < tokens ? offsets_[whole] : filled_);
    }
  }

 private:
  // False where a token is too long.
  bool Fill() {
    if (filled_ == window_.size()) {
      if (filled_ >= kLongestToken) return false;
      window_.resize(filled_ == 0 ? first_window_ : 2 * filled_);
      offsets_.resize(window_.size() + kJsonScanRoom + 1);
    }
    const size_t read = source_.Read(std::span(window_).subspan(filled_));
    filled_ += read;
    at_end_ = filled_ < window_.size();
    return true;
  }

  size_t Scan() {
    const JsonScan scan = ScanJson(window_.data(), filled_, offsets_.data());
    offsets_[scan.tokens] = static_cast<uint32_t>(filled_);
    // A character that the window's end cuts in two is in its last token.
    const size_t known = at_end_ || scan.tokens == 0 ? filled_ : offsets_[scan.tokens - 1];
    const bool utf8 = scan.ascii || simdjson::validate_utf8(window_.data(), known);
    grammar_.CheckStrings(scan.control_in_string || !utf8);
    return scan.tokens;
  }

  std::string_view Token(size_t t) const {
    return {window_.data() + offsets_[t], window_.data() + offsets_[t + 1]};
  }

  // Whether the rest of the token may be missing: it is the file's last one.
  bool MayGoOn(size_t token, size_t tokens) const {
    return at_end_ && token + 1 == tokens &&
           !std::string_view("{}[]:,").contains(window_[offsets_[token]]);
  }

  // Reads the rest, so that the source knows how it ends.
  JsonEnd Followed() {
    while (!at_end_) {
      StopIfAsked();
      at_end_ = source_.Read(window_) < window_.size();
    }
    return JsonEnd::kFollowed;
  }

  void Keep(size_t from) {
    filled_ -= from;
    std::memmove(window_.data(), window_.data() + from, filled_);
  }

  ByteSource& source_;
  Grammar grammar_;
  const size_t first_window_;
  std::vector<char> window_;
  std::vector<uint32_t> offsets_;  // of the window's tokens, and where the last one ends
  size_t filled_ = 0;
  bool at_end_ = false;
};

}  // namespace

JsonEnd WalkJson(ByteSource& source, JsonVisitor& visitor, size_t window) {
  return Document(source, visitor, window).Walk();
}

}  // namespace stepscope
