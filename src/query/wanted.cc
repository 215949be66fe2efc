// Finds the analyses of tables.
#include "query/wanted.h"

#include <algorithm>
#include <functional>

#include "base/ascii.h"
#include "base/nearest_name.h"
#include "query/event_table.h"
#include "query/ledger_tables.h"
#include "stepscope/session.h"

namespace stepscope::query {
namespace {

// Tables of all reports together.
constexpr std::string_view kOfAll[] = {"findings", "notes", "runs"};
constexpr std::string_view kMain = "main.";

bool Has(const auto& all, const auto& one, auto by) {
  return std::ranges::find(all, one, by) != all.end();
}

bool IsAnalysis(std::string_view name) { return Has(Session::List(), name, &AnalysisInfo::name); }

void Want(std::string_view name, Wanted& wanted) {
  if (name.starts_with(kMain)) name.remove_prefix(kMain.size());
  const size_t dot = name.find('.');
  if (dot != name.npos) {
    const std::string schema(name.substr(0, dot));
    if (IsAnalysis(schema)) wanted.analyses.push_back(schema);
    return;
  }
  if (Has(EventTables(), name, &EventTableName::name)) wanted.events = true;
  if (IsLedgerTable(name)) wanted.ledgers = true;
  if (std::ranges::find(kOfAll, name) != std::end(kOfAll)) wanted.all = true;
  for (const Alias& alias : kAliases) {
    if (name == alias.name) wanted.analyses.emplace_back(alias.schema);
  }
}

}  // namespace

Wanted WantedFor(const std::optional<std::vector<std::string>>& names) {
  Wanted wanted;
  if (!names) return {.all = true, .events = true, .ledgers = true};
  for (const std::string& name : *names) Want(Lower(name), wanted);
  std::ranges::sort(wanted.analyses);
  const auto again = std::ranges::unique(wanted.analyses);
  wanted.analyses.erase(again.begin(), again.end());
  return wanted;
}

std::string NearestTable(const std::vector<std::string>& names,
                         const std::vector<std::string>& known) {
  std::vector<std::string> analyses;
  for (const AnalysisInfo& info : Session::List()) analyses.push_back(info.name);
  for (const std::string& name : names) {
    const std::string lower = Lower(name);
    if (Has(known, lower, std::identity())) continue;
    const std::string schema = lower.substr(0, lower.find('.'));
    const bool of_analysis = schema == lower || Has(analyses, schema, std::identity());
    std::string near = of_analysis ? NearestName(lower, known) : NearestName(schema, analyses);
    if (!near.empty()) return near;
  }
  return {};
}

}  // namespace stepscope::query
