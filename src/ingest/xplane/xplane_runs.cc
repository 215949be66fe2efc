// Derives steps from executions of compiled programs.
#include "ingest/xplane/xplane_runs.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace stepscope {

void ModuleRuns::Add(StringId module, StringId op, int64_t run, int64_t start, int64_t end) {
  if (module == kNoString) return;
  if (last_ == nullptr || module != last_name_) {
    const auto [at, is_new] = modules_.try_emplace(module);
    if (is_new) at->second.end = end;
    last_ = &at->second;
    last_name_ = module;
  }
  Module& own = *last_;
  own.total += static_cast<uint64_t>(end) - static_cast<uint64_t>(start);
  own.end = std::max(own.end, end);
  if (run < 0) {
    if (own.runs.empty()) own.unnumbered.Append({op, start});
    return;
  }
  if (own.runs.empty()) own.unnumbered = {};
  if (!own.runs.empty() && own.runs[own.runs.size() - 1].number == run) {
    int64_t& earliest = own.runs[own.runs.size() - 1].start;
    earliest = std::min(earliest, start);
  } else {
    own.runs.Append({run, start});
  }
}

// When each execution started, ascending, each moment once.
std::vector<int64_t> ModuleRuns::Starts(const Module& module) {
  std::vector<int64_t> starts;
  if (module.runs.empty()) {
    starts = StartsOfRarest(module);
  } else {
    std::unordered_map<int64_t, int64_t> by_run;
    for (const Run& run : module.runs) {
      int64_t& start = by_run.try_emplace(run.number, run.start).first->second;
      start = std::min(start, run.start);
    }
    starts.reserve(by_run.size());
    for (const auto& [run, start] : by_run) starts.push_back(start);
  }
  std::ranges::sort(starts);
  const auto repeated = std::ranges::unique(starts);
  starts.erase(repeated.begin(), repeated.end());
  return starts;
}

// Where the recording does not number executions, an operation that runs once in each tells them
// apart: of those that ran least often, the first.
std::vector<int64_t> ModuleRuns::StartsOfRarest(const Module& module) {
  struct Use {
    size_t count = 0;
    int64_t first = INT64_MAX;
  };
  std::unordered_map<StringId, Use> uses;
  const auto op_of = [&](size_t i) {
    return static_cast<StringId>(module.unnumbered[i].Get<Module::kOp>());
  };
  const auto start_of = [&](size_t i) { return module.unnumbered[i].Get<Module::kStart>(); };
  for (size_t i = 0; i < module.unnumbered.size(); ++i) {
    Use& use = uses[op_of(i)];
    ++use.count;
    use.first = std::min(use.first, start_of(i));
  }
  const auto rarest = std::ranges::min_element(uses, {}, [](const auto& use) {
    return std::tuple(use.second.count, use.second.first, use.first);
  });
  std::vector<int64_t> starts;
  for (size_t i = 0; i < module.unnumbered.size(); ++i) {
    if (op_of(i) == rarest->first) starts.push_back(start_of(i));
  }
  return starts;
}

ModuleRuns::Found ModuleRuns::Find() const {
  Found found;
  int64_t longest = -1;
  for (const auto& [name, module] : modules_) {
    const auto total = static_cast<int64_t>(std::min<uint64_t>(module.total, INT64_MAX));
    const auto starts = Starts(module);
    if (starts.size() < 2 || total <= longest) continue;
    longest = total;
    found = {.module = name, .steps = {}};
    for (size_t i = 0; i < starts.size(); ++i) {
      const bool last = i + 1 == starts.size();
      found.steps.push_back({starts[i], last ? std::max(module.end, starts[i]) : starts[i + 1]});
    }
  }
  return found;
}

}  // namespace stepscope
