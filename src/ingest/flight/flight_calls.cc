// Goes back from the last call to where a record is missing.
#include "ingest/flight/flight_calls.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stepscope {

void KeepCalls(RankDump& dump) {
  const auto& operations = dump.operations;
  size_t first = operations.size();
  while (first > 0 && operations.size() - first < kMostCalls) {
    const bool follows =
        first == operations.size() || operations[first - 1].record + 1 == operations[first].record;
    if (!follows) break;
    --first;
  }
  std::unordered_map<std::string, uint32_t> known;
  dump.calls.reserve(operations.size() - first);
  std::string key;
  for (size_t i = first; i < operations.size(); ++i) {
    const DumpOperation& operation = operations[i];
    key.assign(operation.name).append(1, '\n').append(operation.line).append(1, '\n');
    key.append(std::to_string(2 * operation.group + (operation.point_to_point ? 1 : 0)));
    const auto [at, added] = known.try_emplace(key, static_cast<uint32_t>(dump.kinds.size()));
    if (added)
      dump.kinds.push_back(
          {operation.group, operation.point_to_point, operation.name, operation.line});
    const int64_t sequence = std::min<int64_t>(operation.sequence, UINT32_MAX);
    dump.calls.push_back({at->second, static_cast<uint32_t>(sequence)});
  }
}

}  // namespace stepscope
