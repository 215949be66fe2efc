// Keeps analyses, for all threads.
#include "session/plugins.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include "analyses/all.h"
#include "stepscope/compare.h"

namespace stepscope {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<const AddedAnalysis>> added;
};

Registry& TheRegistry() {
  static Registry registry;
  return registry;
}

std::vector<std::shared_ptr<const AddedAnalysis>> AllAdded() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return registry.added;
}

}  // namespace

std::vector<AnalysisRef> AllAnalyses() {
  std::vector<AnalysisRef> all;
  for (const Analysis* ours : kAllAnalyses) all.emplace_back(AnalysisRef(), ours);
  for (const auto& added : AllAdded()) all.emplace_back(added, &added->analysis);
  return all;
}

std::shared_ptr<const Plugin> FindPlugin(std::string_view name) {
  for (const auto& added : AllAdded()) {
    if (added->plugin.info.name == name) return {added, &added->plugin};
  }
  return nullptr;
}

void KeepPlugin(const std::shared_ptr<const AddedAnalysis>& added) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (auto& one : registry.added) {
    if (one->plugin.info.name != added->plugin.info.name) continue;
    one = added;
    return;
  }
  registry.added.push_back(added);
}

bool RemovePlugin(std::string_view name) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return std::erase_if(registry.added,
                       [&](const auto& one) { return one->plugin.info.name == name; }) > 0;
}

std::vector<std::string> PluginNames() {
  std::vector<std::string> names;
  for (const auto& added : AllAdded()) names.push_back(added->plugin.info.name);
  return names;
}

std::vector<std::string> ComparedAnalyses() {
  std::vector<std::string> names(kComparedAnalyses.begin(), kComparedAnalyses.end());
  std::ranges::move(PluginNames(), std::back_inserter(names));
  return names;
}

}  // namespace stepscope
