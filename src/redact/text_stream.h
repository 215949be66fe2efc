// Rewrites JSON, JSON lines, logs, YAML and tables as they stream by, byte for byte but for what is
// private.
//
// It follows brackets and quotes and asks for no valid document: damaged text stays as damaged as
// it was. A newline ends a text that has no closing quote. Keys tell what their values are, of
// tables the first line does. Memory: one line or one text at a time, and a cache of 64 MB.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "redact/hints.h"
#include "redact/redactor.h"
#include "stepscope/result.h"

namespace stepscope::redact {

class TextStream {
 public:
  static constexpr size_t kLongestText = size_t{64} << 20;
  using Write = std::function<Result<void>(std::string_view)>;

  // Learns if `learned` is not null; then nothing is written. All must outlive the stream.
  TextStream(const Redactor& redactor, KnownWords* learned, Write write);

  // Takes the next piece. Fails if writing does, or a text is longer than kLongestText.
  Result<void> Add(std::string_view piece);
  // Ends the last text.
  Result<void> Finish();

 private:
  enum class In : uint8_t { kBare, kText, kEscape };
  // An object or array that is open.
  struct Frame {
    bool object = false;
    Hint hint = Hint::kNone;      // of all texts in it
    Hint key_hint = Hint::kNone;  // of the value that follows
    bool args = false;            // the key at hand is "args"
    bool name = false;            // the key at hand is "name" or "key"
  };

  void Take(std::string_view piece);
  size_t TakeBare(std::string_view piece, size_t at);
  size_t TakeText(std::string_view piece, size_t at);
  void Open(bool object);
  void EndBare();
  void EndText(bool closed);
  void Emit();  // the text that waits for a colon to tell whether it is a key
  void EmitText(Hint hint);
  void TakeKey();
  Hint HintOfValue() const;
  Hint HintOfKey(std::string_view key);
  void TakeHeader(std::string_view line);
  void TakeRow(std::string_view line);
  const std::string& Redacted(std::string_view text, Hint hint);
  Result<void> Flush();

  const Redactor& redactor_;
  KnownWords* learned_;
  Write write_;
  In in_ = In::kBare;
  std::vector<Frame> frames_;
  size_t too_deep_ = 0;             // frames that are open and not kept
  std::string bare_;                // between texts
  std::string text_;                // between quotes, as it stands
  bool waiting_ = false;            // text_ is whole
  Hint before_text_ = Hint::kNone;  // of key= before the quote
  bool in_pem_ = false;
  bool begun_ = false;
  char separator_ = 0;  // of a table's columns; 0: it is no table
  std::vector<Hint> columns_;
  std::string out_;

  StringTable keys_;
  std::vector<Hint> hints_;  // by id in keys_
  StringTable seen_;
  std::vector<std::string> redacted_;  // by id in seen_
  size_t seen_bytes_ = 0;
  std::string scratch_;
};

}  // namespace stepscope::redact
