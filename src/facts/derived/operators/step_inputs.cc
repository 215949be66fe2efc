// Reads each text of shapes once, and adds up its elements by step.
#include "facts/derived/operators/step_inputs.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "base/stop.h"
#include "trace/input_lists.h"

namespace stepscope {
namespace {

double ElementsIn(std::string_view shapes) {
  double all = 0;
  for (const Dimensions& shape : ReadShapes(shapes)) {
    double elements = shape.empty() ? 0 : 1;
    for (const auto size : shape) elements *= static_cast<double>(std::max<int64_t>(size, 0));
    all += elements;
  }
  return all;
}

}  // namespace

std::vector<double> InputElementsOf(const Facts& facts, const RankActivity& rank,
                                    const IntervalSet& windows) {
  std::unordered_map<StringId, double> known;
  std::vector<double> elements(windows.size()), operators(windows.size());
  StopChecks checks;
  for (const HostRange& range : rank.host->ranges) {
    checks.Turn();
    const RangeDetail* detail = rank.host->DetailOf(range);
    if (detail == nullptr || detail->shapes == kNoString) continue;
    const auto next = std::ranges::upper_bound(windows, range.start, {}, &Interval::start);
    if (next == windows.begin() || range.start >= std::prev(next)->end) continue;
    const auto w = static_cast<size_t>(std::prev(next) - windows.begin());
    const auto [at, is_new] = known.try_emplace(detail->shapes, 0.0);
    if (is_new) at->second = ElementsIn((*facts.names)[detail->shapes]);
    elements[w] += at->second;
    ++operators[w];
  }
  for (size_t w = 0; w < windows.size(); ++w)
    elements[w] = operators[w] > 0 ? elements[w] / operators[w] : 0;
  return elements;
}

}  // namespace stepscope
