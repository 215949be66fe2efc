// Looks at what stands around brackets.
#include "ingest/json/json_restart.h"

#include <algorithm>

#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

size_t BehindSpace(std::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at;
}

// The end of what stands before `at`, but for space.
size_t BeforeSpace(std::string_view text, size_t at) {
  while (at > 0 && IsSpace(text[at - 1])) --at;
  return at;
}

// What is between the quotes that begin at `at`; empty where there are none within reach.
std::string_view QuotedAt(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '"') return {};
  const size_t end = text.substr(0, std::min(text.size(), at + kStartReach)).find('"', at + 1);
  return end == text.npos ? std::string_view() : text.substr(at + 1, end - at - 1);
}

// The name of the list whose bracket is at `at`. What is between them may be damaged.
std::string_view NameBefore(std::string_view text, size_t at) {
  constexpr size_t kBetween = 8;
  const size_t reach = std::min(at, kStartReach);
  text = text.substr(at - reach, reach);
  const size_t end = text.rfind('"');
  if (end == text.npos || text.size() - end > kBetween) return {};
  const size_t begin = text.substr(0, end).rfind('"');
  return begin == text.npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

}  // namespace

JsonStart FindJsonStart(std::string_view text, size_t from) {
  for (size_t at = text.find('{', from); at != text.npos; at = text.find('{', at + 1)) {
    const std::string_view key = QuotedAt(text, BehindSpace(text, at + 1));
    const size_t before = BeforeSpace(text, at);
    const char last = before > 0 ? text[before - 1] : '\0';
    if (key.empty() || last == ':') continue;
    JsonStart start{.at = at, .key = key, .begins = last == '[', .name = {}};
    if (start.begins) start.name = NameBefore(text, before - 1);
    return start;
  }
  return {};
}

}  // namespace stepscope
