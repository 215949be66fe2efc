// Declares what an analysis is: a description, parameters and a function from Facts to a Report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "facts/facts.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// A parameter of an analysis. Faces pass its value on as text and do not interpret it.
struct Parameter {
  enum class Type : uint8_t { kInteger, kNumber, kText };
  std::string_view name;
  Type type = Type::kInteger;
  std::string_view default_value;
  Unit unit = Unit::kNone;
  std::string_view message;
  // "analysis.name" of the parameter whose value is used where this one is not given.
  std::string_view or_as = {};
  // Of a text: why it cannot be read; absent where any text can.
  Result<void> (*check)(std::string_view text) = nullptr;
};

// The value of each declared parameter for one run, given or default, already checked to be of its
// type. REQUIRES: `name` is declared, with that type.
class Params {
 public:
  explicit Params(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}
  int64_t Integer(std::string_view name) const { return std::stoll(values_.find(name)->second); }
  double Number(std::string_view name) const { return std::stod(values_.find(name)->second); }
  const std::string& Text(std::string_view name) const { return values_.find(name)->second; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// What analyses are about; faces list them by it.
enum class AnalysisGroup : uint8_t { kOverview, kRanks, kDevice, kHost, kMemory };
constexpr std::string_view GroupName(AnalysisGroup group) {
  constexpr std::string_view kNames[] = {"overview", "ranks", "device", "host", "memory"};
  return kNames[static_cast<size_t>(group)];
}

// Whether partials of ranks (stepscope/partials.h) answer as whole traces do: of all that was
// recorded, or of selected steps too.
enum class OfPartials : uint8_t { kNo, kAllSteps, kYes };

struct Analysis {
  std::string_view name;
  std::string_view title;
  std::string_view label;  // the title in one or two words, among those of its group
  AnalysisGroup group = AnalysisGroup::kOverview;
  std::string_view summary;  // one line without a full stop: what the report shows
  std::string_view doc;      // Markdown: Question, Definition, Limitations, Interpretation
  Wanted needs;              // the events a reader must keep for it
  // What its numbers need, where that is less: without the rest its findings say less, and tables
  // name no operators.
  std::optional<Wanted> numbers_need = {};
  OfPartials of_partials = OfPartials::kNo;
  bool takes_longest = false;  // begun before the others, so that no thread is left with it
  std::span<const Parameter> params;
  // Of an analysis that was added to ours (stepscope/plugin.h), null: the session runs it.
  Report (*run)(const Facts& facts, const Params& params) = nullptr;
};

}  // namespace stepscope
