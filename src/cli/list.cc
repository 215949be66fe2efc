// stepscope list, stepscope explain NAME: list the analyses and their definitions.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/root.h"
#include "stepscope/session.h"

namespace stepscope::cli {
namespace {

int List() {
  const auto analyses = Session::List();
  size_t width = 0;
  for (const AnalysisInfo& a : analyses) width = std::max(width, a.name.size());
  for (const AnalysisInfo& a : analyses) fmt::print("{:{}}  {}\n", a.name, width, a.summary);
  fmt::print("\n'stepscope explain NAME' describes an analysis.\n");
  return kDone;
}

int Explain(const std::string& name) {
  const auto info = Session::Explain(name);
  if (!info) return Fail(info.error());
  fmt::print("# {}: {}\n{}", info->name, info->title, info->doc);
  const bool times = std::ranges::any_of(
      info->params, [](const ParameterInfo& p) { return p.type == "integer" && p.unit == "ns"; });
  if (!info->params.empty()) {
    fmt::print("\n**Parameters**, set with -p {}.NAME=VALUE{}:\n\n", info->name,
               times ? " (times in ns, or with a unit: 50us)" : "");
  }
  for (const ParameterInfo& p : info->params) {
    const std::string unit = p.unit.empty() ? "" : " " + p.unit;
    const std::string preset =
        p.default_value.empty() ? "no default" : "default " + p.default_value + unit;
    fmt::print("- {} ({}, {}): {}\n", p.name, p.type, preset, p.message);
  }
  return kDone;
}

}  // namespace

void AddList(Command& root) {
  Command& command = root.Sub("list", "List the analyses");
  command.Examples({{"names and what each shows", "stepscope list"}});
  command.Runs(List);
}

void AddExplain(Command& root) {
  auto name = std::make_shared<std::string>();
  Command& command = root.Sub("explain", "Describe an analysis: definition, limits, parameters");
  std::vector<std::string> names;
  for (const AnalysisInfo& analysis : Session::List()) names.push_back(analysis.name);
  command.Argument("NAME", *name, "Analysis, as 'stepscope list' names it")
      .Suggestions(std::move(names));
  command.Examples({{"how idle time is split", "stepscope explain idle_time"}});
  command.Runs([name] { return Explain(*name); });
}

}  // namespace stepscope::cli
