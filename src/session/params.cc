// Checks a user's parameters against those that analyses declare.
#include "session/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "analyses/kept_names.h"
#include "base/nearest_name.h"
#include "base/quantity.h"

namespace stepscope {
namespace {

// A hint for a name that is none of `known`: the nearest if it is near, and where to see them all.
std::string NearestHint(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = NearestName(name, known);
  return nearest.empty() ? "`analyses` lists the known names" : "did you mean '" + nearest + "'?";
}

// The parameters of the analysis; empty where there is none of this name.
std::string ParametersListed(std::string_view analysis) {
  const auto found = FindAnalysis(analysis);
  if (!found) return {};
  if ((*found)->params.empty()) return fmt::format("{} has no parameters", analysis);
  std::vector<std::string_view> names;
  for (const Parameter& parameter : (*found)->params) names.push_back(parameter.name);
  return fmt::format("{} has: {}", analysis, fmt::join(names, ", "));
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

bool IsTime(const Parameter& parameter) {
  return parameter.type == Parameter::Type::kInteger && parameter.unit == Unit::kNanoseconds;
}

// "50us" as "50000"; nothing where it is not a whole number of ns.
std::optional<std::string> WithoutUnit(const std::string& time) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto ns = ReadNanoseconds(time);
  if (!ns || *ns != std::floor(*ns) || *ns > kExact) return std::nullopt;
  return std::to_string(static_cast<int64_t>(*ns));
}

bool IsBandwidth(const Parameter& parameter) {
  return parameter.type == Parameter::Type::kNumber && parameter.unit == Unit::kBytesPerSecond;
}

// The value as Params holds it; nothing where it is not of the parameter's type.
std::optional<std::string> ValueOf(const Parameter& parameter, const std::string& text) {
  switch (parameter.type) {
    case Parameter::Type::kInteger:
      if (Parses<int64_t>(text)) return text;
      // A bare number is ns here, also one that is not whole.
      if (!IsTime(parameter) || ReadNumber(text)) return std::nullopt;
      return WithoutUnit(text);
    case Parameter::Type::kNumber:
      if (IsBandwidth(parameter) && text != "0") {
        const auto bandwidth = ReadBandwidth(text);
        return bandwidth ? std::optional(fmt::format("{}", *bandwidth)) : std::nullopt;
      }
      if (Parses<double>(text) && std::isfinite(std::stod(text))) return text;
      return std::nullopt;
    case Parameter::Type::kText:
      return text;
  }
  return std::nullopt;
}

Error WrongType(const Parameter& parameter, const std::string& name, const std::string& text) {
  const std::string preset(parameter.default_value);
  if (IsTime(parameter)) {
    return {"'" + text + "' is not a whole number of ns, or a time such as 50us", name,
            "the default is " + preset + " ns"};
  }
  if (IsBandwidth(parameter)) {
    return {"'" + text + "' is not a bandwidth with a unit", name,
            "write it as 40GB/s or 400Gbit/s"};
  }
  const char* wanted = parameter.type == Parameter::Type::kInteger ? "a whole number" : "a number";
  return {"'" + text + "' is not " + wanted, name, "the default is " + preset};
}

}  // namespace

Result<AnalysisRef> FindAnalysis(std::string_view name) {
  std::vector<std::string> known;
  for (const AnalysisRef& analysis : AllAnalyses()) {
    if (analysis->name == name) return analysis;
    known.emplace_back(analysis->name);
  }
  return std::unexpected(
      Error{"there is no analysis '" + std::string(name) + "'", "", NearestHint(name, known)});
}

Result<std::vector<AnalysisRef>> FindAnalyses(std::span<const std::string> names) {
  if (names.empty()) return AllAnalyses();
  std::vector<AnalysisRef> found;
  for (const std::string& name : names) {
    const auto analysis = FindAnalysis(name);
    if (!analysis) return std::unexpected(analysis.error());
    if (std::ranges::find(found, *analysis) == found.end()) found.push_back(*analysis);
  }
  return found;
}

Result<Params> MakeParams(const Analysis& analysis,
                          std::span<const std::pair<std::string, std::string>> given,
                          int64_t most_names) {
  std::map<std::string, std::string, std::less<>> values = {
      {std::string(kMostNames), std::to_string(most_names)}};
  for (const Parameter& parameter : analysis.params) {
    std::string& value = values[std::string(parameter.name)];
    value = parameter.default_value;
    // Its own name comes last: it counts more.
    for (const std::string& name : {std::string(parameter.or_as), FullName(analysis, parameter)}) {
      for (const auto& [given_name, text] : given) {
        if (given_name != name) continue;
        auto read = ValueOf(parameter, text);
        if (!read) return std::unexpected(WrongType(parameter, name, text));
        if (parameter.check != nullptr) {
          if (auto checked = parameter.check(text); !checked) {
            checked.error().where = name;
            return std::unexpected(checked.error());
          }
        }
        value = *std::move(read);
      }
    }
  }
  return Params(std::move(values));
}

Result<void> CheckParamNames(std::span<const std::pair<std::string, std::string>> given) {
  std::vector<std::string> known;
  for (const AnalysisRef& analysis : AllAnalyses()) {
    for (const Parameter& parameter : analysis->params)
      known.push_back(FullName(*analysis, parameter));
  }
  for (const auto& [name, value] : given) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string listed = ParametersListed(name.substr(0, name.find('.')));
    const bool has_near = !NearestName(name, known).empty();
    return std::unexpected(Error{"no analysis has the parameter '" + name + "'", "`params`",
                                 has_near || listed.empty() ? NearestHint(name, known) : listed});
  }
  return {};
}

}  // namespace stepscope
