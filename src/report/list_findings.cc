// Writes a line for each finding.
#include "report/list_findings.h"

#include <fmt/format.h>

#include "report/findings.h"
#include "report/ids.h"
#include "report/paged.h"
#include "report/quoted_names.h"
#include "report/summary.h"

namespace stepscope {

Result<std::string> ListFindings(const ReportSet& answer, const RowQuery& query) {
  const QuotedNames names(answer);
  const std::vector<const Finding*> found = FindingsInOrder(answer);
  return Paged<const Finding*>(
      "", found,
      {.query = query,
       .noun = "finding",
       .hint = "take the last id that was printed",
       .all = found.size()},
      [&](const Finding* f) { return IdOf(ReportOf(answer, *f), *f); },
      [&](const Finding* f, const std::string& id) {
        const std::string worth = SayWorth(*f);
        return fmt::format("[{}] {}{}: {}", id, SeverityName(f->severity),
                           worth.empty() ? "" : ", " + worth, names.In(f->message));
      });
}

}  // namespace stepscope
