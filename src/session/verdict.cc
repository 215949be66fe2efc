// Writes the verdict: the sentences a reader sees first.
#include "session/verdict.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyses/build.h"
#include "analyses/kinds.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "report/columns.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"
#include "trace/notes.h"

namespace stepscope {

namespace {

// Whether the analyses that find most costs were asked and could answer.
bool KnowsCosts(const ReportSet& answer) {
  for (const char* analysis : {"overview", "idle_time", "comm_overlap", "stragglers", "kernels"}) {
    const Report* report = FindReport(answer, analysis);
    if (report == nullptr || report->status == Status::kPartial) return false;
  }
  const Report& overview = *FindReport(answer, "overview");
  const Metric* steps = FindMetric(&overview, "steps");
  return overview.status == Status::kOk && FindReport(answer, "idle_time")->status == Status::kOk &&
         steps != nullptr && steps->value != Cell(int64_t{0});
}

// ns of steps in a column: of typical steps, those of the first sentence, or of the others.
double SumOfColumn(const Table& steps, std::string_view key, bool typical) {
  const ColumnOf time(steps, key), is_typical(steps, "typical");
  double sum = 0;
  for (const auto& row : steps.rows) {
    if ((is_typical.Text(row) == "yes") == typical) sum += static_cast<double>(time.Int(row));
  }
  return sum;
}

int64_t CountTypical(const Table& steps) {
  const ColumnOf typical(steps, "typical");
  return std::ranges::count_if(steps.rows,
                               [&](const auto& row) { return typical.Text(row) == "yes"; });
}

// ", aside from one-time work (500 ms in slow steps)": per rank, where it is as long as a step.
Phrase SayOneTimeWork(const ReportSet& answer, const Table& steps, double mean_step) {
  const double ranks = static_cast<double>(std::max<int64_t>(answer.run.ranks, 1));
  const double time = SumOfColumn(steps, CategoryKey(StepCategory::kOneTime), false) / ranks;
  if (time < mean_step) return {};
  return Say(", aside from {category} ({time} in steps left out)",
             StepCategoryName(StepCategory::kOneTime), HumanTime(time));
}

bool Evaluates(const ReportSet& answer) {
  return FindMetric(FindReport(answer, "overview"), "evaluation_runs") != nullptr;
}

// Whether evaluation between steps takes so little of the trace that it is no finding.
bool EvaluatesLittle(const ReportSet& answer) {
  constexpr double kLittle = 0.1;
  const Metric* share = FindMetric(FindReport(answer, "overview"), "evaluation_ratio");
  const double* ratio = share == nullptr ? nullptr : std::get_if<double>(&share->value);
  return share == nullptr || (ratio != nullptr && *ratio < kLittle);
}

// The largest part of typical steps that is not compute. Empty where unknown.
Phrase SayNoFinding(const ReportSet& answer, const Facts& facts) {
  if (!KnowsCosts(answer)) return {};
  const Report& overview = *FindReport(answer, "overview");
  const Table* steps = FindTable(&overview, "steps");
  if (steps == nullptr) return {};
  const double all = SumOfColumn(*steps, "time", true);
  std::pair<double, std::string_view> largest;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    if (KindOf(category) == ColumnKind::kCompute) continue;
    largest = std::max(largest, std::pair(SumOfColumn(*steps, CategoryKey(category), true),
                                          SayCategory(category, facts)));
  }
  const auto& [time, name] = largest;
  if (all <= 0) return {};
  const auto count = static_cast<double>(CountTypical(*steps));
  const Phrase aside = SayOneTimeWork(answer, *steps, all / count);
  const Phrase says =
      time < kWorthALook * all
          ? Phrase("nothing but compute costs more than 1% of step time")
          : Say("the largest cost but compute is {category}, {share} of step time ({time} per "
                "step)",
                name, HumanRatio(time / all), HumanTime(time / count));
  // What is between steps may cost more.
  return Evaluates(answer) ? Say("In steps, {says}{aside}.", says, aside)
                           : Say("The job looks healthy: {says}{aside}.", says, aside);
}

// Whether a finding tells only of communication, waiting, Python or batches of loaders that keep
// up, and no rank, step or function is behind it.
bool IsOfAllRanks(const Finding& finding) {
  const Cause& cause = finding.cause;
  const bool communicates =
      cause.kind == CauseKind::kCommunication || cause.kind == CauseKind::kWait;
  const bool a_little_each = (cause.kind == CauseKind::kHost || cause.kind == CauseKind::kInput) &&
                             finding.at_most != Severity::kHigh;
  return (communicates || a_little_each) && finding.nearness != Nearness::kCause && !cause.rank &&
         !cause.step && !finding.since;
}

// Whether a finding tells of one slow step, which makes the job hardly longer.
bool IsOfOneStep(const Finding& finding) {
  constexpr double kLittle = 0.03;
  return finding.cause.step && finding.share < kLittle;
}

// Whether it is about what other load has caused as likely, by its analysis.
bool MayBeChance(const Finding& finding) {
  return finding.at_most == Severity::kLow && finding.nearness == Nearness::kSymptom;
}

bool HasSlowSteps(const ReportSet& answer) {
  const Metric* slow = FindMetric(FindReport(answer, "steps"), "slow_steps");
  return slow == nullptr || slow->value != Cell(int64_t{0});
}

// "No rank, step or function stands out. ": of those that were looked at, and are not told of.
Phrase SayNone(bool ranks, bool steps, bool functions) {
  if (!ranks) {
    if (functions) return steps ? "No step or function stands out. " : "No function stands out. ";
    return steps ? "No step stands out. " : "";
  }
  if (steps)
    return functions ? "No rank, step or function stands out. " : "No rank or step stands out. ";
  return functions ? "No rank or function stands out. " : "No rank stands out. ";
}

int64_t CountOf(const RunInfo& run, NoteKind kind) { return CountOfNotes(run, NoteName(kind)); }

// "rank 2 has no trace"; how many, where numbers are not from 0 on.
Phrase SayAbsentRanks(const RunInfo& run, int64_t missing) {
  std::set<int64_t> recorded;
  for (const InputFile& file : run.files) {
    if (file.rank >= 0) recorded.insert(file.rank);
  }
  const auto have_none = [&](const Phrase& ranks) {
    return missing == 1 ? Say("{rank} has no trace", ranks) : Say("{ranks} have no trace", ranks);
  };
  if (*recorded.rbegin() >= run.ranks + missing)
    return have_none(Plural(static_cast<size_t>(missing), "rank"));
  std::vector<int64_t> absent;
  for (int64_t rank = 0; rank < run.ranks + missing; ++rank) {
    if (!recorded.contains(rank)) absent.push_back(rank);
  }
  return have_none(SayRanks(absent));
}

// Of a job that computes on hosts, where communication takes long by nature, whether all that would
// tell was asked and recorded, and tells nothing.
bool NothingStandsOut(const ReportSet& answer, const Facts& facts,
                      std::span<const Finding* const> findings) {
  const auto answers = [&](std::string_view analysis) {
    const Report* report = FindReport(answer, analysis);
    return report != nullptr && report->status == Status::kOk;
  };
  // Of one rank the first two.
  constexpr auto kAsked = std::to_array<std::string_view>(
      {"overview", "steps", "stragglers", "imbalance", "comm_overlap"});
  const bool is_one = answer.run.ranks == 1;
  const bool known =
      std::ranges::all_of(std::span(kAsked).first(is_one ? 2 : kAsked.size()), answers) &&
      EvaluatesLittle(answer) && CountOf(answer.run, NoteKind::kMissingRanks) == 0 &&
      StepChangesOf(facts).Told() == nullptr;
  return known && facts.OnHost() && std::ranges::all_of(findings, [](const Finding* f) {
           return !WorthALook(*f) || IsOfAllRanks(*f) || IsOfOneStep(*f) || MayBeChance(*f);
         });
}

// The verdict of such a job.
Phrase SayNothingStandsOut(const ReportSet& answer, const Phrase& verdict, bool any) {
  const bool ranks = answer.run.ranks > 1, steps = !HasSlowSteps(answer);
  if (!ranks && !any) return steps ? verdict + " Nothing else stands out." : verdict;
  const Report* python = FindReport(answer, "python");
  const bool functions = python != nullptr && python->status != Status::kUnavailable;
  return SayNone(ranks, steps, functions) + verdict;
}

Phrase SayOneOfMany(int64_t missing) {
  return Say(" 1 of {count} ranks was given: communication may be waiting for {others}.",
             HumanCount(missing + 1), missing == 1 ? "the other" : "the others");
}

// What `stragglers` says of these, too.
Phrase SayWhoIsLateIsUnknown(const Facts& facts) {
  const bool told = facts.devices.size() < 2 || std::ranges::all_of(facts.ranks, TellsLateRanks);
  return told ? Phrase()
              : " " +
                    Capitalized(
                        "partials of processors, or of processes with several devices, do "
                        "not tell who is late: ask the traces") +
                    ".";
}

Phrase SayWhatIsMissing(const RunInfo& run) {
  Phrase text;
  const auto add = [&](const Phrase& loss) {
    text += text.empty() ? " Input is incomplete: " : ", ";
    text += loss;
  };
  const auto files = [](int64_t count) { return Plural(static_cast<size_t>(count), "file"); };
  if (const int64_t count = CountOf(run, NoteKind::kUnreadable); count > 0)
    add(Say("{files} cannot be read", files(count)));
  const int64_t empty = std::ranges::count_if(
      run.files, [](const InputFile& file) { return file.bytes == 0 && !file.problem.empty(); });
  if (empty > 0) {
    add(empty == 1 ? Say("{file} is empty", files(empty)) : Say("{files} are empty", files(empty)));
  }
  if (const int64_t count = CountOf(run, NoteKind::kCorrupt); count > 0)
    add(count == 1 ? Say("{file} is damaged", files(count))
                   : Say("{files} are damaged", files(count)));
  const int64_t missing = CountOf(run, NoteKind::kMissingRanks);
  if (missing > 0 && run.ranks > 1) add(SayAbsentRanks(run, missing));
  if (!text.empty()) text += ".";
  if (missing > 0 && run.ranks == 1) text += SayOneOfMany(missing);
  return text;
}

}  // namespace

