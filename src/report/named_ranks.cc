// Implements findings about several ranks.
#include "report/named_ranks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace stepscope {

bool AreOfSameSteps(const Finding& a, const Finding& b) {
  if (!a.since || !b.since) return a.since == b.since;
  return std::max(*a.since, *b.since) - std::min(*a.since, *b.since) <= 1;
}

bool IsOfNamedRanks(const Finding& f) {
  return f.worth && !f.only_worth && f.by_replay && f.cause.kind == CauseKind::kWait &&
         !f.cause.rank;
}

bool IsOfSlowRanks(const Finding& f) {
  return f.cause.kind == CauseKind::kCompute && !f.cause.rank && f.where.ranks.size() > 1;
}

namespace {

// Whether it says why some of these ranks are late, in steps in which they are, and no more.
bool IsOfSomeOf(const Finding& f, const Finding& together) {
  constexpr auto kLate =
      std::to_array<CauseKind>({CauseKind::kInput, CauseKind::kLaunch, CauseKind::kHost,
                                CauseKind::kCopies, CauseKind::kCompute, CauseKind::kWait});
  if (std::ranges::find(kLate, f.cause.kind) == kLate.end()) return false;
  if (f.worth || !f.where.event.empty()) return false;
  if (together.since && !AreOfSameSteps(f, together)) return false;
  const std::vector<int64_t> ranks =
      f.cause.rank ? std::vector<int64_t>{*f.cause.rank} : f.where.ranks;
  return !ranks.empty() && std::ranges::all_of(ranks, [&](int64_t rank) {
    return std::ranges::binary_search(together.where.ranks, rank);
  });
}

bool MayTake(const Finding& f, const Finding& part) {
  return IsOfNamedRanks(f) || (IsOfSlowRanks(f) && part.cause.rank && part.impact <= f.impact);
}

void AddEvidence(Finding& together, Found&& part, const std::vector<Report>& reports) {
  Finding& f = part.finding;
  together.evidence.push_back({reports[part.report].analysis, std::move(f.message),
                               std::move(f.because), std::move(f.table)});
  std::ranges::move(f.evidence, std::back_inserter(together.evidence));
}

}  // namespace

void TakeParts(std::vector<Found>& found, const std::vector<Report>& reports) {
  std::ranges::stable_partition(found, [](const Found& f) { return IsOfNamedRanks(f.finding); });
  std::vector<bool> taken(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (taken[i] || !(IsOfNamedRanks(found[i].finding) || IsOfSlowRanks(found[i].finding)))
      continue;
    for (size_t part = 0; part < found.size(); ++part) {
      const Finding &whole = found[i].finding, &of_some = found[part].finding;
      if (part == i || taken[part] || !MayTake(whole, of_some) || !IsOfSomeOf(of_some, whole))
        continue;
      AddEvidence(found[i].finding, std::move(found[part]), reports);
      taken[part] = true;
    }
  }
  std::vector<Found> left;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!taken[i]) left.push_back(std::move(found[i]));
  }
  found = std::move(left);
}

}  // namespace stepscope
