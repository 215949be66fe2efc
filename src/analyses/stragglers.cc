// Finds the ranks that others wait for, since when, at what cost, and the likely cause.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/late_rank.h"
#include "analyses/slow_stage.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/exposed_waits.h"
#include "facts/derived/lateness.h"
#include "facts/derived/on_demand.h"
#include "facts/derived/stages.h"
#include "facts/derived/step_blame.h"
#include "facts/derived/step_changes.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace stragglers {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which ranks do others wait for, since which step, at what cost, and what is the likely cause?

**Definition:** In every synchronizing collective, the wait time of all ranks is caused by the rank that arrived
last on aligned clocks. See `collectives` for wait time and clock uncertainty. `score` is the share of all wait time
that a rank caused. `lost` is how long each other rank waited for it on average, without concurrent compute.
`since_step` is the step since which the rank spends more on the reason, or, where that did not change, since which the
others wait longer for it (see `steps`, table `changes`). It is empty if there is none, as for a rank that is late from
the first recorded step on. `late_steps` are the steps in which it caused at least half of the wait time.

The reason is what the rank spends more on per step than the median of the other ranks: slower or more compute kernels
(where processors compute: slower or more operators, or larger inputs of them, with the operator behind most of it),
a device that idles before late launches (host-bound launch), time in a data loader (input wait), copies, or transfer
in collectives (slower link). It must explain 30% of what the other ranks lose, and 5% of what they wait, else it is
`unknown`. A finding requires 1.5 times a rank's fair share of the wait time (70% of it, of two ranks), a loss of
`share` of span, and waits above the clock uncertainty.

Devices of one process, the usual case of TensorFlow and JAX, take the place of ranks: they are on one clock, and
share the input wait of their host.

**Limitations:** Ranks that were not recorded are unknown. If two ranks are late together, only the last one is
named. Pipeline stages wait for one another by design, and their sends and receives are not matched: where these are
most of communication, `stages` compares the ranks' own time, which is their span without exposed communication. A
finding names the rank whose own time is beyond the median of the others by 12% of span, or 5% since a step.

**Interpretation:** A single rank with a score near 1 has a hardware problem or too much work. Equal scores
are jitter: the job loses by synchronizing often, not by one rank.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"share", Parameter::Type::kNumber, "0.02", Unit::kRatio,
     "ignore ranks that cost the others less than this share of span"},
});

constexpr double kFairShares = 1.5;  // of the wait time, to stand out
constexpr double kMostOfAll = 0.7;   // of the wait time, which stands out of two ranks too
constexpr double kEven = 1.0 / 3;  // of a step's usual wait time, in each step that counts as late

struct Suspect : LateRank {
  double score = 0;
  int64_t blame = 0;
  int64_t waits = 0;       // how many times a rank waited for it
  int64_t late_steps = 0;  // in which it caused most of the wait time
};

struct Blames {
  std::vector<Suspect> suspects;  // by rank
  StepBlame steps;
  int64_t total = 0;  // ns of wait time
};

Blames FindBlames(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  Blames blames{.steps = BlameOfSteps(facts)};
  for (uint32_t r = 0; r < c.ranks.size(); ++r) {
    Suspect& suspect = blames.suspects.emplace_back();
    suspect.rank = r;
    suspect.blame = c.ranks[r].blame;
    blames.total = AddSaturated(blames.total, c.ranks[r].wait);
  }
  std::vector<std::vector<const CollectivePart*>> waited_for(c.ranks.size());
  for (const CollectiveMatch& match : c.matches) {
    if (match.last == kNobody) continue;
    auto& parts = waited_for[c.parts[match.last].rank];
    for (const CollectivePart& part : c.Parts(match)) {
      if (part.wait != 0) parts.push_back(&part);
    }
  }
  ExposedWaits exposed(facts);
  for (Suspect& s : blames.suspects) {
    s.waits = std::ssize(waited_for[s.rank]);
    s.lost = exposed.Of(waited_for[s.rank]);
    s.lost /= std::max<int64_t>(1, std::ssize(c.ranks) - 1);
    if (blames.total > 0)
      s.score = static_cast<double>(s.blame) / static_cast<double>(blames.total);
  }
  return blames;
}

void FindSince(const Facts& facts, const StepBlame& steps, Suspect& s) {
  s.late_steps = LateSteps(steps, s.rank);
  const RankCollectives& rank = facts.collectives.ranks[s.rank];
  const StepChanges& changes = OnDemand(facts).Changes(facts);
  if (const auto quantity = QuantityOf(s.reason)) {
    if (const StepChange* change = changes.Rise(*quantity, rank.rank, rank.device)) {
      s.since = change->since;
      return;
    }
  }
  s.since = WaitedForSince(steps, s.rank, kLeastStepChange * static_cast<double>(changes.median));
}

void Explain(const Facts& facts, Blames& blames) {
  const std::vector<RankEffort> efforts = MeasureEfforts(facts);
  const std::vector<RankEffort> beyond = BeyondOthers(efforts);
  const int64_t others = std::ssize(efforts) - 1;
  for (Suspect& s : blames.suspects) {
    if (s.blame == 0) continue;
    s.beyond = beyond[s.rank];
    s.reason = FindLateReason(s, efforts[s.rank].kernels, s.blame / others);
    FindSince(facts, blames.steps, s);
  }
}

