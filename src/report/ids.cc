// Hashes what a finding or a row is about.
#include "report/ids.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <string_view>
#include <variant>

namespace stepscope {
namespace {

uint64_t HashOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

// Ends in a byte that no number and few names have, so that cells do not run together.
void AppendCell(std::string& out, const Cell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) out += fmt::format("{}", *number);
  if (const auto* real = std::get_if<double>(&cell)) out += fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) out += *text;
  out += '\0';
}

// Which analysis speaks for a cause is a matter of the recording. What has no cause known to others
// is its analysis' own.
std::string_view SubjectOf(const Report& report, const Finding& f) {
  return f.cause.kind == CauseKind::kNone ? std::string_view(report.analysis)
                                          : CauseName(f.cause.kind);
}

// Since when it is there is a matter of the recording, too.
uint64_t HashOf(const Report& report, const Finding& f) {
  const auto say = [](const std::optional<int64_t>& number) {
    return number ? fmt::format("{}", *number) : std::string("-");
  };
  std::string about(SubjectOf(report, f));
  if (f.cause.kind == CauseKind::kNone) about += " " + f.table;
  return HashOf(fmt::format("{} {} {}", about, say(f.cause.rank), say(f.cause.step)));
}

}  // namespace

std::string IdOf(const Report& report, const Finding& finding) {
  const uint64_t hash = HashOf(report, finding);
  int place = 0;
  for (const Finding& other : report.findings) {
    place += HashOf(report, other) == hash ? 1 : 0;
    if (&other == &finding) break;
  }
  const std::string later = place > 1 ? fmt::format(".{}", place) : "";
  return fmt::format("{}#{:04x}{}", SubjectOf(report, finding), hash & 0xffff, later);
}

std::string IdOf(const Report& report, const Table& table, const std::vector<Cell>& row) {
  std::string keys;
  for (size_t c = 0; c < row.size() && c < table.columns.size(); ++c) {
    if (table.columns[c].role == Role::kKey) AppendCell(keys, row[c]);
  }
  if (keys.empty()) {
    for (const Cell& cell : row) AppendCell(keys, cell);
  }
  return fmt::format("{}.{}#{:08x}", report.analysis, table.key, HashOf(keys) & 0xffffffff);
}

}  // namespace stepscope
