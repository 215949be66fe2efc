// Takes grids of long tables before these are cut.
#include "server/page_answer.h"

#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "report/rank_grid.h"
#include "stepscope/cut_rows.h"
#include "stepscope/language.h"
#include "stepscope/write.h"

namespace stepscope::server {
namespace {

std::string NameOf(const CutTable& cut) { return cut.analysis + "." + cut.table; }

std::string CutJson(const std::vector<CutTable>& tables,
                    const std::map<std::string, std::string>& grids) {
  constexpr auto kCompact = JsonWriter::Form::kCompact;
  JsonWriter json;
  json.BeginObject(kCompact);
  for (const CutTable& table : tables) {
    json.Key(NameOf(table));
    json.BeginObject(kCompact);
    json.Number("rows", table.rows);
    json.Key("grid");
    json.Bool(grids.contains(NameOf(table)));
    json.End();
  }
  json.End();
  return std::move(json).Take();
}

// Another member of an object that is JSON already.
void AddMember(std::string& json, std::string_view key, std::string_view value) {
  json.resize(json.rfind('}'));
  json.append(", \"").append(key).append("\": ").append(value).append("}\n");
}

}  // namespace

std::map<std::string, std::string> GridsOf(const ReportSet& answer, int64_t most_rows) {
  std::map<std::string, std::string> grids;
  if (most_rows <= 0) return grids;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      if (std::cmp_less_equal(table.rows.size(), most_rows)) continue;
      const auto grid = RankGridOf(table);
      if (!grid) continue;
      const std::string name = report.analysis + "." + table.key;
      grids.emplace(name, GridJson(table, *grid));
      for (const size_t column : grid->columns)
        grids.emplace(name + "." + table.columns[column].key, GridBytes(table, *grid, column));
    }
  }
  return grids;
}

PageAnswer AnswerForPage(ReportSet answer, int64_t most_rows) {
  PageAnswer page{.json = {}, .grids = GridsOf(answer, most_rows)};
  const std::vector<CutTable> cut = CutRows(answer, most_rows);
  page.json = ToJson(answer, kOtherLanguages);
  if (!cut.empty()) AddMember(page.json, "cut", CutJson(cut, page.grids));
  return page;
}

}  // namespace stepscope::server
