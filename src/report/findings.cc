// Implements merging and ordering of findings.
#include "report/findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "report/named_ranks.h"

namespace stepscope {
namespace {

constexpr double kOnOneRank = 3;  // a cause there counts so much more: it shows in other times too
constexpr double kMostDueToOne = 2.5;  // times what one rank costs, or a replay says of it
constexpr double kSpeaksForAll = 0.5;  // of the largest share among findings of one cause

// Whether one number may stand for the other: they are equal, or one is open.
bool Agree(const std::optional<int64_t>& a, const std::optional<int64_t>& b, bool may_be_open) {
  return a == b || (may_be_open && (!a || !b));
}

// Whether a replay found that ranks hold the job up by the function that the other finding names.
bool IsOfFunction(const Finding& f, const Finding& head) {
  return f.cause.kind == CauseKind::kWait && !f.only_worth && !f.where.event.empty() &&
         f.where.event.str() == head.where.event.str() && AreOfSameSteps(f, head);
}

// Whether a replay found a function that runs since a step, where the other is in all of them.
bool IsAnother(const Finding& f, const Finding& head) {
  const std::string &own = f.where.event.str(), &other = head.where.event.str();
  return f.worth && !f.only_worth && f.since && !head.since && !own.empty() && !other.empty() &&
         own != other;
}

// Whether both name a function or operator in the same steps.
bool AreOneEvent(const Finding& a, const Finding& b) {
  return !a.where.event.empty() && a.where.event.str() == b.where.event.str() &&
         !a.where.steps.empty() && a.where.steps == b.where.steps;
}

// Whether both name a function or operator of one rank, one of them perhaps without its first step.
bool AreOfOneRanksEvent(const Finding& f, const Finding& head) {
  return f.cause.rank && f.cause.rank == head.cause.rank && !f.where.event.empty() &&
         f.where.event.str() == head.where.event.str() && (!f.since || AreOfSameSteps(f, head));
}

// Whether `f` is due to what `head` is due to. `head` is at least as near to the cause; `worth` is
// what a replay says of it.
bool HasCauseOf(const Finding& f, const Finding& head, const std::optional<Worth>& worth) {
  const Cause &a = f.cause, &b = head.cause;
  if (a.kind == CauseKind::kNone || b.kind == CauseKind::kNone) return false;
  if (IsAnother(f, head)) return false;
  if (IsOfFunction(f, head) || AreOneEvent(f, head) || AreOfOneRanksEvent(f, head)) return true;
  // Ranks that hold the job up are not late because all communicate or wait.
  if (IsOfNamedRanks(f) && !IsOfSlowRanks(head)) return false;
  const bool is_symptom = f.nearness == Nearness::kSymptom;
  if (!Agree(a.rank, b.rank, is_symptom) || !Agree(a.step, b.step, is_symptom)) return false;
  // Ranks that cost little are not why all wait so long, or why a step took so long.
  const double of_head = worth ? ShareOf(*worth) : head.share;
  if ((b.rank || IsOfNamedRanks(head)) && !a.rank && of_head * kMostDueToOne < f.share)
    return false;
  if (a.kind == b.kind) return true;
  // All communicate longer since a step: for whom they wait then is not known.
  if (a.kind == CauseKind::kCommunication && b.kind == CauseKind::kWait && !b.rank)
    return head.since && is_symptom && head.share >= kSpeaksForAll * f.share;
  // Waiting is for a rank, or because of compute that is as uneven; else it is communication.
  if (a.kind != CauseKind::kWait) return false;
  if (b.rank) return true;
  if (b.kind == CauseKind::kCompute) return head.share >= kSpeaksForAll * f.share;
  return b.kind == CauseKind::kCommunication && !a.rank;
}

// Nearest first; of equally near ones, those on one rank first, then what was measured before what
// a model of the path would save at most, then by share.
bool IsNearer(const Found& a, const Found& b) {
  const auto order = [](const Finding& f) {
    return std::tuple(f.nearness, f.cause.rank.has_value(), !IsEstimate(f), f.share, f.impact);
  };
  return order(a.finding) > order(b.finding);
}

// Whether what a replay says of `replayed` is known of the other. Where all communication is
// hidden, ranks still wait for one another.
bool MaySpeakFor(const Finding& replayed, const Finding& f) {
  const Cause &of = replayed.cause, &cause = f.cause;
  return of.rank == cause.rank && AreOfSameSteps(replayed, f) &&
         (of.kind != CauseKind::kCommunication || cause.kind != CauseKind::kWait);
}

// What a replay says of any of a group, which weighs them all: the excess of what waits anyway is
// worth nothing. `told`: only of what is a finding itself.
std::optional<Worth> WorthOf(const Found& head, const std::vector<Found>& group,
                             bool told = false) {
  if (head.finding.worth) return head.finding.worth;
  const auto same = std::ranges::find_if(group, [&](const Found& f) {
    return f.finding.worth && !(told && f.finding.only_worth) &&
           MaySpeakFor(f.finding, head.finding);
  });
  return same == group.end() ? std::nullopt : same->finding.worth;
}

// The group of findings that `f` is due to. Of several, one about the same event of its rank, then
// one of a cause other than communication itself, and of those the one that explains most.
auto GroupOf(const Found& f, std::vector<std::vector<Found>>& groups) {
  const auto explains = [&](const Finding& head) {
    return std::tuple(AreOfOneRanksEvent(f.finding, head),
                      head.cause.kind != CauseKind::kCommunication, head.share);
  };
  auto most = groups.end();
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    const Finding& head = group->front().finding;
    if (!HasCauseOf(f.finding, head, WorthOf(group->front(), *group))) continue;
    if (most == groups.end() || explains(head) > explains(most->front().finding)) most = group;
  }
  return most;
}

// Whether what a replay says speaks rather than the nearest finding of its group: of a rank, where
// that is more than the waits that were measured, or no other one says why; of a group of ranks,
// where that is most of it.
bool SpeaksInsteadOf(const Finding& nearest, const Finding& f) {
  if (!f.worth || f.only_worth) return false;
  if (!f.cause.rank) return f.share >= kSpeaksForAll * nearest.share;
  const double measured = kMuchMore * static_cast<double>(nearest.per_step);
  return nearest.nearness != Nearness::kCause ||
         (nearest.cause.kind == CauseKind::kWait && static_cast<double>(f.per_step) > measured);
}

// Which of a group speaks for all: what a replay says, or else the cause itself, or else the
// nearest one that shows most of it.
size_t HeadOf(const std::vector<Found>& group) {
  for (size_t i = 1; i < group.size(); ++i) {
    if (SpeaksInsteadOf(group.front().finding, group[i].finding)) return i;
  }
  double most = 0;
  for (const Found& f : group) most = std::max(most, f.finding.share);
  const auto speaks = [&](const Found& f) {
    if (f.finding.only_worth) return false;
    return f.finding.nearness == Nearness::kCause || f.finding.share >= kSpeaksForAll * most;
  };
  auto head = std::ranges::find_if(group, speaks);
  // Of one event, one that shows more than twice as much.
  for (auto other = group.begin(); other != group.end(); ++other) {
    const bool much_more = head->finding.share < kSpeaksForAll * other->finding.share;
    if (much_more && !other->finding.only_worth && AreOneEvent(other->finding, head->finding))
      head = other;
  }
  return static_cast<size_t>(head - group.begin());
}

// Communication and waiting of all ranks.
bool IsOfAll(const Finding& f) {
  const CauseKind kind = f.cause.kind;
  return !f.cause.rank && !IsOfNamedRanks(f) &&
         (kind == CauseKind::kCommunication || kind == CauseKind::kWait);
}

// Waiting for a rank is due to what the nearest finding says why, whoever speaks for the group.
CauseKind KindBehind(const Cause& cause, const std::vector<Found>& group) {
  if (cause.kind != CauseKind::kWait || !cause.rank) return cause.kind;
  const auto why = std::ranges::find_if(group, [&](const Found& f) {
    return f.finding.cause.kind != CauseKind::kWait && f.finding.cause.rank == cause.rank;
  });
  return why == group.end() ? cause.kind : why->finding.cause.kind;
}

// What a replay without the function that the finding names says, if that is of the same steps.
std::optional<Worth> WorthOfFunction(const Finding& f, const std::vector<Found>& functions) {
  const auto same = std::ranges::find_if(functions, [&](const Found& function) {
    return function.finding.where.event.str() == f.where.event.str() &&
           AreOfSameSteps(function.finding, f);
  });
  if (same == functions.end()) return std::nullopt;
  std::optional<Worth> worth = same->finding.worth;
  // With the function that waits, what it does besides is gone, too.
  if (f.per_step > 0) worth->saved = std::min(worth->saved, f.per_step);
  return worth;
}

// Whether a finding, or what others say of its cause, names this: "tokenize (data.py:7)".
bool Names(const Finding& f, std::string_view label) {
  const std::string_view function = label.substr(0, label.find(" ("));
  return f.where.event.str() == label || f.message.str().contains(function) ||
         std::ranges::any_of(f.evidence,
                             [&](const Evidence& e) { return e.message.str().contains(function); });
}

// A function that nobody names, though a step is much shorter without it, is a finding of its own.
void AddUnnamed(const std::vector<Found>& functions, const RankTime& whole,
                std::vector<Found>& found) {
  for (Found function : functions) {
    const std::string label = function.finding.where.event.str();
    const bool named =
        std::ranges::any_of(found, [&](const Found& f) { return Names(f.finding, label); });
    if (named || function.finding.at_most == Severity::kLow) continue;
    function.finding.only_worth = false;
    Reweigh(function, whole);
    found.push_back(std::move(function));
  }
}

// Of a replay of what others found and one of the function alone, the one that is nearer to what
// was measured, ns per step.
std::optional<Worth> NearerOf(const std::optional<Worth>& found,
                              const std::optional<Worth>& function, int64_t measured) {
  if (!found || !function || measured <= 0) return found ? found : function;
  const auto off = [&](const Worth& worth) { return std::abs(worth.saved - measured); };
  return off(*function) < off(*found) ? function : found;
}

// Of what may speak for the finding what is nearest to it: a replay of what others found or of the
// function alone, then of all that its rank does.
void ApplyWorths(Found& head, const std::vector<Found>& group, const std::vector<Found>& functions,
                 const RankTime& whole) {
  const auto nearer = NearerOf(WorthOf(head, group, true), WorthOfFunction(head.finding, functions),
                               head.finding.per_step);
  for (const auto& worth : {nearer, WorthOf(head, group)}) {
    ApplyWorth(head, worth, whole);
    if (head.finding.worth) return;
  }
}

// What has no worth costs at most what a replay of it saves at most. Its place is by what was
// measured, as that of those that no replay bounds.
void KeepBelowBound(Found& head, const std::vector<Found>& group, const RankTime& whole) {
  Finding& f = head.finding;
  for (const Found& other : group) {
    const Finding& bound = other.finding;
    if (f.worth || !bound.by_replay || bound.worth || !MaySpeakFor(bound, f)) continue;
    if (bound.per_step <= 0 || bound.per_step >= f.per_step) continue;
    const double of_it = static_cast<double>(bound.per_step) / static_cast<double>(f.per_step);
    const double measured = head.now;
    WeighAs(head, ToInt64(static_cast<double>(f.impact) * of_it), whole);
    head.now = measured;
  }
}

// The finding of a group. It is worth what its head is worth: symptoms may have other causes too.
Found Merge(std::vector<Found> group, const std::vector<Report>& reports, const RankTime& whole,
            const std::vector<Found>& functions, const std::optional<Worth>& of_communication) {
  const auto at = group.begin() + static_cast<std::ptrdiff_t>(HeadOf(group));
  at->finding.cause.kind = KindBehind(at->finding.cause, group);
  Found head = std::move(*at);
  group.erase(at);
  ApplyWorths(head, group, functions, whole);
  KeepBelowBound(head, group, whole);
  if (!head.finding.worth && IsOfAll(head.finding) && IsEstimate(head.finding))
    ApplyWorth(head, of_communication, whole);
  for (Found& f : group) {
    if (f.finding.only_worth) continue;  // the worth says it
    head.finding.evidence.push_back({reports[f.report].analysis, std::move(f.finding.message),
                                     std::move(f.finding.because), std::move(f.finding.table)});
  }
  // Ranks that are late in turn, as on busy machines: there is no one thing to mend. What began at
  // a step is one.
  Finding& f = head.finding;
  if (f.cause.kind == CauseKind::kWait && !f.cause.rank && !f.since && !IsOfNamedRanks(f))
    f.severity = std::max(f.severity, Severity::kMedium);  // the higher value is the lower severity
  return head;
}

// A rank that is slow makes others wait: their exposed communication is larger than its excess.
double WeightOf(const Found& f) {
  const bool on_one = f.finding.nearness == Nearness::kCause && f.finding.cause.rank;
  const bool on_some = IsOfNamedRanks(f.finding) || IsOfSlowRanks(f.finding);
  return (on_one || on_some ? kOnOneRank : 1) * f.now;
}

bool IsOfRanks(const Finding& f) { return f.worth && (f.cause.rank || IsOfNamedRanks(f)); }

// Where a rank holds the job up, hiding all communication saves at most what a replay says: what
// was measured beyond that waits for the rank, and is gone with its cause.
void KeepBelowReplay(std::vector<Found>& found, const std::optional<Worth>& of_communication,
                     const RankTime& whole) {
  const auto on_one = [](const Found& f) { return IsOfRanks(f.finding); };
  if (!of_communication || whole.steps <= 0 || !std::ranges::any_of(found, on_one)) return;
  for (Found& f : found) {
    Finding& of_all = f.finding;
    const bool measured = of_all.cause.kind == CauseKind::kCommunication && !of_all.cause.rank &&
                          !of_all.worth && !of_all.since;
    if (!measured || of_all.per_step <= of_communication->saved) continue;
    of_all.worth = of_communication;
    WeighAs(f, ToInt64(static_cast<double>(of_communication->saved) * whole.steps), whole);
  }
}

// What a replay says of one rank comes before communication and waiting of all, which cost up to
// something, and of which that rank is a part.
void SetOrder(std::vector<Found>& found) {
  Severity of_rank = Severity::kHigh;
  bool any = false;
  for (Found& f : found) {
    f.order = f.finding.severity;
    if (!IsOfRanks(f.finding)) continue;
    of_rank = any ? std::min(of_rank, f.order) : f.order;
    any = true;
  }
  if (!any) return;
  for (Found& f : found) {
    if (IsOfAll(f.finding))
      f.order = std::max(f.order, of_rank);  // the higher value is the lower severity
  }
}

bool IsBefore(const Found& a, const Found& b) {
  const auto order = [](const Found& f) {
    const bool lacks_most =
        f.finding.cause.kind == CauseKind::kRecording && f.finding.severity == Severity::kHigh;
    // Time that was measured comes before what another precision might save, and what a replay
    // says of ranks, or what was done once, before what others cost at most.
    return std::tuple(!lacks_most, f.order, f.finding.at_most == Severity::kLow,
                      f.finding.cause.kind != CauseKind::kRecording,
                      f.finding.cause.kind == CauseKind::kPrecision,
                      !IsOfRanks(f.finding) && !IsDoneOnce(f.finding), -WeightOf(f));
  };
  return order(a) < order(b);
}

// Together they cost at most `most`: each what those before it leave. Ranks run side by side, so
// that what one takes leaves as much for another.
void KeepWithin(std::vector<Found>& found, const RankTime& whole) {
  if (!whole.most) return;
  int64_t of_all = 0, of_any_rank = 0;
  std::map<int64_t, int64_t> of_rank;
  for (Found& one : found) {
    Finding& f = one.finding;
    if (f.impact <= 0) continue;
    int64_t& used = f.cause.rank ? of_rank[*f.cause.rank] : of_all;
    const int64_t others = f.cause.rank ? of_all : of_any_rank;
    f.impact = std::clamp<int64_t>(*whole.most - used - others, 0, f.impact);
    used += f.impact;
    if (f.cause.rank) of_any_rank = std::max(of_any_rank, used);
    Reweigh(one, whole);
  }
}

std::vector<Found> TakeAll(ReportSet& answer) {
  std::vector<Found> all;
  for (size_t r = 0; r < answer.reports.size(); ++r) {
    for (Finding& finding : answer.reports[r].findings)
      all.push_back({.finding = std::move(finding), .report = r});
    answer.reports[r].findings.clear();
  }
  return all;
}

// A batch cannot grow where memory is nearly full, whatever else it would help.
void LeaveOutLargerBatch(Phrase& hint) {
  for (const std::string_view words :
       {", or a larger batch", " or a larger batch", ", a larger batch", "a larger batch, or ",
        "a larger batch, "}) {
    hint = hint.Without(words);
  }
}

// What one finding advises, another must not advise against.
void ReconcileHints(std::vector<Found>& found) {
  const bool full = std::ranges::any_of(
      found, [](const Found& f) { return f.finding.cause.kind == CauseKind::kMemory; });
  if (!full) return;
  for (Found& f : found) LeaveOutLargerBatch(f.finding.hint);
}

}  // namespace

