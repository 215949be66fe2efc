// Finds marked events, and writes their arguments.
#include "export/marks.h"

#include <fmt/format.h>

namespace stepscope {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kArguments = "\"args\"";

// Behind the string that begins at `at`.
size_t BehindString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Where the value of the event's own "args" begins; npos if it has none. Other members may hold
// objects of any depth.
size_t ArgumentsAt(std::string_view event) {
  int depth = 0;
  for (size_t at = 0; at < event.size();) {
    const char c = event[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') {
      ++at;
      continue;
    }
    const size_t behind = BehindString(event, at);
    const bool is_it = depth == 1 && event.substr(at, behind - at) == kArguments;
    at = behind;
    if (!is_it) continue;
    const size_t colon = event.find_first_not_of(kSpace, at);
    if (colon == event.npos || event[colon] != ':') continue;  // a value
    return event.find_first_not_of(kSpace, colon + 1);
  }
  return event.npos;
}

}  // namespace

const EventMark* EventMarks::Find(int64_t start, int64_t end, std::string_view name) const {
  if (marks_.empty()) return nullptr;
  const StringId id = names_->Find(name);
  if (id == kNoString) return nullptr;
  const auto found = marks_.find({start, end, id});
  return found == marks_.end() ? nullptr : &found->second;
}

std::string EventMarks::ArgumentsOf(const EventMark& mark) const {
  std::string text = mark.critical ? R"("critical": 1)" : "";
  if (mark.pattern == kNoPattern) return text;
  if (!text.empty()) text += ", ";
  return text + fmt::format(R"("Patterns": {{{}}})", patterns[mark.pattern]);
}

bool EventMarks::StaysWithCritical(Kind kind) {
  return kind == Kind::kAnnotation || kind == Kind::kGpuAnnotation || kind == Kind::kPython ||
         kind == Kind::kCounter || kind == Kind::kInstant;
}

std::string WithArguments(std::string_view event, std::string_view members) {
  const size_t args = ArgumentsAt(event);
  if (args == event.npos) {
    const size_t end = event.rfind('}');
    const bool any = event.find_last_not_of(kSpace, end - 1) != event.find('{');
    return fmt::format(R"({}{}"args": {{{}}}{})", event.substr(0, end), any ? ", " : "", members,
                       event.substr(end));
  }
  if (event[args] != '{') return std::string(event);
  const size_t first = event.find_first_not_of(kSpace, args + 1);
  const bool any = first != event.npos && event[first] != '}';
  return fmt::format("{}{}{}{}", event.substr(0, args + 1), members, any ? ", " : "",
                     event.substr(args + 1));
}

}  // namespace stepscope
