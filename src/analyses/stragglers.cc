// Finds the ranks that others wait for, since when, at what cost, and the likely cause.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/excess.h"
#include "analyses/growth.h"
#include "analyses/late_words.h"
#include "analyses/partial_note.h"
#include "analyses/slow_stage.h"
#include "analyses/stragglers_absent.h"
#include "analyses/stragglers_devices.h"
#include "analyses/stragglers_explain.h"
#include "analyses/stragglers_steps.h"
#include "analyses/stragglers_suspects.h"
#include "analyses/stragglers_tables.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/lateness/stages.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/replay/slow_links.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/paths/dependencies.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace stragglers {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which ranks do others wait for, since which step, at what cost, and what is the likely cause?

**Definition:** In every synchronizing collective, the wait time of all ranks is caused by the rank that arrived last on
aligned clocks, or, if that rank was itself waiting in another group, by the rank it waited for. Where a replay finds
ranks with which lateness began (see `whatif`), what is not waited without them is due to them, however many ranks pass it
on. `as_last` is the wait time for a rank as the last to arrive, whoever held it up. See `collectives` for wait time and
clock uncertainty. `score` is the share of all wait time that a rank caused. `lost` is how long each other
rank waited for it on average, without concurrent compute. `since_step` is the step since which the rank spends more on
the reason, or, where that did not change, since which it is late in the replay, or the others wait longer for it (see
`steps`, table `changes`). It
is empty if there is none, as for a rank that is late from the first recorded step on. `late_steps` are the steps in
which it caused at least half of the wait time. Shares of span are of the mean span of the other ranks, who wait. What
a finding costs is `lost` in the steps since it is late, or those at regular intervals in which it is, and at most what
the rank spends more on the reason: others that are as late by chance would be waited for, too.

The reason is what the rank spends more on per step than the median of the other ranks: slower or more compute kernels
(where processors compute: slower or more operators, or larger inputs of them, with the operator behind most of it), a
device that idles before late launches (host-bound launch), time in a data loader (input wait), copies, or transfer in
collectives (slower link; where hosts communicate, only of ranks on several machines), or that it begins its first step
late (late start). It must explain 30% of what the other ranks lose, and 5% of what they wait, else it is `unknown`. A
finding requires 1.5 times a rank's fair share of the wait time (70% of it, of two ranks), a loss of `share` of span,
and waits above the clock uncertainty. Of six steps or more,
the rank must also meet one of these conditions:

- It is late in three steps or more, by twice the variation of that and of its own time (without exposed
  communication). If these are few of the steps, by three times the variation over all steps.
- It is late so often that the chance of it is below 1 in 500.
- It has more or larger operators.
- It is late since a certain step (on hosts not by slower operators).

Then a quarter of the wait time is enough, since several ranks may be late. Variation is the median absolute deviation,
as a standard deviation. A rank that is late in some steps is compared with the others in these steps, and where these
do not tell why, as what a host does after the last collective of a step, in the steps before. A rank on hosts
whose operators are slower, or the time between them is longer, must be slow by that much in all steps, in all since
one, or at regular intervals; since one it must take longer itself than before. A rank on hosts that has more work than
before, or than the others (see `steps`), is late for that reason, and ranks that have more of the same are one
finding. So are ranks with more or larger operators in steps of their own, as of uneven lengths: each waits for the
others in turn. If one straggler has a known reason, ranks without a reason are not reported.

Devices of one process, the usual case of TensorFlow and JAX, take the place of ranks: they are on one clock, and
share the input wait of their host.

A rank without a trace may be late too. Where all recorded ranks of its group wait together, which is the time of a
collective after the last of them arrived, beyond the lower quartile of its kind or its time on gigabit Ethernet, a
finding names it from 5% of span on. It is a guess, since a slow network looks the same. Nobody else is blamed for
these collectives, and no other rank is named that is late without a known reason, and costs less: it may pass that on.

**Limitations:** If two ranks are late together, only the last one is
named. Pipeline stages wait for one another by design, and their sends and receives are matched by `whatif` alone: where
these are most of communication, `stages` compares the ranks' own time, which is their span without exposed communication. A
finding names the rank whose own time is beyond the median of the others by 12% of span, or 5% since a step.

**Interpretation:** A single rank with a score near 1 has a hardware problem or too much work. Equal scores
are jitter: the job loses by synchronizing often, not by one rank.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"share", Parameter::Type::kNumber, "0.02", Unit::kRatio,
     "ignore ranks that cost the others less than this share of span"},
});

