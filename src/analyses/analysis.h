// What an analysis is: data about itself, and a function.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// A knob of an analysis. Faces pass its value through as text and know nothing more of it.
struct Parameter {
  enum class Type : uint8_t { kInteger, kNumber, kText };
  std::string_view name;
  Type type = Type::kInteger;
  std::string_view default_value;
  Unit unit = Unit::kNone;
  std::string_view message;
  // "analysis.name" of the parameter whose value counts where this one is not given: what is the
  // same for several analyses is given once.
  std::string_view or_as = {};
};

// The values for one run: for each declared parameter the given or the default one, already checked
// to be of its type. REQUIRES: `name` is declared, with that type.
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

struct Analysis {
  std::string_view name;
  std::string_view title;
  std::string_view doc;  // Markdown: answers what, counts what, cannot see what, how to read it
  Wanted needs;          // the events a reader must keep for it
  std::span<const Parameter> params;
  Report (*run)(const Facts& facts, const Params& params) = nullptr;
};

}  // namespace stepscope
