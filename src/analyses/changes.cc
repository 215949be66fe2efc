// Finds the part of a step that explains a change of step time.
#include "analyses/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "analyses/change_cause.h"
#include "analyses/excess.h"
#include "analyses/late_words.h"
#include "analyses/saves.h"
#include "analyses/slow_host.h"
#include "analyses/thread_wait.h"
#include "analyses/work_rise.h"
#include "base/saturate.h"
#include "facts/derived/collectives/absent_ranks.h"
#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace changes {
namespace {

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

Table ChangeTable(const StepChanges& changes) {
  Table table{
      .key = "changes",
      .title = "Changes at a step",
      .columns = {KeyColumn("rank", "rank"), KeyColumn("device", "device"),
                  Words(KeyColumn("quantity", "quantity")), ValueColumn("since_step", "since step"),
                  TimeColumn("before", "median before"), TimeColumn("after", "median since"),
                  RatioColumn("change", "change, % of before"),
                  CountColumn("steps_before", "steps before"),
                  CountColumn("steps_after", "steps since")},
      .text_rows = 6};
  const auto add = [&](const StepChange& c) {
    table.rows.push_back({When(c.rank >= 0, c.rank), When(c.device >= 0, c.device),
                          std::string(StepQuantityName(c.quantity)), c.since, c.before, c.after,
                          Ratio(c.Difference(), c.before), c.steps_before, c.steps_after});
  };
  if (const StepChange* const told = changes.Told()) add(*told);
  for (const StepChange& c : changes.parts) add(c);
  return table;
}

Phrase Rise(const StepChange& c) {
  constexpr int64_t kManyTimes = 2;  // from which a ratio tells less than the time
  if (c.before <= 0) return Say("{rise} more", Time(c.Difference()));
  if (c.Difference() / kManyTimes >= c.before) return Say("{rise} longer", Time(c.Difference()));
  return Say("{rise} longer",
             HumanRatio(static_cast<double>(c.Difference()) / static_cast<double>(c.before)));
}

// "rank 11 computes 66% longer".
Phrase SayRise(StepQuantity quantity, const Phrase& who, const Phrase& more) {
  switch (quantity) {
    case StepQuantity::kCompute:
      return Say("{who} computes {more}", who, more);
    case StepQuantity::kInput:
      return Say("{who} waits for input {more}", who, more);
    case StepQuantity::kOther:
      return Say("{who} spends {more} between operators", who, more);
    case StepQuantity::kIdle:
      return Say("{who} idles {more}", who, more);
    case StepQuantity::kExposed:
      return Say("{who} has exposed communication {more}", who, more);
    default:
      return Say("{who} takes {more}", who, more);
  }
}

// Whether the function takes more within operators, too: known where no rank waits for another.
bool HasMoreWithin(const Facts& facts, const Together& cause) {
  constexpr double kMore = 1.1;
  return HasOneRank(facts) && cause.function && cause.most->quantity == StepQuantity::kOther &&
         static_cast<double>(cause.function->time) >
             kMore * static_cast<double>(cause.most->Difference());
}

// " (aten::linear, larger inputs)"; `times` as long as before, 0: not told.
Phrase SayOperator(const Facts& facts, const ExcessWork& excess, double times) {
  const Phrase name = OperatorNameOf(facts, excess.name);
  if (times > 0) return Say(" ({operator} {times} as long)", name, fmt::format("{:.1f}×", times));
  if (IsOfOtherType(excess)) return Say(" ({operator}, on {types})", name, SayTypes(excess));
  return KindOf(excess) == ExcessKind::kSize ? Say(" ({operator}, larger inputs)", name)
                                             : Say(" ({operator})", name);
}

// The same with its operator or function, and how many others have it too.
Phrase SayCause(const Facts& facts, const Together& cause) {
  if (cause.slow != nullptr)
    return SaySlowRank(*cause.slow) +
           (IsOfOtherType(cause.excess) ? Say(", on {types}", SayTypes(*cause.excess)) : Phrase());
  const StepChange& c = *cause.most;
  const Phrase others = Plural(static_cast<size_t>(cause.places - 1), "other");
  Phrase who = SayPlace(facts, c.rank, c.device);
  if (HasMoreWithin(facts, cause))
    return Say("{who} spends {time} longer in {function}, {between} of that between operators", who,
               Time(cause.function->time), SayLeader(*cause.function), Time(c.Difference()));
  if (cause.places > 1) who += " (most)";
  Phrase said = SayRise(c.quantity, who, Rise(c));
  if (cause.excess) said += SayOperator(facts, *cause.excess, cause.times);
  if (cause.function) said += Say(", in {function}", SayLeader(*cause.function));
  if (cause.places > 1)
    said += cause.places == 2 ? Say(", as does {others}", others) : Say(", as do {others}", others);
  return said;
}

// No clock makes the same work take several times as long.
bool IsAddedWork(const Together& cause) {
  constexpr double kMost = 4;
  if (cause.excess && KindOf(*cause.excess) != ExcessKind::kTime) return true;
  return static_cast<double>(cause.most->after) > kMost * static_cast<double>(cause.most->before);
}

Phrase LookAtValues(const Facts& facts, const Together& cause) {
  const bool torch = facts.ranks.front().framework == Framework::kPyTorch;
  return Say(
      "look at the values that {operator} gets since then: denormal numbers take many times "
      "as long{setting}",
      OperatorNameOf(facts, cause.excess->name), torch ? " (torch.set_flush_denormal(True))" : "");
}

Phrase Hint(const Facts& facts, const StepChange& change, const std::optional<Together>& cause) {
  const Phrase look =
      Say("compare steps {before} and {since} in the timeline", change.last_before, change.since);
  if (!cause) return look;
  if (IsOfOtherType(cause->excess)) return ConvertInputs(*cause->excess) + "; " + look;
  if (cause->slow != nullptr) return Phrase(kFindWhatSlows) + "; " + look;
  switch (cause->most->quantity) {
    case StepQuantity::kCompute:
      if (cause->times > 0) return LookAtValues(facts, *cause) + "; " + look;
      if (cause->excess) {
        const Phrase callback = SpeedUpCallback(facts, cause->excess->name, cause->function);
        if (!callback.empty()) return callback + "; " + look;
      }
      if (IsAddedWork(*cause))
        return "find what adds this work since then: data, lengths, branches of the model; " + look;
      if (cause->excess && SizeIsUnknown(*cause->excess))
        return Say(kRecordSizes, facts) + "; " + look;
      if (facts.OnHost() && cause->places == 1) return Phrase(kFindWhatSlows) + "; " + look;
      if (facts.OnHost())
        return Say("check what else runs on the machines since then, and the clocks of their "
                   "processors ({command})",
                   CommandForClocks(facts)) +
               "; " + look;
      return Say("check clocks and temperature of {devices} since then ({command})",
                 cause->places == 1 ? "that device" : "these devices", CommandForClocks(facts)) +
             "; " + look;
    case StepQuantity::kInput:
      return "check the data loader and the storage it reads from since then; " + look;
    case StepQuantity::kOther:
    case StepQuantity::kIdle:
      if (SavesExplain(facts, cause->most->rank, static_cast<double>(change.Difference())))
        return SaveLessOften(facts) + "; " + look;
      if (cause->function)
        return "call that function less often, make it faster, or run it in another process; " +
               look;
      return "check that host since then: other processes, logging, synchronization; " + look;
    default:
      return AllowForAbsent(facts,
                            "check the network since then: other jobs, errors of links; " + look);
  }
}

// The operator or Python functions behind it, beyond what the first sentence names.
Phrase SayBehind(const Facts& facts, const Together& cause) {
  if (cause.slow != nullptr) return Phrase("; ") + SaySlowEvidence(*cause.slow);
  if (cause.excess) return SayExcess(facts, *cause.excess);
  const bool on_host = IsOfHost(cause.most->quantity) && !cause.function;
  return on_host ? SayPythonWhileIdle(facts, cause.most->rank) : Phrase();
}

// A change on several ranks is on none.
stepscope::Cause CauseOf(const std::optional<Together>& together) {
  if (!together) return {};
  constexpr auto kKinds =
      std::to_array<CauseKind>({CauseKind::kNone, CauseKind::kCompute, CauseKind::kInput,
                                CauseKind::kHost, CauseKind::kHost, CauseKind::kCommunication});
  stepscope::Cause cause{kKinds[static_cast<size_t>(together->most->quantity)]};
  if (together->places == 1) cause.rank = together->most->rank;
  return cause;
}

// Of the work that ranks have more of, what explains the change.
const WorkRise* WorkBehind(const Facts& facts, const StepChange& c) {
  for (const WorkRise& rise : WorkRisesOf(facts).rises) {
    const bool then = rise.since && StepChangesOf(facts).AreNear(*rise.since, c.since);
    if (then &&
        static_cast<double>(rise.Difference()) >= kExplains * static_cast<double>(c.Difference()))
      return &rise;
  }
  return nullptr;
}

// Operators of a host that run as often, on inputs of the same size, become slower by whatever else
// runs there; but not many times as slow.
bool MayBeLoad(const Facts& facts, const StepChange& c, const std::optional<Together>& cause) {
  constexpr double kMany = 3;
  return facts.OnHost() && cause && cause->excess &&
         static_cast<double>(c.after) < kMany * static_cast<double>(c.before) &&
         KindOf(*cause->excess) == ExcessKind::kTime;
}

// As sentences call it: "all others" is one only among all parts of a step.
std::string_view NameIn(const Facts& facts, StepQuantity quantity) {
  return quantity == StepQuantity::kOther ? SayCategory(StepCategory::kOther, facts)
                                          : StepQuantityName(quantity);
}

struct Means {
  int64_t before = 0, after = 0;  // ns
};

// As the first sentence tells them: of the steps that a mean step is of.
Means MeansAround(const Facts& facts, const StepChange& c) {
  const TypicalSteps& typical = TypicalStepsOf(facts);
  const double before = MeanStepOf(typical, [&](int64_t step) { return step < c.since; });
  const double after = MeanStepOf(
      typical, [&](int64_t step) { return step >= c.since && step <= c.until.value_or(step); });
  if (before <= 0 || after <= before) return {c.before, c.after};
  return {RoundToInt64(before), RoundToInt64(after)};
}

Phrase SayBecause(const Facts& facts, const StepChange& c, const std::optional<Together>& cause) {
  const auto [before, after] = MeansAround(facts, c);
  const Phrase times =
      (c.until ? Say("step time: mean {before} before, {after} then", Time(before), Time(after))
               : Say("step time: mean {before} before, {after} since", Time(before), Time(after))) +
      "; ";
  if (!cause)
    return times + (facts.OnHost()
                        ? Phrase("operators that run as often take longer, or what is not known; "
                                 "look for other programs on the machine")
                        : Phrase("no rank's compute, input wait, time without operators, idle "
                                 "or exposed communication explains it"));
  const StepChange& part = *cause->most;
  return times +
         Say("{quantity} of {who}: {before} to {after} per step", NameIn(facts, part.quantity),
             SayPlace(facts, part.rank, part.device), Time(part.before), Time(part.after)) +
         SayBehind(facts, *cause);
}

// " since step 5", " in steps 5 to 9".
Phrase SayWhen(const StepChange& c) {
  return c.until ? Say(" in steps {first} to {last}", c.since, *c.until)
                 : Say(" since step {first}", c.since);
}

// Since when, by how much, and, once that is known, why.
Finding FindingOf(const Facts& facts, const StepChange& c, const Phrase& why) {
  const auto [before, after] = MeansAround(facts, c);
  const double share = static_cast<double>(after - before) / static_cast<double>(before);
  std::vector<int64_t> steps = StepChangesOf(facts).StretchOf(c);
  return {.message = Say("Step time is {share} longer{when}{why}.", HumanRatio(share), SayWhen(c),
                         why.empty() ? Phrase() : ": " + why),
          .impact = ToInt64(static_cast<double>(c.Difference()) *
                            static_cast<double>(c.until ? std::ssize(steps) : c.steps_after)),
          .table = "changes",
          .extent = ExtentOfSteps(facts),
          .since = c.until ? std::nullopt : std::optional(c.since),
          .where = {.steps = std::move(steps)}};
}

Finding ByWork(const Facts& facts, const StepChange& c, const WorkRise& work) {
  Finding finding = FindingOf(facts, c, SayMore(facts, work) + ": " + SayWork(facts, work));
  const LateReason reason = ReasonOf(facts, work);
  const auto [before, after] = MeansAround(facts, c);
  finding.because = Say("step time: mean {before} before, {after} since; rank {rank}: {evidence}",
                        Time(before), Time(after), work.rank, SayWorkEvidence(facts, work));
  finding.hint = LateHint(work, facts);
  finding.cause = {stepscope::CauseOf(reason)};
  if (work.ranks.size() == 1) finding.cause.rank = work.rank;
  finding.nearness = Nearness::kCause;
  finding.where.event = EventOf(facts, work);
  return finding;
}

// What makes operators of the rank, or the time between them, longer without more work.
ThreadBehind ThreadOf(const Facts& facts, const StepChange& c,
                      const std::optional<Together>& cause) {
  if (c.until || !cause || cause->places > 1 || !facts.OnHost()) return {};
  const bool more_work = cause->excess && KindOf(*cause->excess) != ExcessKind::kTime;
  if (more_work || cause->most->quantity == StepQuantity::kExposed) return {};
  return {ThreadSince(facts, cause->most->rank, c.since), CauseOf(cause).kind};
}

Phrase SayThreadBehind(const Facts& facts, const ConcurrentThread& beside) {
  const Phrase thread = SayThread(beside), function = SayLeader(beside.works);
  const std::string share = ShareOfThread(beside);
  return !HasOneRank(facts)
             ? Say("{thread} of rank {rank} runs {function} for {share} of step time since then, "
                   "which holds Python's lock",
                   thread, beside.rank->rank, function, share)
             : Say("{thread} runs {function} for {share} of step time since then, which holds "
                   "Python's lock",
                   thread, function, share);
}

Finding ByThread(const Facts& facts, const StepChange& c, const std::optional<Together>& cause,
                 const ConcurrentThread& beside) {
  Finding finding = FindingOf(facts, c, SayThreadBehind(facts, beside));
  finding.because = SayBecause(facts, c, cause) + "; " + SayThreadEvidence(beside);
  finding.hint = MoveThread(beside);
  finding.cause = CauseOf(cause);
  finding.nearness = Nearness::kCause;
  finding.where.event = Phrase::Name(LabelOf(beside.works.name));
  return finding;
}

// Where ranks without a trace are waited for longer since then, that is behind longer exposed
// communication.
void BlameAbsent(const Facts& facts, const StepChange& c, const Together& together,
                 Finding& finding) {
  const AbsentRise rise = AbsentRiseSince(facts, c.since);
  const auto enough = kExplains * static_cast<double>(together.most->Difference());
  if (rise.wait == nullptr || static_cast<double>(rise.difference) < enough) return;
  const std::vector<int64_t>& absent = rise.wait->absent;
  const Phrase who =
      absent.empty() ? Say("{count} of the ranks", rise.wait->absent_count) : SayRanks(absent);
  const bool one = rise.wait->absent_count == 1;
  const std::string time = Time(std::min(rise.difference, together.most->Difference()));
  finding.because += "; " + Say("{time} of that in collectives of groups where {who} {why}", time,
                                who, SayWhyAbsent(facts, absent, rise.wait->absent_count));
  finding.hint = Say("{include}, and look at what {each} does since step {step}",
                     SayAddRanks(facts, absent, who), one ? "it" : "each", c.since);
  finding.cause = {CauseKind::kWait,
                   absent.size() == 1 ? std::optional(absent.front()) : std::nullopt};
  finding.nearness = Nearness::kSymptom;
}

// A change that no part explains, or that other load may have caused, as of all ranks or in the
// last two steps, is reported but not ranked by its cost.
Finding ByParts(const Facts& facts, const StepChange& c, const std::optional<Together>& cause) {
  Finding finding = FindingOf(facts, c, cause ? SayCause(facts, *cause) : Phrase());
  finding.because = SayBecause(facts, c, cause);
  finding.hint = Hint(facts, c, cause);
  finding.cause = CauseOf(cause);
  finding.nearness = cause ? Nearness::kCause : Nearness::kSymptom;
  if (cause && cause->places == 1 && cause->most->device >= 0) {
    finding.where.ranks = {cause->most->rank};
    finding.where.device = cause->most->device;
  }
  if (cause && cause->most->quantity == StepQuantity::kExposed)
    BlameAbsent(facts, c, *cause, finding);
  if (cause && cause->function)
    finding.where.event = Phrase::Name(LabelOf(cause->function->name));
  else if (cause && cause->excess && cause->slow == nullptr)
    finding.where.event = OperatorNameOf(facts, cause->excess->name);
  const bool of_one = cause && cause->places == 1 && c.steps_after >= kFewestSince;
  if (!cause || (MayBeLoad(facts, c, cause) && !of_one)) {
    finding.severity = facts.OnHost() ? Severity::kLow : Severity::kMedium;
    finding.impact = 0;
    finding.cause = {};
  }
  if (cause && finding.impact == 0)
    finding.because +=
        "; operators that run as often take longer, as where other programs run on "
        "the machine";
  return finding;
}

// Of the change that is told. Returns the work that the finding tells of; null: none.
const WorkRise* AddFinding(Report& report, const Facts& facts, const StepChange& c) {
  const std::optional<Together>& cause = WhatExplains(facts);
  const WorkRise* work = WorkBehind(facts, c);
  if (const ThreadBehind behind = ThreadBehindChange(facts); behind.thread != nullptr) {
    report.findings.push_back(ByThread(facts, c, cause, *behind.thread));
    return work;
  }
  const bool same = work != nullptr && cause && cause->places == 1 &&
                    work->ranks == std::vector{cause->most->rank} &&
                    CauseOf(cause).kind == stepscope::CauseOf(ReasonOf(facts, *work));
  const bool by_parts = work == nullptr || same || (cause && IsOneFunction(facts));
  report.findings.push_back(by_parts ? ByParts(facts, c, cause) : ByWork(facts, c, *work));
  return work;
}

ThreadBehind FindThreadBehind(const Facts& facts) {
  const std::optional<Together>& cause = WhatExplains(facts);
  return cause ? ThreadOf(facts, *StepChangesOf(facts).Told(), cause) : ThreadBehind();
}

}  // namespace
}  // namespace changes

