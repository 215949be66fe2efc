// Executions of compiled programs as steps.
#include "ingest/xplane/xplane_runs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace stepscope {

// When each execution started, ascending. Where the recording does not number executions, an
// operation that runs once in each tells them apart: of those that ran least often, the first.
std::vector<int64_t> ModuleRuns::Starts(std::span<const Piece> pieces) {
  std::map<int64_t, int64_t> by_run;
  std::unordered_map<StringId, std::vector<int64_t>> by_op;
  for (const Piece& piece : pieces) {
    if (piece.run >= 0) {
      const auto [at, is_new] = by_run.try_emplace(piece.run, piece.start);
      at->second = std::min(at->second, piece.start);
    }
    by_op[piece.op].push_back(piece.start);
  }
  std::vector<int64_t> starts;
  for (const auto& [run, start] : by_run) starts.push_back(start);
  if (starts.empty()) {
    for (auto& [op, times] : by_op) {
      const bool better = starts.empty() || times.size() < starts.size() ||
                          (times.size() == starts.size() && times.front() < starts.front());
      if (better) starts = times;
    }
  }
  std::ranges::sort(starts);
  const auto repeated = std::ranges::unique(starts);
  starts.erase(repeated.begin(), repeated.end());
  return starts;
}

ModuleRuns::Found ModuleRuns::Find() {
  std::ranges::sort(pieces_, {}, [](const Piece& piece) {
    return std::tuple(piece.module, piece.start, piece.end, piece.op, piece.run);
  });
  Found found;
  int64_t longest = -1;
  for (auto next = pieces_.begin(); next != pieces_.end();) {
    const StringId module = next->module;
    const auto first = next;
    next = std::find_if(next, pieces_.end(), [&](const Piece& p) { return p.module != module; });
    const std::span<const Piece> pieces(first, next);
    // Saturating is not needed: pieces lie within a file's 2^62 ns only if they are damaged, and
    // then any choice is as good; unsigned sums wrap.
    uint64_t sum = 0;
    for (const Piece& piece : pieces) sum += static_cast<uint64_t>(piece.end - piece.start);
    const auto total = static_cast<int64_t>(std::min<uint64_t>(sum, INT64_MAX));
    const auto starts = Starts(pieces);
    if (starts.size() < 2 || total <= longest) continue;
    longest = total;
    found = {.module = module, .steps = {}};
    const int64_t end = std::ranges::max(pieces, {}, &Piece::end).end;
    for (size_t i = 0; i < starts.size(); ++i) {
      const bool last = i + 1 == starts.size();
      found.steps.push_back({starts[i], last ? std::max(end, starts[i]) : starts[i + 1]});
    }
  }
  return found;
}

}  // namespace stepscope
