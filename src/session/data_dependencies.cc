// Follows tensors from the call that gave them to those that take them.
#include "session/data_dependencies.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "ingest/execution_trace/node_match.h"
#include "session/redact_run.h"

namespace stepscope {
namespace {

constexpr uint32_t kAmbiguous = UINT32_MAX;

// Of each node its range, where name and time tell it.
std::vector<uint32_t> RangesOf(const NodeMatch& match, const Trace& trace, size_t nodes,
                               const RankActivity& rank, const StringTable& names) {
  using Key = std::tuple<int64_t, int64_t, std::string_view>;
  std::map<Key, uint32_t> ranges;
  for (uint32_t r = 0; r < rank.host->ranges.size(); ++r) {
    const HostRange range = rank.host->ranges[r];
    const auto [at, is_new] =
        ranges.try_emplace({range.start, range.duration(), names[range.name]}, r);
    if (!is_new) at->second = kAmbiguous;
  }
  std::vector<uint32_t> of_node(nodes, kAmbiguous);
  for (const auto& [event, node] : match.pairs) {
    const auto at = ranges.find(
        {trace.starts()[event], trace.durations()[event], trace.strings[trace.names()[event]]});
    if (at != ranges.end()) of_node[node] = at->second;
  }
  return of_node;
}

}  // namespace

std::vector<DataDependency> DataDependenciesOf(Trace trace, const ExecutionTrace& nodes,
                                               const RankActivity& rank, const StringTable& names,
                                               const redact::Redactor* redactor) {
  const auto match = MatchNodes(nodes, trace);
  if (!match) return {};
  if (redactor != nullptr) RedactTrace(trace, *redactor);
  const auto range_of = RangesOf(*match, trace, nodes.nodes.size(), rank, names);
  std::vector<DataDependency> dependencies;
  std::unordered_map<int64_t, uint32_t> last;  // who gave a storage, by it
  auto use = nodes.tensors.begin();
  for (size_t n = 0; n < nodes.nodes.size(); ++n) {
    const int64_t number = nodes.nodes[n].record_function;
    while (use != nodes.tensors.end() && use->record_function < number) ++use;
    for (auto each = use; each != nodes.tensors.end() && each->record_function == number; ++each) {
      if (each->given || range_of[n] == kAmbiguous) continue;
      const auto writer = last.find(each->storage);
      if (writer != last.end()) dependencies.push_back({range_of[n], writer->second});
    }
    for (; use != nodes.tensors.end() && use->record_function == number; ++use) {
      if (use->given && range_of[n] != kAmbiguous) last[use->storage] = range_of[n];
    }
  }
  std::ranges::sort(dependencies);
  const auto repeated = std::ranges::unique(dependencies);
  dependencies.erase(repeated.begin(), repeated.end());
  return dependencies;
}

}  // namespace stepscope
