// Walks the tokens of a document window by window. What a window ends in the middle of begins the
// next one, so that nothing but the path is kept from window to window.
#include "ingest/json/json_records.h"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_order_mark.h"
#include "base/stop.h"
#include "ingest/json/json_grammar.h"
#include "ingest/json/json_restart.h"
#include "ingest/json/json_scan.h"
#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

constexpr size_t kLongestToken = size_t{1} << 30;
constexpr size_t kMostText = 16;    // of what is damaged
constexpr int kMostScans = 10'000;  // of windows whose strings damage turned inside out

// Reads a document through one window, which grows only where a token is longer.
class Document {
 public:
  Document(ByteSource& source, JsonVisitor& visitor, size_t window)
      : source_(source),
        grammar_(visitor),
        first_window_(window),
        begin_(SkipByteOrderMark(source)) {}

  JsonRead Walk() {
    read_.end = WalkTokens();
    // To the end, so that the source knows how it is.
    while (!at_end_) {
      StopIfAsked();
      begin_ += filled_;
      filled_ = source_.Read(window_);
      at_end_ = filled_ < window_.size();
    }
    read_.bytes = begin_ + filled_;
    if (rest_) read_.rest = read_.bytes - *rest_;
    return std::move(read_);
  }

 private:
  JsonEnd WalkTokens() {
    while (true) {
      StopIfAsked();
      if (!Fill()) return EndAt(0, JsonEnd::kDamaged);
      Scan();
      size_t t = 0;
      while (t < whole_) {
        if (grammar_.done()) return EndAt(offsets_[t], JsonEnd::kFollowed);
        if (grammar_.Take(Token(t))) {
          ++t;
          continue;
        }
        if (MayGoOn(t)) return JsonEnd::kCutShort;
        const auto next = GoOnBehind(t);
        if (!next) return JsonEnd::kDamaged;
        t = *next;
      }
      if (t == kNewWindow) continue;
      if (at_end_) return grammar_.done() ? JsonEnd::kWhole : JsonEnd::kCutShort;
      Keep(whole_ < tokens_ ? offsets_[whole_] : filled_);
    }
  }

  // The document ends at a place of the window for whoever reads it.
  JsonEnd EndAt(size_t at, JsonEnd end) {
    rest_ = begin_ + at;
    return end;
  }

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

  void Scan() {
    const JsonScan scan = ScanJson(window_.data(), filled_, offsets_.data());
    tokens_ = scan.tokens;
    // The last token may go on in the next window.
    whole_ = at_end_ || tokens_ == 0 ? tokens_ : tokens_ - 1;
    offsets_[tokens_] = static_cast<uint32_t>(filled_);
    // A character that the window's end cuts in two is in its last token.
    const size_t known = at_end_ || tokens_ == 0 ? filled_ : offsets_[tokens_ - 1];
    const bool utf8 = scan.ascii || simdjson::validate_utf8(window_.data(), known);
    grammar_.CheckStrings(scan.control_in_string || !utf8);
  }

  std::string_view Token(size_t t) const {
    return {window_.data() + offsets_[t], window_.data() + offsets_[t + 1]};
  }

  // Whether the rest of the token may be missing: it is the file's last one.
  bool MayGoOn(size_t token) const {
    return at_end_ && token + 1 == tokens_ &&
           !std::string_view("{}[]:,").contains(window_[offsets_[token]]);
  }

  void CountDamage(size_t token) {
    if (++read_.damages > 1) return;
    read_.first = begin_ + offsets_[token];
    read_.first_text = WithoutSpace(Token(token)).substr(0, kMostText);
  }

  // The token that reading goes on with; kNewWindow: the first one of the next scan. Nothing: there
  // is none.
  static constexpr size_t kNewWindow = SIZE_MAX;
  std::optional<size_t> GoOnBehind(size_t damaged) {
    CountDamage(damaged);
    // A string before it may have swallowed what an element begins with.
    const bool string = damaged > 0 && window_[offsets_[damaged - 1]] == '"';
    const size_t at = offsets_[string ? damaged - 1 : damaged];
    const uint64_t from = begin_ + at, scanned = begin_ + filled_;
    const size_t next = FindElement(at);
    if (next == JsonStart::kNone) {
      rest_ = from;
      return std::nullopt;
    }
    read_.skipped += begin_ + next - from;
    const auto token = begin_ + filled_ == scanned ? TokenAt(next) : std::nullopt;
    if (token) return token;
    Keep(next);
    if (++scans_ <= kMostScans) return kNewWindow;
    EndAt(0, JsonEnd::kDamaged);
    return std::nullopt;
  }

  // Where an element begins that the grammar can go on with, in a window that may be another.
  size_t FindElement(size_t from) {
    while (true) {
      StopIfAsked();
      const std::string_view text(window_.data(), filled_);
      const size_t known = at_end_ ? filled_ : filled_ - std::min(filled_, kStartReach);
      JsonStart start = FindJsonStart(text, from);
      for (; start.at < known; start = FindJsonStart(text, start.at + 1)) {
        if (grammar_.GoOnAt(start)) return start.at;
      }
      if (at_end_) return JsonStart::kNone;
      const size_t kept = known - std::min(known, kStartReach);
      from = std::max(from, known) - kept;
      Keep(kept);
      Fill();
    }
  }

  // If strings are still told from what is not, brackets are tokens.
  std::optional<size_t> TokenAt(size_t at) const {
    const auto end = offsets_.begin() + static_cast<ptrdiff_t>(whole_);
    const auto token = std::lower_bound(offsets_.begin(), end, at);
    if (token == end || *token != at) return std::nullopt;
    return static_cast<size_t>(token - offsets_.begin());
  }

  void Keep(size_t from) {
    begin_ += from;
    filled_ -= from;
    std::memmove(window_.data(), window_.data() + from, filled_);
  }

  ByteSource& source_;
  JsonGrammar grammar_;
  const size_t first_window_;
  std::vector<char> window_;
  std::vector<uint32_t> offsets_;  // of the window's tokens, and where the last one ends
  uint64_t begin_ = 0;             // of the window, in the document
  size_t filled_ = 0, tokens_ = 0;
  size_t whole_ = 0;  // tokens that end in the window
  bool at_end_ = false;
  int scans_ = 0;
  std::optional<uint64_t> rest_;  // what nobody reads begins here
  JsonRead read_;
};

}  // namespace

JsonRead WalkJson(ByteSource& source, JsonVisitor& visitor, size_t window) {
  return Document(source, visitor, window).Walk();
}

}  // namespace stepscope