void JoinFindings(ReportSet& answer, const RankTime& whole) {
  std::vector<Found> all = TakeAll(answer);
  for (Found& f : all) Weigh(f, whole);
  std::ranges::stable_sort(all, IsNearer);
  const auto hidden = std::ranges::find_if(
      all, [](const Found& f) { return f.finding.only_worth && IsOfAll(f.finding); });
  const auto of_communication = hidden == all.end() ? std::nullopt : hidden->finding.worth;
  std::vector<Found> functions;
  for (const Found& f : all) {
    if (f.finding.only_worth && !f.finding.where.event.empty()) functions.push_back(f);
  }
  std::vector<std::vector<Found>> groups;
  for (Found& f : all) {
    const auto same = GroupOf(f, groups);
    if (same == groups.end()) {
      groups.emplace_back().push_back(std::move(f));
    } else {
      same->push_back(std::move(f));
    }
  }
  std::vector<Found> found;
  for (auto& group : groups) {
    if (!std::ranges::all_of(group, [](const Found& f) { return f.finding.only_worth; }))
      found.push_back(Merge(std::move(group), answer.reports, whole, functions, of_communication));
  }
  TakeParts(found, answer.reports);
  AddUnnamed(functions, whole, found);
  ReconcileHints(found);
  KeepBelowReplay(found, of_communication, whole);
  SetOrder(found);
  std::ranges::stable_sort(found, IsBefore);
  KeepWithin(found, whole);
  SetOrder(found);
  std::ranges::stable_sort(found, IsBefore);
  int64_t place = 0;
  for (Found& f : found) {
    f.finding.place = ++place;
    answer.reports[f.report].findings.push_back(std::move(f.finding));
  }
}

std::vector<const Finding*> FindingsInOrder(const ReportSet& answer) {
  std::vector<const Finding*> all;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) all.push_back(&finding);
  }
  std::ranges::stable_sort(all, [](const Finding* a, const Finding* b) {
    return std::tie(a->place, b->impact, a->severity) < std::tie(b->place, a->impact, b->severity);
  });
  return all;
}

const Report& ReportOf(const ReportSet& answer, const Finding& finding) {
  const auto has = [&](const Report& report) {
    return std::ranges::any_of(report.findings, [&](const Finding& f) { return &f == &finding; });
  };
  return *std::ranges::find_if(answer.reports, has);
}

bool WorthALook(const Finding& finding) {
  if (finding.place == 0) return true;
  if (finding.share > 0) return finding.share >= kWorthALook;
  return finding.severity != Severity::kLow;
}

}  // namespace stepscope
