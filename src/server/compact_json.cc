// Compacts JSON in one pass.
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

}  // namespace stepscope::server
