// Recomputes a window's moments with other lags.
#include "facts/paths/what_if.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr double kLargestFactor = 1000;
constexpr double kLongest = 4e18;  // ns; fits into int64

constexpr auto kClasses = std::to_array<std::pair<std::string_view, Bound>>({
    {"compute", Bound::kCompute},
    {"communication", Bound::kCommunication},
    {"memory", Bound::kMemory},
    {"launch", Bound::kLaunch},
    {"kernel_gap", Bound::kKernelGap},
    {"cpu", Bound::kCpu},
    {"data_loading", Bound::kDataLoading},
    {"one_time", Bound::kOneTime},
    {"sync", Bound::kSync},
});

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<double> ParseFactor(std::string_view text) {
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(factor >= 0 && factor <= kLargestFactor)) return std::nullopt;
  return factor;
}

std::unexpected<Error> Wrong(std::string_view part, std::string_view why) {
  return std::unexpected(
      Error{"cannot read the change '" + std::string(part) + "': " + std::string(why), "what_if",
            "write kernel:TEXT*F, operator:NAME*F, or compute, communication, "
            "memory, launch, kernel_gap, cpu, data_loading, one_time or sync*F, with ';' "
            "between changes"});
}

Result<Change> ParseChange(std::string_view part) {
  const size_t at = part.find_last_of("*=");
  if (at == part.npos) return Wrong(part, "missing factor such as *0.5");
  const auto factor = ParseFactor(Trim(part.substr(at + 1)));
  if (!factor) return Wrong(part, "the factor is not a number from 0 to 1000");
  if (part[at] == '=' && *factor != 0) return Wrong(part, "'=' must be followed by 0");
  const std::string_view target = Trim(part.substr(0, at));
  for (const auto& [prefix, kind] : {std::pair("kernel:", Change::Target::kKernel),
                                     std::pair("operator:", Change::Target::kOperator)}) {
    if (!target.starts_with(prefix)) continue;
    const std::string_view name = Trim(target.substr(std::string_view(prefix).size()));
    if (name.empty()) return Wrong(part, "missing name");
    const bool kernel = kind == Change::Target::kKernel;
    return Change{kind, Bound::kCompute, kernel ? Lower(name) : std::string(name), *factor};
  }
  const auto* known =
      std::ranges::find(kClasses, target, &std::pair<std::string_view, Bound>::first);
  if (known == kClasses.end()) return Wrong(part, "unknown name");
  return Change{Change::Target::kBound, known->second, "", *factor};
}

// What each edge's lag is multiplied by.
class Factors {
 public:
  Factors(const RankActivity& rank, const StringTable& names, const std::vector<Change>& changes) {
    by_bound_.fill(1);
    for (const Change& change : changes) {
      if (change.target == Change::Target::kBound) {
        by_bound_[static_cast<size_t>(change.bound)] *= change.factor;
      } else if (change.target == Change::Target::kKernel) {
        AddKernels(rank, names, change);
      } else {
        AddOperators(*rank.host, names, change);
      }
    }
  }

  double Of(const Edge& edge) const {
    double factor = by_bound_[static_cast<size_t>(edge.bound)];
    if (edge.reason == Reason::kRunning && edge.activity != kNowhere && !by_kernel_.empty()) {
      factor *= by_kernel_[edge.name];
    }
    if (edge.range != kNoRange && !by_range_.empty()) {
      factor *= by_range_[static_cast<size_t>(edge.range)];
    }
    return factor;
  }

 private:
  void AddKernels(const RankActivity& rank, const StringTable& names, const Change& change) {
    if (by_kernel_.empty()) by_kernel_.assign(names.size(), 1);
    std::vector<bool> seen(names.size());
    for (const Activity& activity : rank.activities) {
      if (seen[activity.name]) continue;
      seen[activity.name] = true;
      if (Lower(names[activity.name]).contains(change.name))
        by_kernel_[activity.name] *= change.factor;
    }
  }

  void AddOperators(const HostOps& host, const StringTable& names, const Change& change) {
    if (by_range_.empty()) by_range_.assign(host.ranges.size(), 1);
    const StringId name = names.Find(change.name);
    std::vector<bool> inside(host.ranges.size());
    for (size_t r = 0; r < host.ranges.size(); ++r) {
      const HostRange& range = host.ranges[r];
      const bool parent = range.parent != kNoRange && inside[static_cast<size_t>(range.parent)];
      inside[r] = parent || range.name == name;
      if (inside[r]) by_range_[r] *= change.factor;
    }
  }

  std::array<double, static_cast<size_t>(Bound::kCount)> by_bound_{};
  std::vector<double> by_kernel_;  // by name; empty: all 1
  std::vector<double> by_range_;   // by range; empty: all 1
};

int64_t Scaled(int64_t lag, double factor) {
  if (factor == 1) return lag;
  return static_cast<int64_t>(std::min(static_cast<double>(lag) * factor, kLongest));
}

}  // namespace

Result<std::vector<Change>> ParseChanges(std::string_view text) {
  std::vector<Change> changes;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    auto change = ParseChange(part);
    if (!change) return std::unexpected(change.error());
    changes.push_back(std::move(*change));
  }
  return changes;
}

Replay ReplayWith(const Dependencies& dependencies, const RankActivity& rank,
                  const StringTable& names, const std::vector<Change>& changes) {
  const Factors factors(rank, names, changes);
  Replay replay;
  std::vector<int64_t> after(dependencies.times.size(), 0);  // ns after the window's start
  for (uint32_t m = 1; m < after.size(); ++m) {
    for (const Edge& edge : dependencies.EdgesOf(m)) {
      const double factor = factors.Of(edge);
      if (factor != 1 && edge.lag > 0) replay.touched = true;
      after[m] = std::max(after[m], AddSaturated(after[edge.from], Scaled(edge.lag, factor)));
    }
  }
  replay.length = after.back();
  return replay;
}

}  // namespace stepscope
