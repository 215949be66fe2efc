// stepscope list, stepscope explain NAME: list the analyses and their definitions.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/root.h"
#include "cli/terminal.h"
#include "stepscope/session.h"

namespace stepscope::cli {
namespace {

int List(const std::string& given) {
  const Language language = LanguageOf(given, true);
  const auto analyses = Session::List();
  size_t width = 0;
  for (const AnalysisInfo& a : analyses) width = std::max(width, a.name.size());
  for (const AnalysisInfo& a : analyses)
    fmt::print("{:{}}  {}\n", a.name, width, In(language, a.summary));
  fmt::print("\n{}\n", In(language, "'stepscope explain NAME' describes an analysis."));
  return kDone;
}

int Explain(const std::string& name, const std::string& given) {
  const Language language = LanguageOf(given, true);
  const auto say = [&](const Phrase& phrase) { return In(language, phrase); };
  const auto info = Session::Explain(name);
  if (!info) return Fail(info.error());
  fmt::print("# {}: {}\n{}", info->name, say(info->title), DocIn(language, info->name, info->doc));
  const bool times = std::ranges::any_of(
      info->params, [](const ParameterInfo& p) { return p.type == "integer" && p.unit == "ns"; });
  if (!info->params.empty()) {
    const Phrase head = Say("**Parameters**, set with -p {name}.NAME=VALUE", info->name);
    fmt::print("\n{}{}:\n\n", say(head), times ? say(" (times in ns, or with a unit: 50us)") : "");
  }
  for (const ParameterInfo& p : info->params) {
    const std::string unit = p.unit.empty() ? "" : " " + p.unit;
    const Phrase preset = p.default_value.empty() ? Phrase("no default")
                                                  : Say("default {value}", p.default_value + unit);
    fmt::print("- {} ({}, {}): {}\n", p.name, p.type, say(preset), say(p.message));
  }
  return kDone;
}

}  // namespace

void AddList(Command& root) {
  Command& command = root.Sub("list", "List the analyses");
  AddPlugins(command);
  command.Examples({{"names and what each shows", "stepscope list"}});
  auto language = std::make_shared<std::string>();
  AddLanguage(command, *language);
  command.Runs([language] { return List(*language); });
}

void AddExplain(Command& root) {
  auto name = std::make_shared<std::string>();
  Command& command = root.Sub("explain", "Describe an analysis: definition, limits, parameters");
  std::vector<std::string> names;
  for (const AnalysisInfo& analysis : Session::List()) names.push_back(analysis.name);
  command.Argument("NAME", *name, "Analysis, as 'stepscope list' names it")
      .Suggestions(std::move(names));
  AddPlugins(command);
  command.Examples({{"how idle time is split", "stepscope explain idle_time"}});
  auto language = std::make_shared<std::string>();
  AddLanguage(command, *language);
  command.Runs([name, language] { return Explain(*name, *language); });
}

}  // namespace stepscope::cli
