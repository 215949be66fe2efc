// Implements the comparison of sizes.
#include "facts/derived/lateness/input_sizes.h"

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/robust.h"

namespace stepscope {
namespace {

double ElementsIn(const InputSizes& sizes) {
  double elements = 0;
  for (const auto& [input, count] : sizes) elements += std::get<2>(input) * count;
  return elements;
}

// The operator itself, or where that has no inputs, the one that autograd's engine runs in it:
// AddmmBackward0 of "autograd::engine::evaluate_function: AddmmBackward0".
StringId WithInputs(const StringTable& names, StringId name, const InputSizes& own) {
  StringId within = name;
  for (const auto& [input, count] : own) {
    const StringId op = std::get<0>(input);
    if (op == name) return name;
    if (std::string_view(names[name]).ends_with(": " + std::string(names[op]))) within = op;
  }
  return within;
}

// Elements of the inputs of this operator, per call, by place.
std::map<size_t, double> ElementsByPlace(const InputSizes& sizes, StringId op) {
  std::map<size_t, double> elements;
  for (const auto& [input, count] : sizes) {
    if (std::get<0>(input) == op) elements[std::get<1>(input)] += std::get<2>(input) * count;
  }
  return elements;
}

// Where all inputs of this operator that differ are so many times as large, as activations of a
// larger batch are: that. 0: there are none, or they differ in other ways.
double RatioByPlace(const InputSizes& own, std::span<const InputSizes> others, StringId op) {
  constexpr double kAlike = 0.05;
  std::vector<std::map<size_t, double>> of_others;
  for (const InputSizes& other : others) of_others.push_back(ElementsByPlace(other, op));
  double ratio = 0;
  for (const auto& [place, elements] : ElementsByPlace(own, op)) {
    std::vector<double> theirs;
    for (const auto& other : of_others) {
      const auto at = other.find(place);
      theirs.push_back(at == other.end() ? 0 : at->second);
    }
    const double typical = Median(std::move(theirs));
    if (std::abs(elements - typical) <= kAlike * elements) continue;
    const double here = typical > 0 ? elements / typical : 0;
    if (here == 0 || (ratio > 0 && std::abs(here - ratio) > kAlike * ratio)) return 0;
    ratio = here;
  }
  return ratio;
}

// Of the inputs that the others do not have, over those that only they have.
double RatioOfOthers(const InputSizes& own, std::span<const InputSizes> others) {
  constexpr double kFew = 0.05;  // of all elements
  std::set<InputSizes::key_type> inputs;
  for (const auto& [input, count] : own) inputs.insert(input);
  for (const InputSizes& other : others) {
    for (const auto& [input, count] : other) inputs.insert(input);
  }
  const auto count_in = [](const InputSizes& sizes, const InputSizes::key_type& input) {
    const auto at = sizes.find(input);
    return at == sizes.end() ? 0 : at->second;
  };
  double own_alone = 0, others_alone = 0;
  for (const InputSizes::key_type& input : inputs) {
    std::vector<double> of_others;
    for (const InputSizes& other : others) of_others.push_back(count_in(other, input));
    const double more = count_in(own, input) - Median(std::move(of_others));
    (more > 0 ? own_alone : others_alone) += std::abs(more) * std::get<2>(input);
  }
  return others_alone > 0 && own_alone >= kFew * ElementsIn(own) ? own_alone / others_alone : 0;
}

}  // namespace

double SizeRatio(const StringTable& names, StringId name, const InputSizes& own,
                 std::span<const InputSizes> others) {
  const double by_place = RatioByPlace(own, others, WithInputs(names, name, own));
  if (by_place > 0) return by_place;
  if (const double alone = RatioOfOthers(own, others); alone > 0) return alone;
  std::vector<double> totals;
  for (const InputSizes& other : others) totals.push_back(ElementsIn(other));
  const double typical = Median(std::move(totals));
  return typical > 0 ? ElementsIn(own) / typical : 0;
}

}  // namespace stepscope
