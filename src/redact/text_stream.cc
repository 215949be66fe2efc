// Follows quotes and brackets with a small state machine.
#include "redact/text_stream.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "redact/characters.h"
#include "redact/json_escape.h"

namespace stepscope::redact {
namespace {

constexpr size_t kMostDepth = 1000;
constexpr size_t kCacheBytes = size_t{64} << 20;
constexpr size_t kFlushAt = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{1} << 20;  // of a table

bool IsStructure(char c) { return std::string_view("\"{}[],\n").contains(c); }

bool IsBlankText(std::string_view text) { return std::ranges::all_of(text, IsBlank); }

// Numbers and literals of JSON, and what stands between them.
bool SaysNothing(std::string_view bare) {
  const size_t letters = RunEnd(bare, 0, [](char c) { return !IsAlpha(c); });
  if (letters == bare.size() && !bare.contains('.') && !bare.contains(':')) return true;
  const std::string_view word = Trimmed(bare.starts_with(':') ? bare.substr(1) : bare);
  if (word == "true" || word == "false" || word == "null" || word == "NaN") return true;
  if (word.empty() || !(IsDigit(word[0]) || word[0] == '-')) return false;
  size_t dots = 0;
  const size_t end = RunEnd(word, 0, [&](char c) {
    dots += c == '.';
    return IsDigit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  });
  return end == word.size() && dots <= 1;
}

// The hint of key= or key: at the end of a bare text.
Hint HintAtEnd(std::string_view bare) {
  const std::string_view text = Trimmed(bare);
  if (!text.ends_with('=') && !text.ends_with(':')) return Hint::kNone;
  size_t begin = text.size() - 1;
  while (begin > 0 && (IsAlnum(text[begin - 1]) || text[begin - 1] == '_')) --begin;
  const Hint hint = HintOf(text.substr(begin, text.size() - 1 - begin));
  return hint == Hint::kMaybeSecret && text.ends_with('=') ? Hint::kSecret : hint;
}

}  // namespace

TextStream::TextStream(const Redactor& redactor, KnownWords* learned, Write write)
    : redactor_(redactor), learned_(learned), write_(std::move(write)) {}

const std::string& TextStream::Redacted(std::string_view text, Hint hint) {
  scratch_.assign(1, static_cast<char>(hint));
  scratch_ += text;
  if (seen_bytes_ > kCacheBytes) {
    seen_ = {};
    redacted_.clear();
    seen_bytes_ = 0;
  }
  const StringId id = seen_.Intern(scratch_);
  if (id < redacted_.size()) return redacted_[id];
  std::string out;
  if (learned_ != nullptr)
    redactor_.Learn(text, hint, *learned_);
  else
    out = redactor_.Text(text, hint);
  seen_bytes_ += scratch_.size() + out.size() + sizeof(std::string);
  return redacted_.emplace_back(std::move(out));
}

// Keys recur with every event.
Hint TextStream::HintOfKey(std::string_view key) {
  constexpr size_t kMostKeys = 100'000;
  if (keys_.size() > kMostKeys) {
    keys_ = {};
    hints_.clear();
  }
  const StringId id = keys_.Intern(key);
  if (id == hints_.size()) hints_.push_back(HintOf(key));
  return hints_[id];
}

Result<void> TextStream::Add(std::string_view piece) {
  Take(piece);
  if (bare_.size() > kLongestText || text_.size() > kLongestText) {
    return std::unexpected(
        Error{"a text in the file is longer than 64 MB", "", "leave this file out"});
  }
  return out_.size() >= kFlushAt ? Flush() : Result<void>();
}

Result<void> TextStream::Finish() {
  if (in_ != In::kBare) EndText(/*closed=*/false);
  Emit();
  EndBare();
  return Flush();
}

Result<void> TextStream::Flush() {
  if (learned_ != nullptr || out_.empty()) {
    out_.clear();
    return {};
  }
  auto written = write_(out_);
  out_.clear();
  return written;
}

void TextStream::Take(std::string_view piece) {
  for (size_t at = 0; at < piece.size();)
    at = in_ == In::kBare ? TakeBare(piece, at) : TakeText(piece, at);
}

// Takes at least one character, and returns where the rest begins.
size_t TextStream::TakeBare(std::string_view piece, size_t at) {
  if (separator_ != 0) {  // of a table, whole lines
    const size_t end = std::min(piece.find('\n', at), piece.size());
    bare_ += piece.substr(at, end - at);
    if (end == piece.size() && bare_.size() < kLongestLine) return end;
    TakeRow(bare_);
    bare_.clear();
    if (end == piece.size()) return end;
    out_ += '\n';
    return end + 1;
  }
  const bool first_line = !begun_;
  const auto goes_on = [&](char c) {
    return first_line ? c != '\n' && !std::string_view("\"{}[]").contains(c) : !IsStructure(c);
  };
  const size_t end = RunEnd(piece, at, goes_on);
  bare_ += piece.substr(at, end - at);
  if (end == piece.size()) return end;
  const char c = piece[end];
  if (waiting_ && !bare_.empty()) TakeKey();
  if (c == '\n' && first_line && !IsBlankText(bare_)) {
    TakeHeader(bare_);
  }
  if (c != '\n' || !IsBlankText(bare_)) begun_ = true;
  if (c == '"' && before_text_ == Hint::kNone) before_text_ = HintAtEnd(bare_);
  Emit();
  EndBare();
  if (c == '\n') before_text_ = Hint::kNone;
  if (c == '"') {
    in_ = In::kText;
    return end + 1;
  }
  if (c == '{' || c == '[') Open(c == '{');
  if (c == '}' || c == ']') {
    if (too_deep_ > 0)
      --too_deep_;
    else if (!frames_.empty())
      frames_.pop_back();
    if (!frames_.empty()) frames_.back().key_hint = Hint::kNone;
  }
  if (c == ',' && !frames_.empty() && too_deep_ == 0) {
    frames_.back().key_hint = Hint::kNone;
    frames_.back().args = frames_.back().name = false;
  }
  out_ += c;
  return end + 1;
}

size_t TextStream::TakeText(std::string_view piece, size_t at) {
  if (in_ == In::kEscape) {
    text_ += piece[at];
    in_ = In::kText;
    return at + 1;
  }
  const size_t end = RunEnd(piece, at, [](char c) { return c != '"' && c != '\\' && c != '\n'; });
  text_ += piece.substr(at, end - at);
  if (end == piece.size()) return end;
  if (piece[end] == '\\') {
    text_ += '\\';
    in_ = In::kEscape;
    return end + 1;
  }
  EndText(piece[end] == '"');
  return piece[end] == '"' ? end + 1 : end;
}

void TextStream::Open(bool object) {
  Frame frame{.object = object};
  if (!frames_.empty()) {
    const Frame& around = frames_.back();
    const Hint hint = around.hint == Hint::kNone ? around.key_hint : around.hint;
    const bool for_all = hint == Hint::kEnvironment || hint == Hint::kSecret;
    if (!object || for_all) frame.hint = hint;
    if (!object && around.args) frame.hint = Hint::kCommand;
  }
  if (too_deep_ > 0 || frames_.size() >= kMostDepth)
    ++too_deep_;
  else
    frames_.push_back(frame);
}

void TextStream::EndText(bool closed) {
  in_ = In::kBare;
  waiting_ = closed;
  if (closed) return;
  out_ += '"';
  out_ += Redacted(text_, HintOfValue());
  text_.clear();
}

Hint TextStream::HintOfValue() const {
  if (before_text_ != Hint::kNone) return before_text_;
  if (frames_.empty() || too_deep_ > 0) return Hint::kNone;
  const Frame& frame = frames_.back();
  if (frame.hint == Hint::kEnvironment && frame.key_hint != Hint::kSecret)
    return frame.name ? Hint::kNone : Hint::kEnvironment;
  return frame.key_hint == Hint::kNone ? frame.hint : frame.key_hint;
}

// A colon follows the text.
void TextStream::TakeKey() {
  const size_t colon = RunEnd(bare_, 0, IsBlank);
  if (colon == bare_.size() || bare_[colon] != ':') return;
  const std::string key = text_.contains('\\') ? Unescaped(text_) : text_;
  EmitText(Hint::kNone);
  if (frames_.empty() || too_deep_ > 0) {
    before_text_ = HintOfKey(key);
    return;
  }
  Frame& frame = frames_.back();
  if (!frame.object) return;
  frame.key_hint = HintOfKey(key);
  frame.args = key == "args" || key == "arguments";
  frame.name = key == "name" || key == "key";
}

// Writes the text as a value.
void TextStream::Emit() {
  if (waiting_) EmitText(HintOfValue());
}

void TextStream::EmitText(Hint hint) {
  waiting_ = false;
  before_text_ = Hint::kNone;
  const bool escaped = text_.contains('\\');
  const std::string plain = escaped ? Unescaped(text_) : std::string();
  const std::string_view meant = escaped ? std::string_view(plain) : std::string_view(text_);
  const std::string& redacted = Redacted(meant, hint);
  if (learned_ == nullptr) {
    if (redacted == meant) {
      out_ += '"';
      out_ += text_;
      out_ += '"';
    } else {
      AppendJsonString(out_, redacted);
    }
  }
  text_.clear();
}

void TextStream::EndBare() {
  if (bare_.empty()) return;
  if (in_pem_ || bare_.contains("-----BEGIN ")) {
    const bool ends = bare_.contains("-----END ");
    in_pem_ = !ends;
    if (!IsBlankText(bare_)) out_ += Redacted(bare_, Hint::kSecret);
  } else if (SaysNothing(bare_)) {
    out_ += bare_;
  } else {
    out_ += Redacted(bare_, Hint::kNone);
  }
  bare_.clear();
}

// The first line of a text: it may name columns.
void TextStream::TakeHeader(std::string_view line) {
  if (!frames_.empty() || waiting_) return;
  for (const char separator : {'|', '\t', ','}) {
    if (std::ranges::count(line, separator) < 2) continue;
    std::vector<Hint> columns;
    for (size_t at = 0; at <= line.size();) {
      const size_t next = std::min(line.find(separator, at), line.size());
      columns.push_back(HintOf(Trimmed(line.substr(at, next - at))));
      at = next + 1;
    }
    if (std::ranges::all_of(columns, [](Hint h) { return h == Hint::kNone; })) continue;
    separator_ = separator;
    columns_ = std::move(columns);
    return;
  }
}

void TextStream::TakeRow(std::string_view line) {
  size_t column = 0;
  for (size_t at = 0; at <= line.size(); ++column) {
    bool quoted = false;
    const size_t end = RunEnd(line, at, [&](char c) {
      quoted = quoted != (c == '"');
      return quoted || c != separator_;
    });
    out_ += Redacted(line.substr(at, end - at),
                     column < columns_.size() ? columns_[column] : Hint::kNone);
    if (end < line.size()) out_ += separator_;
    at = end + 1;
  }
}

}  // namespace stepscope::redact
