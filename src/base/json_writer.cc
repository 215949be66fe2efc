// Implements punctuation, indentation and escaping of JSON.
#include "base/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/exact.h"
#include "base/rune.h"

namespace stepscope {
namespace {

bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void AppendEscape(std::string& out, char32_t code) {
  switch (code) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = at;
    while (at < text.size() && IsPlain(text[at])) ++at;
    out.append(text, start, at - start);
    if (at == text.size()) break;
    const Rune rune = DecodeRune(text, at);
    if (!rune.valid) {
      out += "\xef\xbf\xbd";
    } else if (rune.code == '"' || rune.code == '\\' || IsControl(rune.code)) {
      AppendEscape(out, rune.code);
    } else {
      out.append(text, at, rune.length);
    }
    at += rune.length;
  }
  out += '"';
}

void JsonWriter::Begin(char open, char close, Form form) {
  NextItem();
  out_ += open;
  open_.push_back({close, form});
}

void JsonWriter::End() {
  const Open closed = open_.back();
  open_.pop_back();
  if (closed.has_items && closed.form == Form::kLines) NewLine();
  out_ += closed.close;
}

// Indents by one space per level: rows of large tables are deep, and every space is paid per row.
void JsonWriter::NewLine() {
  out_ += '\n';
  out_.append(open_.size(), ' ');
}

void JsonWriter::NextItem() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  Open& parent = open_.back();
  if (parent.has_items) out_ += ',';
  if (parent.form == Form::kLines) {
    NewLine();
  } else if (parent.has_items && parent.form == Form::kOneLine) {
    out_ += ' ';
  }
  parent.has_items = true;
}

void JsonWriter::Key(std::string_view key) {
  NextItem();
  AppendJsonString(out_, key);
  out_ += Compact() ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::String(std::string_view text) {
  NextItem();
  AppendJsonString(out_, text);
}

void JsonWriter::Int(int64_t value) {
  NextItem();
  AppendExact(out_, value);
}

void JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  NextItem();
  AppendExact(out_, value);
}

void JsonWriter::Bool(bool value) {
  NextItem();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  NextItem();
  out_ += "null";
}

void JsonWriter::Raw(std::string_view json) {
  NextItem();
  out_ += json;
}

}  // namespace stepscope
