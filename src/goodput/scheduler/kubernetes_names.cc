// Knows how controllers name what they make.
#include "goodput/scheduler/kubernetes_names.h"

#include <algorithm>
#include <string_view>

#include "base/match_any.h"

namespace stepscope::goodput {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view LastPart(std::string_view name) {
  const size_t dash = name.rfind('-');
  return dash == name.npos ? std::string_view() : name.substr(dash + 1);
}

// Without the random end, indices and roles: "train" of "train-worker-0", "train-0-x7k2p".
std::string StemOf(std::string_view name) {
  const auto drop = [&] { name.remove_suffix(LastPart(name).size() + 1); };
  if (name.contains('-')) drop();
  while (IsNumber(LastPart(name))) drop();
  for (const std::string_view role : {"worker", "master", "launcher", "chief"}) {
    if (LastPart(name) == role) drop();
  }
  return std::string(name);
}

}  // namespace

// Pods are named "train-0-abcde", child jobs "train-workers-0", Kueue's workloads
// "job-train-1a2b3".
bool Belongs(const ClusterItem& item, const std::string& job) {
  if (job.empty() || item.name == job) return true;
  const std::string with_dash = job + "-";
  if (item.name.starts_with(with_dash)) return true;
  return item.kind == "Workload" && item.name.contains("-" + with_dash);
}

Controllers ControllersIn(const std::vector<ClusterItem>& items) {
  Controllers all;
  for (const ClusterItem& item : items) {
    if (item.kind != "Pod" && item.kind != "Workload") all.emplace(item.name, item.kind);
  }
  Controllers top = all;
  std::erase_if(top, [&](const auto& made) {
    return std::ranges::any_of(all, [&](const auto& maker) {
      return maker.second != made.second && made.first.starts_with(maker.first + "-");
    });
  });
  return top;
}

std::string JobOf(const ClusterItem& item, const Controllers& controllers) {
  std::string job;
  for (const auto& [name, kind] : controllers) {
    if (name.size() > job.size() && Belongs(item, name)) job = name;
  }
  if (!job.empty()) return job;
  const std::string stem = StemOf(item.name);
  const size_t dash = stem.find('-');
  return item.kind == "Workload" && dash != stem.npos ? stem.substr(dash + 1) : stem;
}

}  // namespace stepscope::goodput
