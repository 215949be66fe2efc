// Says what changed between two snapshots: the peak, and the places that hold more of it.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"
#include "stepscope/compare.h"
#include "stepscope/memory_snapshot.h"

namespace stepscope::memory {
namespace {

constexpr double kWorthSaying = 0.05;  // of the larger peak
constexpr double kSame = 0.005;        // of it
constexpr size_t kMostFindings = 3;

std::string Bytes(int64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

std::optional<int64_t> NumberOf(const Report& report, std::string_view key) {
  return WholeIn(FindMetric(&report, key));
}

// A place in the code, and what it holds at the peak of each side.
struct PlaceChange {
  std::string site;
  int64_t before = 0, after = 0;

  int64_t Change() const { return after - before; }
};

// The largest rise first.
std::vector<PlaceChange> PlacesOf(const Report& compared) {
  const Table* table = FindTable(&compared, "stacks");
  if (table == nullptr) return {};
  const auto site = FindColumn(*table, "site"), before = FindColumn(*table, "bytes_a"),
             after = FindColumn(*table, "bytes_b");
  if (!site || !before || !after) return {};
  std::vector<PlaceChange> places;
  for (const auto& row : table->rows) {
    const auto* name = std::get_if<std::string>(&row[*site]);
    if (name == nullptr) continue;
    places.push_back({.site = *name,
                      .before = WholeIn(row[*before]).value_or(0),
                      .after = WholeIn(row[*after]).value_or(0)});
  }
  std::ranges::stable_sort(places, std::ranges::greater{}, &PlaceChange::Change);
  return places;
}

// Peaks of both sides; nothing where one is not known.
std::optional<std::pair<int64_t, int64_t>> PeaksOf(const Report& before, const Report& after) {
  const auto a = NumberOf(before, "peak_requested"), b = NumberOf(after, "peak_requested");
  if (!a || !b) return std::nullopt;
  return std::pair(*a, *b);
}

// "Peak requested memory is 1.20 GB higher: 4.00 GB before, 5.20 GB after."
Phrase SayPeaks(int64_t before, int64_t after) {
  const auto larger = static_cast<double>(std::max(before, after));
  const int64_t change = after - before;
  if (std::abs(static_cast<double>(change)) <= kSame * larger)
    return Say("Peak requested memory did not change: {before} before, {after} after.",
               Bytes(before), Bytes(after));
  return change > 0
             ? Say("Peak requested memory is {change} higher: {before} before, {after} after.",
                   Bytes(change), Bytes(before), Bytes(after))
             : Say("Peak requested memory is {change} lower: {before} before, {after} after.",
                   Bytes(-change), Bytes(before), Bytes(after));
}

Phrase SayPlace(const PlaceChange& place) {
  return place.Change() > 0 ? Say("{site} holds {change} more at the peak.",
                                  Phrase::Name(place.site), Bytes(place.Change()))
                            : Say("{site} holds {change} less at the peak.",
                                  Phrase::Name(place.site), Bytes(-place.Change()));
}

void AddFindings(const Report& before, const Report& after, std::span<const PlaceChange> places,
                 double least, Report& compared) {
  const auto failures = [](const Report& report) {
    return NumberOf(report, "out_of_memory").value_or(0);
  };
  const bool fails = failures(before) == 0 && failures(after) > 0 && !after.findings.empty();
  if (fails) compared.findings.push_back(after.findings.front());
  for (const PlaceChange& place : places) {
    if (static_cast<double>(place.Change()) < least) break;
    if (compared.findings.size() >= kMostFindings) break;
    compared.findings.push_back(
        {.severity = Severity::kMedium,
         .message = SayPlace(place),
         .because = Say("{before} before, {after} after", Bytes(place.before), Bytes(place.after)),
         .hint = "compare the shapes and the lifetime of what it allocates",
         .table = "stacks",
         .cause = {.kind = CauseKind::kMemory}});
  }
}

Phrase Headline(const std::optional<std::pair<int64_t, int64_t>>& peaks,
                const std::vector<PlaceChange>& places, double least) {
  if (!peaks) return "The peak of one side is not known: its events contradict its segments.";
  Phrase said = SayPeaks(peaks->first, peaks->second);
  if (places.empty()) return said;
  const PlaceChange& most = peaks->second >= peaks->first ? places.front() : places.back();
  const bool along = (most.Change() > 0) == (peaks->second > peaks->first);
  if (!along || std::abs(static_cast<double>(most.Change())) < least) return said;
  return said + " " + SayPlace(most);
}

}  // namespace
}  // namespace stepscope::memory

namespace stepscope {

ReportSet CompareMemorySnapshots(const ReportSet& before, const ReportSet& after) {
  using namespace memory;
  ReportSet answer = Compare(before, after);
  std::erase_if(answer.reports, [](const Report& r) { return r.analysis != "memory_snapshot"; });
  Report& compared = answer.reports.front();
  answer.verdict = compared.why;
  if (compared.status == Status::kUnavailable) return answer;
  const Report &a = before.reports.front(), &b = after.reports.front();
  const auto peaks = PeaksOf(a, b);
  const double least =
      peaks ? kWorthSaying * static_cast<double>(std::max(peaks->first, peaks->second)) : 0;
  const std::vector<PlaceChange> places = PlacesOf(compared);
  compared.headline = Headline(peaks, places, least);
  if (peaks) AddFindings(a, b, places, least, compared);
  answer.verdict = compared.headline;
  JoinFindings(answer, {});
  return answer;
}

}  // namespace stepscope
