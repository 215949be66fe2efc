// Writes a line for each finding.
#include "report/list_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/findings.h"
#include "report/humanize.h"
#include "report/ids.h"
#include "report/quoted_names.h"
#include "report/summary.h"

namespace stepscope {

Result<std::string> ListFindings(const ReportSet& answer, const RowQuery& query) {
  constexpr size_t kTokenBytes = 4, kReserve = 100;
  const QuotedNames names(answer);
  const auto all = FindingsInOrder(answer);
  const auto id_of = [&](const Finding* f) { return IdOf(ReportOf(answer, *f), *f); };
  auto at = all.begin();
  if (!query.after.empty()) {
    at = std::ranges::find(all, query.after, id_of);
    if (at == all.end())
      return std::unexpected(Error{fmt::format("no finding has the id '{}'", query.after),
                                   "`after`", "take the last id that was printed"});
    ++at;
  }
  std::string out, last;
  const size_t room = std::max(query.budget * kTokenBytes, kReserve) - kReserve;
  size_t shown = 0;
  for (; at != all.end() && shown < query.top; ++at, ++shown) {
    const Finding& f = **at;
    const std::string id = id_of(&f), worth = SayWorth(f);
    const std::string line = fmt::format("[{}] {}{}: {}\n", id, SeverityName(f.severity),
                                         worth.empty() ? "" : ", " + worth, names.In(f.message));
    if (out.size() + line.size() > room) break;
    out += line;
    last = id;
  }
  out += fmt::format("{} of {} shown", shown, Plural(all.size(), "finding"));
  if (at != all.end() && !last.empty()) out += fmt::format("; next: after {}", last);
  return out + "\n";
}

}  // namespace stepscope