constexpr double kClearShare = 0.25;  // the same where the rank is clearly late: others may be, too
constexpr double kMinShare = 0.05;    // of collectives, that have no partner
constexpr double kPassedOn = 0.05;    // of all wait time, for a rank that came last

// ns of all recordings of a device, at least 1; of the devices but for those of `except`.
int64_t MeanSpan(const Facts& facts, const RankCollectives* except = nullptr) {
  double sum = 0;
  std::set<std::pair<int64_t, int64_t>> devices;
  for (const DeviceFacts& device : facts.devices) {
    const bool own = except != nullptr && device.rank->rank == except->rank &&
                     (except->device < 0 || device.device == except->device);
    if (own) continue;
    sum += static_cast<double>(device.total.Span());
    devices.emplace(device.rank->rank, device.device);
  }
  const auto count = static_cast<double>(std::max<size_t>(devices.size(), 1));
  return std::max<int64_t>(ToInt64(sum / count), 1);
}

// Of the others' span: they wait until the rank's own span begins, too.
double ShareOf(const Facts& facts, const Suspect& s, int64_t time) {
  const int64_t span = MeanSpan(facts, &facts.collectives.ranks[s.rank]);
  return std::min(static_cast<double>(time) / static_cast<double>(span), 1.0);
}

int64_t LargestError(const CollectiveFacts& c) {
  return std::ranges::max(c.ranks, {}, [](const auto& r) { return r.clock.error; }).clock.error;
}

bool StandsOut(const Facts& facts, const Suspect& s, const Params& params) {
  const auto ranks = static_cast<double>(facts.collectives.ranks.size());
  const int64_t typical = s.waits > 0 ? s.blame / s.waits : 0;
  const double least = s.evidence == LateEvidence::kClear ? kClearShare : kMostOfAll;
  return s.evidence != LateEvidence::kNone && s.score >= std::min(kFairShares / ranks, least) &&
         typical > LargestError(facts.collectives) &&
         ShareOf(facts, s, s.lost) >= params.Number("share");
}

// "Rank 1 is a straggler since step 9", "Ranks 0 and 2 are stragglers in turn".
Phrase SayWho(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  if (!IsOfSeveral(s)) {
    return Say("{who} is a straggler{since}", Capitalized(SaySuspect(facts, s)),
               SaySince(facts, steps, s));
  }
  const Phrase who = Capitalized(SayRanks(RanksOf(facts, s)));
  return s.in_turn || s.work->in_turn
             ? Say("{who} are stragglers in turn", who)
             : Say("{who} are stragglers{since}", who, SaySince(facts, steps, s));
}

// Of a rank that only its first step makes late no more is known than that.
Phrase SayMessage(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const std::string share = HumanRatio(ShareOf(facts, s, CostOf(facts, steps, s)));
  if (!s.start) {
    const RankCollectives& who = facts.collectives.ranks[s.rank];
    const bool by_calls = s.reason == LateReason::kMoreCompute && s.excess && s.work == nullptr;
    const bool in_each = by_calls && who.device < 0 && SaySince(facts, steps, s).empty() &&
                         RunsMoreInEachStep(facts, who.rank, s.excess->name);
    return Say(
        "{who}: {reason}, {share} of span.", SayWho(facts, steps, s),
        in_each ? Say("{reason} in each step", SayLateReason(s, facts)) : SayLateReason(s, facts),
        share);
  }
  return Say("{who} {start}, which wait for {share} of span.", Capitalized(SaySuspect(facts, s)),
             SayLateStart(*s.start, facts), share);
}

// "; ranks 1 and 2 came last, too, after waiting for it": those who caused little, and were waited
// for as the last to come. Only a replay tells them from those who are late themselves.
Phrase SayPassedOn(const Facts& facts, const Blames& blames, const Suspect& s) {
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  if (OriginsOf(facts).Of(JobGraphOf(facts), rank) == nullptr) return {};
  std::vector<int64_t> ranks;
  for (const Suspect& other : blames.suspects) {
    const RankCollectives& r = facts.collectives.ranks[other.rank];
    const bool last = static_cast<double>(r.blame) > kPassedOn * static_cast<double>(blames.total);
    if (r.rank != rank && last && 2 * other.blame < r.blame) ranks.push_back(r.rank);
  }
  if (ranks.empty()) return {};
  std::ranges::sort(ranks);
  return Say("; {ranks} came last, too, only after waiting for others", SayRanks(ranks));
}

