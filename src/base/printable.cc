// Escapes control characters and bytes that are not UTF-8.
#include "base/printable.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/rune.h"

namespace stepscope {
namespace {

void AppendControl(std::string& out, char32_t code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code == '\r') {
    out += "\\r";
  } else {
    const bool is_ascii = code < 0x80;
    out += fmt::format("\\{}{:0{}x}", is_ascii ? 'x' : 'u', static_cast<uint32_t>(code),
                       is_ascii ? 2 : 4);
  }
}

bool IsPlain(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

void AppendPrintable(std::string& out, std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = at;
    while (at < text.size() && IsPlain(text[at])) ++at;
    out.append(text, start, at - start);
    if (at == text.size()) return;
    const Rune rune = DecodeRune(text, at);
    const std::string_view bytes = text.substr(at, rune.length);
    at += rune.length;
    if (!rune.valid) {
      for (const char c : bytes) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    } else if (!IsControl(rune.code)) {
      out += bytes;
    } else {
      AppendControl(out, rune.code);
    }
  }
}

std::string Printable(std::string_view text) {
  std::string out;
  AppendPrintable(out, text);
  return out;
}

}  // namespace stepscope
