// Asks about a job of several ranks whose traces a test has written.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::testing {

// `ranks`: traces with End(). `host`: the machine that all of them are on, and whose clock they
// share; empty: they do not say.
template <class Ranks>
Result<ReportSet> AskAboutRanks(const Ranks& ranks, const AnalyzeOptions& options = {},
                                std::string_view host = {}) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const auto& rank : ranks) {
    std::string text = rank.End();
    if (!host.empty()) text.insert(1, fmt::format(R"("host_name":"{}",)", host));
    paths.push_back(folder.Write(fmt::format("rank{}.json", paths.size()), text));
  }
  return Ask(paths, options);
}

}  // namespace stepscope::testing
