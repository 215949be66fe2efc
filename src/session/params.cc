// Checks what a user asked for against what analyses declare.
#include "session/params.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "analyses/all.h"

namespace stepscope {
namespace {

// Levenshtein's distance: insertions, deletions and replacements from one text to the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// A hint for a name that is none of `known`: the nearest if it is near, and where to see them all.
std::string NearestHint(std::string_view name, std::span<const std::string> known) {
  const std::string_view asked = name.substr(0, 64);
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const std::string& candidate) { return EditDistance(asked, candidate); });
  if (nearest != known.end() && EditDistance(asked, *nearest) <= std::max<size_t>(2, asked.size() / 3)) {
    return "did you mean '" + *nearest + "'?";
  }
  return "'stepscope list' shows what there is";
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
    case Parameter::Type::kInteger: return Parses<int64_t>(value);
    case Parameter::Type::kNumber: return Parses<double>(value) && std::isfinite(std::stod(value));
    case Parameter::Type::kText: return true;
  }
  return false;
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
    const std::string full_name = FullName(analysis, parameter);
    for (const auto& [name, text] : given) {
      if (name != full_name) continue;
      if (!IsOfType(parameter.type, text)) {
        const char* wanted = parameter.type == Parameter::Type::kInteger ? "a whole number" : "a number";
        return std::unexpected(Error{"'" + text + "' is not " + wanted, full_name,
                                     "the default is " + std::string(parameter.default_value)});
      }
      value = text;
    }
  }
  return Params(std::move(values));
}

Result<void> CheckParamNames(std::span<const std::pair<std::string, std::string>> given) {
  std::vector<std::string> known;
  for (const Analysis* analysis : kAllAnalyses) {
    for (const Parameter& parameter : analysis->params) known.push_back(FullName(*analysis, parameter));
  }
  for (const auto& [name, value] : given) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return std::unexpected(
        Error{"no analysis has the parameter '" + name + "'", "-p", NearestHint(name, known)});
  }
  return {};
}

}  // namespace stepscope
