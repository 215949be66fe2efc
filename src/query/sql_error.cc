// Takes messages of DuckDB apart:
//
//   Binder Error: Referenced column "nme" not found in FROM clause!
//   Candidate bindings: "name"
//
//   LINE 1: SELECT nme FROM events
//                  ^
#include "query/sql_error.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace stepscope::query {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool IsAdvice(std::string_view line) {
  return line.starts_with("Did you mean") || line.starts_with("Candidate ") ||
         line.starts_with("Possible solutions") || line.starts_with("*") ||
         line.starts_with("\t") || line.starts_with("HINT");
}

void AddTo(std::string& text, std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return;
  if (!text.empty()) text += ' ';
  text += line.substr(begin);
}

// "LINE 1: SELECT nme FROM events" with a caret below becomes "line 1: nme FROM events".
std::string Place(std::string_view line, std::string_view below) {
  const size_t colon = line.find(": ");
  if (colon == line.npos) return std::string(line);
  const size_t caret = below.find('^');
  const size_t from = caret == below.npos || caret >= line.size() ? colon + 2 : caret;
  return fmt::format("line {}: {}", line.substr(5, colon - 5), line.substr(from));
}

// "Binder Error: " and others say which part of DuckDB speaks.
std::string_view WithoutKind(std::string_view message) {
  const size_t end = message.find(" Error: ");
  return end == message.npos || end > 24 ? message : message.substr(end + 8);
}

struct Known {
  std::string_view part, what, hint;
};
constexpr auto kKnown = std::to_array<Known>({
    {"Out of Memory", "the query needs more memory than it may use",
     "more with `query_memory`, fewer columns, or a WHERE before a GROUP BY or ORDER BY"},
    {"file system operations are disabled", "queries read no files and write none",
     "ask the tables that `query_schema` lists, and write the answer with -o FILE"},
    {"xtension", "queries load no extensions", "use what DuckDB has built in"},
});

}  // namespace

Error ErrorOf(std::string_view message) {
  message = message.substr(0, message.find("Stack Trace:"));
  Error error{"cannot answer the query: ", "", ""};
  std::string what;
  const std::vector<std::string_view> lines = LinesOf(WithoutKind(message));
  for (size_t l = 0; l < lines.size(); ++l) {
    if (lines[l].starts_with("LINE ")) {
      error.where = Place(lines[l], l + 1 < lines.size() ? lines[l + 1] : std::string_view());
      break;
    }
    AddTo(IsAdvice(lines[l]) ? error.hint : what, lines[l]);
  }
  for (const Known& known : kKnown) {
    if (!message.contains(known.part)) continue;
    return {std::string(known.what), error.where, std::string(known.hint)};
  }
  error.what += what;
  if (error.hint.empty())
    error.hint = "`query_schema` lists tables and columns; docs/query.md has examples";
  return error;
}

}  // namespace stepscope::query
