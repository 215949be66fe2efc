// Checks a user's parameters against those that analyses declare.
#include "session/params.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analyses/all.h"
#include "base/nearest_name.h"

namespace stepscope {
namespace {

// A hint for a name that is none of `known`: the nearest if it is near, and where to see them all.
std::string NearestHint(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = NearestName(name, known);
  return nearest.empty() ? "`analyses` lists the known names" : "did you mean '" + nearest + "'?";
}

std::string FullName(const Analysis& analysis, const Parameter& parameter) {
  return std::string(analysis.name) + "." + std::string(parameter.name);
}

template <class T>
bool Parses(const std::string& value) {
  T parsed{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  return error == std::errc() && end == value.data() + value.size();
}

bool IsOfType(Parameter::Type type, const std::string& value) {
  switch (type) {
    case Parameter::Type::kInteger:
      return Parses<int64_t>(value);
    case Parameter::Type::kNumber:
      return Parses<double>(value) && std::isfinite(std::stod(value));
    case Parameter::Type::kText:
      return true;
  }
  return false;
}

Error WrongType(const Parameter& parameter, const std::string& name, const std::string& text) {
  const char* wanted = parameter.type == Parameter::Type::kInteger ? "a whole number" : "a number";
  return {"'" + text + "' is not " + wanted, name,
          "the default is " + std::string(parameter.default_value)};
}

}  // namespace

Result<const Analysis*> FindAnalysis(std::string_view name) {
  std::vector<std::string> known;
  for (const Analysis* analysis : kAllAnalyses) {
    if (analysis->name == name) return analysis;
    known.emplace_back(analysis->name);
  }
  return std::unexpected(
      Error{"there is no analysis '" + std::string(name) + "'", "", NearestHint(name, known)});
}

Result<std::vector<const Analysis*>> FindAnalyses(std::span<const std::string> names) {
  std::vector<const Analysis*> found;
  if (names.empty()) found.assign(std::begin(kAllAnalyses), std::end(kAllAnalyses));
  for (const std::string& name : names) {
    const auto analysis = FindAnalysis(name);
    if (!analysis) return std::unexpected(analysis.error());
    if (std::ranges::find(found, *analysis) == found.end()) found.push_back(*analysis);
  }
  return found;
}

Result<Params> MakeParams(const Analysis& analysis,
                          std::span<const std::pair<std::string, std::string>> given) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Parameter& parameter : analysis.params) {
    std::string& value = values[std::string(parameter.name)];
    value = parameter.default_value;
    // Its own name comes last: it counts more.
    for (const std::string& name : {std::string(parameter.or_as), FullName(analysis, parameter)}) {
      for (const auto& [given_name, text] : given) {
        if (given_name != name) continue;
        if (!IsOfType(parameter.type, text))
          return std::unexpected(WrongType(parameter, name, text));
        if (parameter.check != nullptr) {
          if (auto checked = parameter.check(text); !checked) {
            checked.error().where = name;
            return std::unexpected(checked.error());
          }
        }
        value = text;
      }
    }
  }
  return Params(std::move(values));
}

Result<void> CheckParamNames(std::span<const std::pair<std::string, std::string>> given) {
  std::vector<std::string> known;
  for (const Analysis* analysis : kAllAnalyses) {
    for (const Parameter& parameter : analysis->params)
      known.push_back(FullName(*analysis, parameter));
  }
  for (const auto& [name, value] : given) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return std::unexpected(Error{"no analysis has the parameter '" + name + "'", "`params`",
                                 NearestHint(name, known)});
  }
  return {};
}

}  // namespace stepscope