// Where its trace ends before it stops being late.
Phrase SayPart(const Suspect& s) {
  if (s.has_of_late == 0) return {};
  return Say("; its trace has {count} of the {steps} in which it is late", s.has_of_late,
             Plural(static_cast<size_t>(s.late_since), "step"));
}

// Of processors, whether other load has a rank late as likely: nothing that it does takes longer,
// and the others wait little; or its operators do since a step, but the job's steps are no longer
// since then, as where another rank was late before.
bool MayBeLoad(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  constexpr double kLittle = 0.1;  // of span
  constexpr double kPart = 0.25;   // of what it costs
  if (!facts.OnHost()) return false;
  if (s.reason == LateReason::kUnknown)
    return !s.since && !s.start && ShareOf(facts, s, s.lost) < kLittle;
  if (s.reason != LateReason::kCompute || !s.since || s.function || s.work != nullptr ||
      s.slow != nullptr)
    return false;
  const auto count =
      std::ranges::count_if(steps, [&](const auto& step) { return step.first >= *s.since; });
  const double longer = LongerSince(TypicalStepsOf(facts), *s.since);
  return longer * static_cast<double>(count) < kPart * static_cast<double>(CostOf(facts, steps, s));
}

// Whether a rank of equals is late by chance, as far as a replay tells: it names the rank neither
// as one that costs something nor as one that takes longer. Of devices of a rank it tells nothing.
bool MayBeChance(const Facts& facts, const Suspect& s) {
  constexpr size_t kEnoughSteps = 5;
  const bool varies = s.reason == LateReason::kCompute || s.reason == LateReason::kHost ||
                      s.reason == LateReason::kInput;
  if (facts.OnHost() || s.since || !varies || s.members.size() != 1) return false;
  if (facts.collectives.HasDevices()) return false;
  const JobGraph& graph = JobGraphOf(facts);
  const Origins& origins = OriginsOf(facts);
  if (graph.steps.size() < kEnoughSteps || graph.Contradicts() || !ReplayErrorOf(facts).IsSmall())
    return false;
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  const uint32_t index = graph.IndexOf(rank);
  if (index == kNowhere) return false;
  const bool harmless = std::ranges::any_of(
      origins.harmless, [&](const Origin& origin) { return origin.late.rank == index; });
  return graph.work[index].HasPeers() && !harmless && origins.Of(graph, rank) == nullptr;
}

// Whether the transfers of a whole group are slow: that is no matter of one of its ranks.
bool IsOfGroup(const Facts& facts, const Suspect& s) {
  if (s.reason != LateReason::kLink) return false;
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  return std::ranges::any_of(SlowLinksOf(facts), [&](const SlowLink& link) {
    const std::vector<int64_t>& members = facts.collectives.groups[link.group].members;
    return std::ranges::binary_search(members, rank);
  });
}

// Of one that other load may have late: "Others wait for rank 0 since step 9, though steps take no
// longer: slower operators, 20.4% of span."
Phrase SayMayBeLoad(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const Phrase who = SaySuspect(facts, s), reason = SayLateReason(s, facts);
  const std::string share = HumanRatio(ShareOf(facts, s, CostOf(facts, steps, s)));
  return s.since ? Say("Others wait for {rank}{since}, though steps take no longer: {reason}, "
                       "{share} of span.",
                       who, SaySince(facts, steps, s), reason, share)
                 : Say("Others wait for {rank}: {reason}, {share} of span.", who, reason, share);
}

// "614 ms more in all than the median of the others between operators; it caused 93.8% of all wait
// time (most of it in 8 of 10 steps), was last 22 times, and cost every other rank 643 ms".
Phrase SayEvidence(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const bool several = IsOfSeveral(s);
  const Phrase share = HumanRatio(s.score), most = SayLateSteps(facts, steps, s),
               times = Plural(static_cast<size_t>(s.times_last), "time");
  const auto error = static_cast<double>(LargestError(facts.collectives));
  const Phrase uncertain =
      error > 0 ? Say(" (clock uncertainty {error})", HumanTime(error)) : Phrase();
  const Phrase caused = Say(
      "{caused}, and cost every other {noun} {time} in all{error}",
      several
          ? Say("they caused {share} of all wait time{most}, were last {times}", share, most, times)
          : Say("it caused {share} of all wait time{most}, was last {times}", share, most, times),
      ParticipantNoun(facts), HumanTime(static_cast<double>(s.lost)), uncertain);
  const Phrase cause = SayLateEvidence(s, facts) + SayPart(s);
  return cause.empty() ? caused : cause + "; " + caused;
}

