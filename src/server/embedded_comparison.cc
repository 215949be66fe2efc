// Compares two runs for a report.html.
#include "server/embedded_comparison.h"

#include <memory>
#include <vector>

#include "stepscope/compare.h"
#include "stepscope/plugin.h"

namespace stepscope::server {

Result<ReportSet> CompareSessions(const Session& before, const Session& after) {
  const auto ask = [](const Session& session) -> AskForRanks {
    return
        [&session](const std::vector<int64_t>& ranks) -> Result<std::shared_ptr<const ReportSet>> {
          AnalyzeOptions question;
          question.only = ComparedAnalyses();
          question.ranks = ranks;
          auto answer = session.Analyze(question);
          if (!answer) return std::unexpected(std::move(answer).error());
          return std::make_shared<const ReportSet>(*std::move(answer));
        };
  };
  const auto runs = AskBoth(ask(before), ask(after));
  if (!runs) return std::unexpected(runs.error());
  return Compare(*runs);
}

}  // namespace stepscope::server
