// Splits names at their separators.
#include "goodput/accounting/writer.h"

#include <charconv>

namespace stepscope::goodput {
namespace {

// The text up to the separator, which is removed with it.
std::string_view TakePart(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return part;
}

int64_t NumberAt(std::string_view text) {
  int64_t number = kNoRank;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? number : kNoRank;
}

}  // namespace

WriterName WriterName::Of(std::string_view writer) {
  WriterName name;
  const std::string_view all = writer;
  const std::string_view host = TakePart(writer, '/');
  const std::string_view rank = TakePart(writer, '/');
  const std::string_view boot = TakePart(writer, '/');
  if (!boot.empty() || rank == "-") {
    name = {.host = std::string(host), .boot = std::string(boot), .rank = NumberAt(rank)};
  } else if (const size_t at = all.find("rank"); at != all.npos) {
    std::string_view number = all.substr(at + 4);
    number.remove_prefix(std::min(number.find_first_of("0123456789"), number.size()));
    name.rank = NumberAt(number);
  }
  return name;
}

AttemptName AttemptName::Of(std::string_view id) {
  AttemptName all{.name = TakePart(id, '~'), .scheduler = {}, .launcher = {}};
  while (!id.empty()) {
    const std::string_view part = TakePart(id, '~');
    (part.starts_with("torchelastic.") ? all.launcher : all.scheduler) = part;
  }
  return all;
}

Restarts Restarts::Of(std::string_view part) {
  const size_t dot = part.rfind('.');
  Restarts restarts{.name = part.substr(0, dot), .count = std::nullopt};
  if (dot == part.npos) return restarts;
  const int64_t count = NumberAt(part.substr(dot + 1));
  if (count != kNoRank) restarts.count = count;
  return restarts;
}

}  // namespace stepscope::goodput
