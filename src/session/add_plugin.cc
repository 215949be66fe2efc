// Checks what a plugin declares, and adds it.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyses/all.h"
#include "session/check_report.h"
#include "session/params.h"
#include "session/plugins.h"

namespace stepscope {
namespace {

Result<Parameter> ParameterOf(const ParameterInfo& info, const std::string& where) {
  Parameter parameter{
      .name = info.name, .default_value = info.default_value, .message = info.message};
  if (auto named = CheckKey(info.name, "parameter", where); !named)
    return std::unexpected(named.error());
  const auto unit = ParseUnit(info.unit);
  if (!unit) return std::unexpected(Error{unit.error().what, where, unit.error().hint});
  parameter.unit = *unit;
  if (info.type == "integer") {
    parameter.type = Parameter::Type::kInteger;
  } else if (info.type == "number") {
    parameter.type = Parameter::Type::kNumber;
  } else if (info.type == "text") {
    parameter.type = Parameter::Type::kText;
  } else {
    return std::unexpected(Error{"there is no type '" + info.type + "' of parameters", where,
                                 "types: integer, number, text"});
  }
  return parameter;
}

Result<void> DeclareParams(AddedAnalysis& added) {
  std::vector<std::pair<std::string, std::string>> defaults;
  for (const ParameterInfo& info : added.plugin.info.params) {
    const std::string where = added.plugin.info.name + "." + info.name;
    auto parameter = ParameterOf(info, where);
    if (!parameter) return std::unexpected(parameter.error());
    if (std::ranges::find(added.params, parameter->name, &Parameter::name) != added.params.end())
      return std::unexpected(Error{"there are two parameters '" + info.name + "'", where, ""});
    added.params.push_back(*parameter);
    if (info.type != "text") defaults.emplace_back(where, info.default_value);
  }
  added.analysis.params = added.params;
  if (auto read = MakeParams(added.analysis, defaults); !read)
    return std::unexpected(
        Error{"the default of a parameter: " + read.error().what, read.error().where, ""});
  return {};
}

Result<void> CheckInfo(const AnalysisInfo& info) {
  if (auto named = CheckKey(info.name, "analysis", ""); !named) return named;
  if (std::ranges::find(kAllAnalyses, info.name, &Analysis::name) != std::end(kAllAnalyses)) {
    return std::unexpected(Error{"there is an analysis '" + info.name + "' already", info.name,
                                 "choose another name; 'stepscope list' lists those there are"});
  }
  if (info.title.empty())
    return std::unexpected(Error{"the analysis has no title", info.name, "give it one"});
  return {};
}

}  // namespace

Result<void> AddPlugin(Plugin plugin) {
  if (auto checked = CheckInfo(plugin.info); !checked) return checked;
  const auto added = std::make_shared<AddedAnalysis>();
  added->plugin = std::move(plugin);
  const AnalysisInfo& info = added->plugin.info;
  added->analysis = {.name = info.name,
                     .title = info.title,
                     .label = info.title,
                     .summary = info.summary,
                     .doc = info.doc,
                     .params = {}};
  if (auto declared = DeclareParams(*added); !declared) return declared;
  KeepPlugin(added);
  return {};
}

}  // namespace stepscope