// Steps are without the evaluation between them, so that no mean step holds what it costs.
Extent ExtentOf(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const bool between = s.reason == LateReason::kEvaluation;
  return {.steps = between ? static_cast<double>(steps.size()) : 0.0,
          .recordings = facts.RecordingsOfARank()};
}

void AddFinding(Report& report, const Facts& facts, const Blames& blames, const Suspect& s) {
  const StepBlame& steps = blames.steps;
  // What tells of the steps before is nearer to the cause, where there is such a finding.
  const bool may_be_load = MayBeLoad(facts, steps, s);
  const bool is_symptom = s.reason == LateReason::kUnknown || s.in_step_before || may_be_load;
  std::optional<int64_t> rank;
  if (!IsOfSeveral(s)) rank = facts.collectives.ranks[s.rank].rank;
  const auto of_thread = is_symptom ? std::nullopt : KindOfThread(facts, rank, s.since);
  report.findings.push_back(
      {.message = may_be_load ? SayMayBeLoad(facts, steps, s) : SayMessage(facts, steps, s),
       .because = SayEvidence(facts, steps, s) + SayPassedOn(facts, blames, s),
       .hint = s.start ? LateStartHint(*s.start, facts) : LateHint(s, facts),
       .impact = CostOf(facts, steps, s),
       .table = "ranks",
       .cause = {is_symptom ? CauseKind::kWait : of_thread.value_or(CauseOf(s.reason)), rank},
       .nearness = is_symptom  ? Nearness::kSymptom
                   : of_thread ? Nearness::kPart
                               : Nearness::kCause,
       .extent = ExtentOf(facts, steps, s),
       .since = s.since && StretchOf(facts, s).empty() ? std::optional(OwnStep(steps, s, *s.since))
                                                       : std::nullopt,
       .where = WhereOf(facts, steps, s),
       .at_most = may_be_load || MayBeChance(facts, s) || IsOfGroup(facts, s) ? Severity::kLow
                                                                              : Severity::kHigh});
}

// Of ranks that have more of the same work one. `for_absent`: what each rank waits for one without
// a trace: who is late without a reason may only pass that on.
void AddFindings(Report& report, const Facts& facts, const Blames& blames, int64_t for_absent,
                 const Params& params) {
  const auto first =
      std::span(blames.suspects).first(std::min(kMostSuspects, blames.suspects.size()));
  std::set<const WorkRise*> told;
  std::vector<Suspect> stand_out;
  for (const Suspect& s : first) {
    if (s.work != nullptr && !told.insert(s.work).second) continue;
    const Suspect all = s.work == nullptr ? s : Together(blames, *s.work);
    if (StandsOut(facts, all, params)) stand_out.push_back(all);
  }
  for (const Suspect& s : JoinInTurn(blames, stand_out)) {
    const bool passed_on = s.reason == LateReason::kUnknown && for_absent >= s.lost;
    if (passed_on || IsDoubtful(facts, s, stand_out)) continue;
    AddFinding(report, facts, blames, s);
  }
}

Phrase WhyNot(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  if (c.ranks.size() == 1) return "only one rank was recorded";
  if (c.matches.empty()) return NoCommunication(facts);
  if (std::ranges::none_of(c.ranks, [](const auto& r) { return r.split > 0; })) {
    return Say(
        "no synchronizing collective was matched on two {noun}s: wait time is unknown; see "
        "collectives",
        ParticipantNoun(facts));
  }
  return "";
}

// Why a rank that others wait for long is no straggler.
Phrase SayWhyNoStraggler(const StepBlame& steps, const Suspect& s) {
  if (s.evidence != LateEvidence::kNone) return {};
  if (const auto step = MostInOneStep(steps, s))
    return Say(" Most of it is in step {step}.", *step);
  return " It is late by no more than its own time varies from step to step.";
}

