// Compares two runs for a report.html.
#include "server/embedded_comparison.h"

#include "stepscope/compare.h"
#include "stepscope/plugin.h"

namespace stepscope::server {

Result<ReportSet> CompareSessions(const Session& before, const Session& after) {
  AnalyzeOptions question;
  question.only = ComparedAnalyses();
  auto a = before.Analyze(question), b = after.Analyze(question);
  if (!a) return a;
  if (!b) return b;
  const auto ranks = RanksToCompare(*a, *b);
  if (!ranks) return std::unexpected(ranks.error());
  if (ranks->empty()) return Compare(*a, *b);
  const ReportSet all_before = *std::move(a), all_after = *std::move(b);
  question.ranks = *ranks;
  if (a = before.Analyze(question); !a) return a;
  if (b = after.Analyze(question); !b) return b;
  CompareOptions options;
  options.all_before = &all_before;
  options.all_after = &all_after;
  return Compare(*a, *b, options);
}

}  // namespace stepscope::server