Phrase Verdict(const ReportSet& answer, const Facts& facts) {
  const auto answers = [](const Report& r) { return r.status != Status::kUnavailable; };
  const auto first = std::ranges::find_if(answer.reports, answers);
  if (first == answer.reports.end()) {
    const Phrase none = answer.reports.empty() ? Phrase("No analysis was requested.")
                                               : Say("No analysis ran. {why}.",
                                                     Capitalized(answer.reports.front().why));
    return none + SayWhatIsMissing(answer.run);
  }
  const auto findings = FindingsInOrder(answer);
  const bool any = !findings.empty() && WorthALook(*findings.front());
  const Phrase says = any ? findings.front()->message : SayNoFinding(answer, facts);
  // The headline may say it already.
  Phrase verdict = first->headline;
  const Phrase missing = SayWhatIsMissing(answer.run) + SayWhoIsLateIsUnknown(facts);
  const bool apart = !says.empty() && !verdict.contains(says);
  if (apart) verdict = says + missing + " " + verdict;
  const bool open = says.empty() || any;
  if (open && NothingStandsOut(answer, facts, findings))
    verdict = SayNothingStandsOut(answer, verdict, any);
  return apart ? verdict : verdict + missing;
}

void LowerWhereNothingStandsOut(ReportSet& answer, const Facts& facts) {
  if (!NothingStandsOut(answer, facts, FindingsInOrder(answer))) return;
  for (Report& report : answer.reports) {
    for (Finding& finding : report.findings) finding.severity = Severity::kLow;
  }
}

Phrase SayWhatIsDoubtful(const RunInfo& run) {
  for (const NoteKind kind :
       {NoteKind::kOtherGroups, NoteKind::kOtherTimes, NoteKind::kStepsAgain}) {
    const auto note = std::ranges::find(run.notes, NoteName(kind), &Note::name);
    if (note != run.notes.end()) return Capitalized(note->message) + ". ";
  }
  return "";
}

}  // namespace stepscope
