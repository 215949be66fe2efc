// The sentences a reader sees first.
#include "session/verdict.h"

namespace stepscope {

std::string Verdict(std::span<const Report> reports) {
  const Report* first = nullptr;
  const Finding* best = nullptr;
  for (const Report& report : reports) {
    if (report.status == Status::kUnavailable) continue;
    if (first == nullptr) first = &report;
    for (const Finding& finding : report.findings) {
      // Of equals the later one: later analyses look closer.
      if (best == nullptr || finding.worth >= best->worth) best = &finding;
    }
  }
  if (first == nullptr) {
    return reports.empty() ? "Nothing was asked."
                           : "Nothing can be said: " + reports.front().why + ".";
  }
  return first->headline + (best == nullptr ? "" : " " + best->says);
}

}  // namespace stepscope
