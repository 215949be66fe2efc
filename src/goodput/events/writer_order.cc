// Sorts the events of each writer within its places.
#include "goodput/events/writer_order.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stepscope::goodput {

int64_t PutInOrder(std::vector<Event>& events) {
  std::unordered_map<std::string_view, std::vector<size_t>> places;  // by writer
  for (size_t k = 0; k < events.size(); ++k) {
    if (!events[k].writer.empty() && events[k].sequence >= 0) places[events[k].writer].push_back(k);
  }
  std::vector<size_t> sources(events.size());  // of each place
  for (size_t k = 0; k < events.size(); ++k) sources[k] = k;
  int64_t moved = 0;
  for (const auto& [writer, of_writer] : places) {
    std::vector<size_t> sorted = of_writer;
    std::ranges::stable_sort(sorted, {}, [&](size_t k) { return events[k].sequence; });
    for (size_t k = 0; k < sorted.size(); ++k) {
      sources[of_writer[k]] = sorted[k];
      moved += sorted[k] != of_writer[k] ? 1 : 0;
    }
  }
  std::vector<Event> ordered;
  ordered.reserve(events.size());
  for (const size_t source : sources) ordered.push_back(std::move(events[source]));
  events = std::move(ordered);
  return moved;
}

}  // namespace stepscope::goodput
