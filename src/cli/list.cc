// stepscope list, stepscope explain NAME: what there is to ask.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "stepscope/session.h"

namespace stepscope::cli {
namespace {

int List() {
  const auto analyses = Session::List();
  size_t width = 0;
  for (const AnalysisInfo& a : analyses) width = std::max(width, a.name.size());
  for (const AnalysisInfo& a : analyses) fmt::print("{:{}}  {}\n", a.name, width, a.summary);
  fmt::print("\nstepscope explain NAME says what one counts and how to read it.\n");
  return kDone;
}

int Explain(const std::string& name) {
  const auto info = Session::Explain(name);
  if (!info) {
    PrintError(info.error());
    return kCouldNot;
  }
  fmt::print("# {}: {}\n{}", info->name, info->title, info->doc);
  if (!info->params.empty())
    fmt::print("\n**Parameters**, set with -p {}.NAME=VALUE:\n\n", info->name);
  for (const ParameterInfo& p : info->params) {
    const std::string unit = p.unit.empty() ? "" : " " + p.unit;
    fmt::print("- {} ({}, default {}{}): {}\n", p.name, p.type, p.default_value, unit, p.message);
  }
  return kDone;
}

}  // namespace

void AddList(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("list", "List the analyses");
  command->callback([&chosen] { chosen = List; });
}

void AddExplain(CLI::App& app, Command& chosen) {
  auto name = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("explain", "Say what an analysis counts and how to read it");
  command->add_option("NAME", *name, "An analysis, as 'stepscope list' names it")->required();
  command->footer("\nExample:\n  stepscope explain idle_time\n");
  command->callback([name, &chosen] { chosen = [name] { return Explain(*name); }; });
}

}  // namespace stepscope::cli
