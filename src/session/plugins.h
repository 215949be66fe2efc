// Keeps the analyses that were added to ours.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "analyses/analysis.h"
#include "stepscope/plugin.h"

namespace stepscope {

// An analysis: one of ours, which is always there, or one that was added. The latter has no `run`.
using AnalysisRef = std::shared_ptr<const Analysis>;

// A plugin, and what the session knows of every analysis: views into it.
struct AddedAnalysis {
  Plugin plugin;
  std::vector<Parameter> params;
  Analysis analysis;
};

// Keeps it, in place of one of its name.
void KeepPlugin(const std::shared_ptr<const AddedAnalysis>& added);

// All there are, in the order reports are shown: ours, then those that were added.
std::vector<AnalysisRef> AllAnalyses();

// The plugin of this name; null where there is none.
std::shared_ptr<const Plugin> FindPlugin(std::string_view name);

inline bool IsPlugin(const Analysis& analysis) { return analysis.run == nullptr; }

}  // namespace stepscope