Table RankTable(const Facts& facts, const Blames& blames) {
  const CollectiveFacts& c = facts.collectives;
  const std::string noun(ParticipantNoun(facts));
  Table table{.key = "ranks",
              .title = Capitalized(noun) + "s by caused wait",
              .columns = ParticipantKeys(),
              .text_rows = 4};
  AddColumns(table, {RatioColumn("score", "% of all wait"), Column{"since_step", "since step"},
                     TimeColumn("lost", "cost per " + noun), Column{"reason", "likely cause"},
                     TimeColumn("blame", "caused wait"), CountColumn("times_last", "times last"),
                     CountColumn("late_steps", "late steps"),
                     TimeColumn("clock_error", "clock uncertainty")});
  SetKinds(table, {{"blame", ColumnKind::kWait}});
  for (const Suspect& s : blames.suspects) {
    const RankCollectives& r = c.ranks[s.rank];
    if (r.split == 0) continue;
    const bool blamed = s.blame > 0;
    std::vector<Cell> row = ParticipantCells(r);
    row.insert(row.end(),
               {blames.total > 0 ? Cell(s.score) : Cell(), s.since ? Cell(*s.since) : Cell(),
                s.lost, blamed ? Cell(std::string(LateReasonName(s.reason, facts))) : Cell(),
                s.blame, r.times_last, When(!blames.steps.empty(), s.late_steps), r.clock.error});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The evidence for the causes.
Table ReasonTable(const CollectiveFacts& c, const Blames& blames) {
  Table table{.key = "reasons",
              .title = "Excess time of stragglers",
              .columns = ParticipantKeys(),
              .text_rows = 0};
  AddColumns(table, {TimeColumn("compute", "compute"), TimeColumn("late_launches", "late launches"),
                     TimeColumn("input", "input wait"), TimeColumn("copies", "copies"),
                     TimeColumn("transfer", "transfer")});
  SetKinds(table, {{"compute", ColumnKind::kCompute},
                   {"late_launches", ColumnKind::kLaunch},
                   {"input", ColumnKind::kInput},
                   {"copies", ColumnKind::kMemory},
                   {"transfer", ColumnKind::kCommunication}});
  for (const Suspect& s : blames.suspects) {
    if (s.blame == 0) continue;
    std::vector<Cell> row = ParticipantCells(c.ranks[s.rank]);
    row.insert(row.end(), {s.beyond.compute, s.beyond.host_late, s.beyond.input, s.beyond.copies,
                           s.beyond.transfer});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table StepTable(const CollectiveFacts& c, const StepBlame& steps) {
  Table table{
      .key = "steps",
      .title = "Straggler of each step",
      .columns = {KeyColumn("step", "step"), Column{"rank", "rank"}, Column{"device", "device"},
                  TimeColumn("blame", "caused wait"), RatioColumn("share", "% of wait")},
      .text_rows = 0};
  for (const auto& [step, blame] : steps) {
    const auto& most =
        *std::ranges::max_element(blame.by_rank, {}, [](const auto& b) { return b.second; });
    std::vector<Cell> row = ParticipantCells(c.ranks[most.first]);
    row.insert(row.begin(), step);
    row.insert(row.end(), {most.second, Ratio(most.second, blame.all)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// ns, at least 1.
int64_t MeanSpan(const Facts& facts) {
  double sum = 0;
  for (const DeviceFacts& device : facts.devices) sum += static_cast<double>(device.total.Span());
  const auto devices = static_cast<double>(std::max<size_t>(facts.devices.size(), 1));
  return std::max<int64_t>(static_cast<int64_t>(std::min(sum / devices, 9e18)), 1);
}

int64_t LargestError(const CollectiveFacts& c) {
  return std::ranges::max(c.ranks, {}, [](const auto& r) { return r.clock.error; }).clock.error;
}

bool StandsOut(const Facts& facts, const Suspect& s, const Params& params) {
  const auto ranks = static_cast<double>(facts.collectives.ranks.size());
  const int64_t typical = s.waits > 0 ? s.blame / s.waits : 0;
  return s.score >= std::min(kFairShares / ranks, kMostOfAll) &&
         typical > LargestError(facts.collectives) &&
         static_cast<double>(s.lost) >=
             params.Number("share") * static_cast<double>(MeanSpan(facts));
}

// Whether the rank is late in every step, and in none much less than usual: what grew in between
// began later, even where no change point is certain.
bool IsAlwaysLate(const StepBlame& steps, const Suspect& s) {
  if (steps.size() < 2 || s.late_steps < std::ssize(steps)) return false;
  std::vector<int64_t> caused;
  for (const auto& [step, blame] : steps) caused.push_back(blame.by_rank.at(s.rank));
  const Distribution d = Describe(caused);
  return static_cast<double>(d.min) >= kEven * static_cast<double>(d.p50);
}

// " since step 5", " in every recorded step (3 to 8)"; empty where neither holds.
std::string SaySince(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  if (s.since) return fmt::format(" since step {}", *s.since);
  if (!IsAlwaysLate(steps, s)) return {};
  return " " + InEveryStep(facts, steps.begin()->first, steps.rbegin()->first);
}

void AddFinding(Report& report, const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const CollectiveFacts& c = facts.collectives;
  const int64_t span = MeanSpan(facts);
  const double share = span == 0 ? 0 : static_cast<double>(s.lost) / static_cast<double>(span);
  const std::string since = SaySince(facts, steps, s);
  report.findings.push_back(
      {.severity = share >= 0.1 ? Severity::kHigh : Severity::kMedium,
       .message = fmt::format("{} is a straggler{}: {}, {} of span.",
                              Capitalized(SayParticipant(facts, c.ranks[s.rank])), since,
                              SayLateReason(s, facts), HumanRatio(share)),
       .because = fmt::format(
           "it caused {} of all wait time, was last {}, and cost each other {} {} (clock "
           "uncertainty {}); cause: {}",
           HumanRatio(s.score), Plural(static_cast<size_t>(c.ranks[s.rank].times_last), "time"),
           ParticipantNoun(facts), HumanTime(static_cast<double>(s.lost)),
           HumanTime(static_cast<double>(LargestError(c))), SayLateEvidence(s, facts)),
       .hint = LateHint(s.reason, facts),
       .impact = s.lost,
       .table = "ranks",
       .cause = {CauseOf(s.reason), c.ranks[s.rank].rank},
       .nearness = s.reason == LateReason::kUnknown ? Nearness::kSymptom : Nearness::kCause});
}

std::string WhyNot(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  if (c.ranks.size() == 1) return "only one rank was recorded";
  if (c.matches.empty()) return NoCommunication(facts);
  if (std::ranges::none_of(c.ranks, [](const auto& r) { return r.split > 0; })) {
    return fmt::format(
        "no synchronizing collective was matched on two {}s: wait time is unknown; see collectives",
        ParticipantNoun(facts));
  }
  return "";
}

std::string Headline(const Facts& facts, const Suspect& worst, bool stands_out) {
  const std::string_view noun = ParticipantNoun(facts);
  if (worst.blame == 0) return fmt::format("No {} waits for another.", noun);
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  const std::string who = SayParticipant(facts, facts.collectives.ranks[worst.rank]);
  const std::string error = time(LargestError(facts.collectives));
  if (stands_out) {
    return fmt::format(
        "{} causes {} of all wait time in collectives and costs each other {} {} "
        "(clock uncertainty {}).",
        Capitalized(who), HumanRatio(worst.score), noun, time(worst.lost), error);
  }
  const double share = static_cast<double>(worst.lost) / static_cast<double>(MeanSpan(facts));
  return fmt::format(
      "No {} is a straggler: most wait time is for {}, which costs each other {} {}, {} of span "
      "(clock uncertainty {}).",
      noun, who, noun, time(worst.lost), HumanRatio(share), error);
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kStragglers, facts);
  if (report.status == Status::kUnavailable) return report;
  const CollectiveFacts& c = facts.collectives;
  const bool pipeline = TiedByMessages(facts);
  if (std::string why = WhyNot(facts); !why.empty()) {
    if (pipeline)
      AddSlowStage(report, facts);
    else
      MakeUnavailable(report, std::move(why));
    return report;
  }
  Blames blames = FindBlames(facts);
  Explain(facts, blames);
  std::ranges::stable_sort(blames.suspects, std::greater(), &Suspect::blame);
  constexpr size_t kMostFindings = 3;
  for (Suspect& s :
       std::span(blames.suspects).first(std::min(kMostFindings, blames.suspects.size()))) {
    if (StandsOut(facts, s, params)) AddExcess(facts, s);
  }
  const Suspect& worst = blames.suspects.front();
  report.headline = Headline(facts, worst, StandsOut(facts, worst, params));
  report.metrics = {
      {"waiting", "total wait time", blames.total, Unit::kNanoseconds},
      {"clock_error_max", "max clock uncertainty", LargestError(c), Unit::kNanoseconds}};
  report.tables.push_back(RankTable(facts, blames));
  report.tables.push_back(ReasonTable(c, blames));
  report.tables.push_back(StepTable(c, blames.steps));
  for (const Suspect& s : blames.suspects) {
    if (report.findings.size() < kMostFindings && StandsOut(facts, s, params)) {
      AddFinding(report, facts, blames.steps, s);
    }
  }
  if (pipeline && report.findings.empty()) AddSlowStage(report, facts);
  return report;
}

}  // namespace
}  // namespace stragglers

const Analysis kStragglers = {
    .name = "stragglers",
    .title = "Stragglers",
    .summary = "Ranks others wait for; cost and cause",
    .doc = stragglers::kDoc,
    .needs = kRankActivityNeeds,
    .params = stragglers::kParams,
    .run = &stragglers::Run,
};

}  // namespace stepscope
