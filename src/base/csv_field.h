// Quotes fields of CSV.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Appends `text` as one field (RFC 4180). A field that begins with '#' is quoted too, so that no
// record is taken for a comment.
inline void AppendCsvField(std::string& out, std::string_view text) {
  if (!text.starts_with('#') && text.find_first_of(",\"\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

}  // namespace stepscope
