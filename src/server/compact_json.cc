// One pass each.
#include "server/compact_json.h"

namespace stepscope::server {

std::string CompactJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_text = false;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_text && c == '\\' && at + 1 < json.size()) {
      out += c;
      out += json[++at];
      continue;
    }
    if (c == '"') in_text = !in_text;
    if (in_text || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) out += c;
  }
  return out;
}

std::string ScriptSafeJson(std::string_view json) {
  constexpr std::string_view kLineSeparator = "\u2028", kParagraphSeparator = "\u2029";
  constexpr std::string_view kHarmful = "/!sS";  // after '<': </script, <!--, <script
  std::string out;
  out.reserve(json.size());
  for (size_t at = 0; at < json.size(); ++at) {
    const std::string_view rest = json.substr(at);
    // Outside of texts JSON has no '<'. Most names of kernels have many that harm nobody.
    if (rest[0] == '<' && (rest.size() == 1 || kHarmful.contains(rest[1]))) {
      out += "\\u003c";
    } else if (rest.starts_with(kLineSeparator) || rest.starts_with(kParagraphSeparator)) {
      out += rest.starts_with(kLineSeparator) ? "\\u2028" : "\\u2029";
      at += kLineSeparator.size() - 1;
    } else {
      out += rest[0];
    }
  }
  return out;
}

}  // namespace stepscope::server