// Collectives without a partner may have waits of their own; sends and receives never have one.
Phrase SayUnmatched(const CollectiveFacts& c) {
  int64_t matched = 0, unmatched = 0;
  for (const RankCollectives& rank : c.ranks) {
    matched += rank.matched;
    unmatched += rank.unmatched - rank.point_to_point;
  }
  const double share = static_cast<double>(unmatched) /
                       static_cast<double>(std::max<int64_t>(matched + unmatched, 1));
  if (share < kMinShare) return {};
  return Say(
      " {unmatched} of {all} collectives are matched with no other rank: their waits are unknown.",
      HumanCount(unmatched), HumanCount(matched + unmatched));
}

Phrase Headline(const Facts& facts, const StepBlame& steps, const Suspect& worst, bool stands_out) {
  const std::string_view noun = ParticipantNoun(facts);
  if (worst.blame == 0) return Say("No {noun} waits for another.", noun);
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  const Phrase who = SaySuspect(facts, worst);
  const std::string error = time(LargestError(facts.collectives));
  if (stands_out) {
    const Phrase text = Say(
        "{who} causes {share} of all wait time in collectives and costs every other {noun} {time} "
        "(clock uncertainty {error}).",
        Capitalized(who), HumanRatio(worst.score), noun, time(worst.lost), error);
    const bool waits = worst.reason == LateReason::kUnknown && MayWaitForAbsent(facts, worst.rank);
    return waits ? Say("{sentence} It may itself wait for ranks that have no trace.", text) : text;
  }
  return Say(
      "No {noun} is a straggler: most wait time is for {who}, which costs every other {noun} "
      "{time}, {share} of span (clock uncertainty {error}).{why}",
      noun, who, time(worst.lost), HumanRatio(ShareOf(facts, worst, worst.lost)), error,
      SayWhyNoStraggler(steps, worst));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kStragglers, facts);
  if (report.status == Status::kUnavailable) return report;
  if (!std::ranges::all_of(facts.ranks, TellsLateRanks)) {
    MakeUnavailable(report,
                    "partials of processors, or of processes with several devices, do not tell who "
                    "is late: ask the traces");
    return report;
  }
  const CollectiveFacts& c = facts.collectives;
  const bool pipeline = TiedByMessages(facts);
  if (Phrase why = WhyNot(facts); !why.empty()) {
    if (AddWaitForAbsent(report, facts, MeanSpan(facts)) > 0)
      report.headline = report.findings.front().message;
    else if (pipeline)
      AddSlowStage(report, facts);
    else
      MakeUnavailable(report, std::move(why));
    return report;
  }
  Blames blames = FindBlames(facts);
  ExplainSuspects(facts, blames);
  StepBlame joined_steps;
  std::optional<Blames> joined;  // where all devices of a rank are late
  if (const auto late_ranks = DevicesOfLateRanks(facts); !late_ranks.empty()) {
    joined_steps = JoinedSteps(blames.steps, late_ranks);
    joined.emplace(JoinedBlames(blames, late_ranks, joined_steps));
    ExplainSuspects(facts, *joined);
  }
  const Blames& told = joined ? *joined : blames;
  const Suspect& worst = told.suspects.front();
  report.headline = Headline(facts, told.steps, worst, StandsOut(facts, worst, params));
  report.headline += SayUnmatched(c);
  report.metrics = {
      {"waiting", "total wait time", blames.total, Unit::kNanoseconds},
      {"clock_error_max", "max clock uncertainty", LargestError(c), Unit::kNanoseconds}};
  if (blames.for_absent > 0) {
    report.metrics.push_back(
        {"waiting_absent", "waits for absent ranks", blames.for_absent, Unit::kNanoseconds});
  }
  report.tables.push_back(RankTable(facts, blames));
  report.tables.push_back(ReasonTable(c, blames));
  report.tables.push_back(StepTable(c, blames.steps));
  const int64_t for_absent = AddWaitForAbsent(report, facts, MeanSpan(facts));
  if (for_absent > worst.lost) report.headline = report.findings.front().message;
  AddFindings(report, facts, told, for_absent, params);
  if (pipeline && std::ssize(report.findings) == (for_absent > 0 ? 1 : 0))
    AddSlowStage(report, facts);
  NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace stragglers

const Analysis kStragglers = {
    .name = "stragglers",
    .title = "Stragglers",
    .label = "Stragglers",
    .group = AnalysisGroup::kRanks,
    .summary = "Ranks others wait for; cost and cause",
    .doc = stragglers::kDoc,
    .needs = kDependencyNeeds,
    .of_partials = OfPartials::kYes,
    .params = stragglers::kParams,
    .run = &stragglers::Run,
};

}  // namespace stepscope