Cause CauseOfChange(const Facts& facts) { return changes::CauseOf(changes::WhatExplains(facts)); }

std::optional<int64_t> RankBehindChange(const Facts& facts, const std::vector<RankSteps>& ranks,
                                        CauseKind kind) {
  if (ranks.size() != 1) return std::nullopt;
  const Cause cause = CauseOfChange(facts);
  return cause.kind == kind ? cause.rank : std::nullopt;
}

ThreadBehind ThreadBehindChange(const Facts& facts) {
  return facts.memo.Of<&changes::FindThreadBehind>(facts);
}

std::optional<CauseKind> KindOfThread(const Facts& facts, std::optional<int64_t> rank,
                                      std::optional<int64_t> since) {
  const ThreadBehind behind = ThreadBehindChange(facts);
  const bool is_it = behind.thread != nullptr && since && rank == behind.thread->rank->rank &&
                     StepChangesOf(facts).AreNear(*since, *behind.thread->since);
  return is_it ? std::optional(behind.kind) : std::nullopt;
}

Phrase InEveryStep(const Facts& facts, int64_t first, int64_t last) {
  return facts.selected.empty() ? Say("in every recorded step ({first} to {last})", first, last)
                                : Say("in every selected step ({first} to {last})", first, last);
}

const WorkRise* AddStepChanges(Report& report, const Facts& facts, const StepChanges& all) {
  const StepChange* const told = all.Told();
  if (told != nullptr || !all.parts.empty()) report.tables.push_back(changes::ChangeTable(all));
  if (told == nullptr || told->Difference() <= 0) return nullptr;
  return changes::AddFinding(report, facts, *told);
}

}  // namespace stepscope
