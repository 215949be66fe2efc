// Replays the graph of all ranks with changes: what each is worth to the job.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/partial_note.h"
#include "analyses/whatif_changes.h"
#include "analyses/whatif_findings.h"
#include "analyses/whatif_origins.h"
#include "analyses/whatif_tables.h"
#include "analyses/whatif_worths.h"
#include "base/saturate.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/replay/job_change.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/paths/dependencies.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace whatif {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How long would a step of the whole job take if something were changed, after all that follows has moved?

**Definition:** The dependencies of all ranks (see `critical_path`) are one graph: a collective or message starts when its
last member has begun, and each member ends its transfer after that. A replay times every moment as early as its
dependencies allow, with changed durations. `step_time` is the mean step of the replay, from the end of the step before
until all ranks have ended it, in the steps from `since_step` on, or in all but a first one that is warm-up. Unlike in
`overview` and `breakdown`, slow steps count, since what makes them slow is worth something; the first sentence says
where that makes a difference. `recorded` is the same as recorded, and `saved` the difference. `error` is how far a
replay without changes is from what was recorded, if unexplained delays of more than 20 µs are replaced by usual ones:
in the median step, or, where one is more than 10% off, in the mean one. Of steps in which that is over 10%, what changes
save is not said, here and in other analyses: the replay lacks dependencies that carry more than most changes save.
On processors, where steps are longer since `since_step`, but a change leaves them more than 10% shorter than the median
step before, something else takes less since then, as ranks that wait leave processors to others, and may take longer again: `saved` is then an
upper bound, and `error` that difference or more. What a rank alone takes longer than before saves at most what its
steps take longer than the median one before.
`critical_rank` is the rank with most of the critical path of the changed
job, and `bound_by` what takes most of that path. Of a recording of several million events a run of steps is replayed:
those about a change of step time, or the last ones.

`set` names changes, made together if divided by ';':

| change | meaning |
|---|---|
| `rank 9: all = median of ranks` | its own work takes as long as on ranks with the same work; also `compute`, `host`, `kernel NAME`, `operator NAME` or `before NAME` for a part, `ranks 8..11`, `host node4` and `stage 2` for their ranks |
| `rank 9: host = before step 7` | the median of the rank's own steps before |
| `rank 9: compute x0.7` | 0.7 of the time |
| `kernel *gemm*: x0.7`, `kernel *gemm*: gone` | kernels and copies of this name, of all ranks |
| `operator aten::linear: x0.5` | the host within the operator, and what it launches there |
| `python tokenize: gone`, `python tokenize: x0.5` | the host within the function on all ranks, with all that it calls, and transfers of collectives that all recorded ranks begin there; waits for devices and for ranks that come later stay |
| `link: x2`, `link tp: x2` | transfers take half as long; of groups with this name or description, or for this (see `layout`) |
| `communication: hidden` | communication takes no time, but ranks still wait for one another |
| `collectives: no wait` | nor do they wait |
| `input: no wait` | data is there at once |
| `microbatches: 16` | of a pipeline of p stages and v chunks per stage: the bubble is (p-1)/(v*m) of what a stage is busy (GPipe, Huang et al. 2019; Megatron-LM, Narayanan et al. 2021) |
| `buckets: x4` | reductions of gradients are a quarter as many: each takes a constant time beside what its bytes take, by a line through the transfers of the smallest and the largest |
| `host gaps: none` | the host takes no time, as with graph capture |

Names are whole words; '*' stands for any text. A unit of work is a kernel or copy, an operator or call without those
within it, or the host before one; the n-th of a name in a step is that of other ranks and steps.

`changes` asks, without `set`: each rank where lateness began, together with those that cost more; the rank that others
wait for most; each rank that alone has more work, or time between two operators, since a step; the two Python functions with most time between
operators, if that is a quarter of what they take, in all steps if they take less since step time changed; groups whose transfers take 1.3 times as long as those of groups alike, or as in their own earlier steps, as fast as these; no wait for
input; and links twice as fast. `upper_bounds` are what nobody can reach: all communication hidden, the kernel that takes
most gone, the host taking no time. A rank is an origin if its own work exceeds that of its peers by six deviations, or if
units of one name take far longer in all steps, or 30% longer for four steps or more than before, and not on ranks with
the same work as well, unless all that the rank does takes somewhat longer, as on a busy machine. It must save 3% of a
step and more than the replay errs by: in three of four steps and by 2.5 standard errors, or on average, in three steps
or more. `harmless` are ranks whose own work takes longer, but not the job's steps without that. `chain` follows one
example from the origin over the collectives and messages in which others waited.

**Limitations:** What the host does between records takes as long as before. A rank without a trace comes as long after
the collective or message before as it did, where the usual transfer tells that it came last. Sends and receives are
matched by their ends. Waits between streams are guessed where no record tells them, and so are waits of threads for
collectives of gloo, MPI or UCC without stacks (with_stack=True): see the notes.

**Interpretation:** The first change that you can make is the one to start with: it contains everything that waits for
it. The excess of a rank is not what it costs: a rank that waits anyway costs nothing.
)md";

void AddNotes(Report& report, const Facts& facts, std::span<const AskedChange> changes) {
  const JobGraph& graph = JobGraphOf(facts);
  const auto add = [&](const char* name, int64_t count, Phrase message) {
    if (count > 0) report.notes.push_back({name, count, std::move(message), ""});
  };
  add("guessed_waits", graph.guessed_waits,
      "no record tells for what other stream some work waited: the last of it that had ended "
      "before is taken");
  add("absent_last", graph.ghosts,
      "a rank without a trace came last in a collective or message: in the replay it comes as long "
      "after the one before as it did");
  add("contradictions", graph.contradictions,
      "members of a collective or message ended before its last one began: clocks or matches are "
      "wrong there, and nothing held these members up in the replay");
  add("unmatched_messages", graph.unmatched_messages,
      "sends and receives have no partner in the traces: nobody waits for them in the replay");
  for (const AskedChange& change : changes) {
    if (!change.assumption.empty())
      add("assumed", 1,
          Say("for '{change}': {assumption}", Phrase::Name(change.text), change.assumption));
  }
  add("shorter_than_before",
      std::ranges::count_if(changes,
                            [&](const AskedChange& change) {
                              return !change.upper_bound &&
                                     ShorterThanBefore(facts, change.lengths, change.since);
                            }),
      "with a change steps would be shorter than before the step since which it counts: something "
      "else takes less since then, as processors that ranks share do while one of them waits, and "
      "may take longer again, so that the change saves at most what is said");
  add("unlinked_ranks", graph.unlinked,
      "nothing says which call launched an activity of a rank: it takes no part in the replay");
}

Result<void> CheckSet(std::string_view text) {
  const auto changes = ReadJobChanges(text);
  if (!changes) return std::unexpected(changes.error());
  return {};
}

constexpr auto kParams = std::to_array<Parameter>({
    {"set",
     Parameter::Type::kText,
     "",
     Unit::kNone,
     "changes to replay together, such as 'rank 9: compute = median of ranks; kernel *gemm*: x0.7'",
     {},
     &CheckSet},
});

// "8 complete steps", "7 complete steps without the first (step 3)", "8 complete steps, of which 2
// are slow (38.9 ms without them)", "8 complete steps, 38.3 ms since step 8", "399 steps up to step
// 2333, of 2334 recorded": those of the mean.
Phrase SayStepsOfMean(const Facts& facts) {
  const JobGraph& graph = JobGraphOf(facts);
  const size_t first = FirstOfMean(facts, std::nullopt), slow = CountSlow(facts, std::nullopt);
  Phrase steps = Plural(graph.steps.size() - first, "complete step");
  if (first > 0)
    steps = Say("{steps} without the first (step {first})", steps, graph.steps.front());
  if (graph.steps_left_out > 0)
    steps = Say("{steps} up to step {last}, of {all} recorded",
                Plural(graph.steps.size() - first, "step"), graph.steps.back(),
                graph.steps.size() + graph.steps_left_out);
  if (const std::optional<StepChange>& change = StepChangesOf(facts).step_time) {
    const double since = MeanStepOf(TypicalStepsOf(facts), [&](int64_t step) {
      return step >= change->since && step <= graph.steps.back();
    });
    return Say("{steps}, {time} since step {step}", steps, HumanTime(since), change->since);
  }
  if (slow == 0) return steps;
  const std::string typical = HumanTime(MeanStepOf(TypicalStepsOf(facts), [&](int64_t step) {
    return step >= graph.steps.front() && step <= graph.steps.back();
  }));
  return slow == 1 ? Say("{steps}, of which 1 is slow ({time} without it)", steps, typical)
                   : Say("{steps}, of which {count} are slow ({time} without them)", steps, slow,
                         typical);
}

// ", 107 ms of it evaluation between steps", where that is more than ranks may be apart: a replay
// goes from the begin of a step to that of the next.
Phrase SayEvaluation(const Facts& facts, int64_t recorded) {
  constexpr double kCounts = 0.05;  // of a step
  const auto each = static_cast<double>(EvaluationPerStep(facts));
  if (each < kCounts * static_cast<double>(recorded)) return {};
  return Say(", {time} of it evaluation between steps", HumanTime(each));
}

// The change worth most may be worth little beside what no change mends.
Phrase SayWithoutPeers(const std::optional<int64_t>& rank) {
  if (!rank) return {};
  return Say(
      " The others wait most for rank {rank}, which takes longer itself; what it should take is "
      "not known, since no other rank does the same work.",
      *rank);
}

Phrase Headline(const Facts& facts, int64_t recorded, const std::vector<AskedChange>& changes,
                bool asked) {
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  const JobGraph& graph = JobGraphOf(facts);
  const Phrase ranks = Plural(graph.ranks.size(), "rank");
  const Phrase step = StepsAreMarked(facts)
                          ? Say("A step of {ranks} takes {time}, the mean of {steps}", ranks,
                                time(recorded), SayStepsOfMean(facts)) +
                                SayEvaluation(facts, recorded)
                          : Say("The recording of {ranks} takes {time}; no steps are marked", ranks,
                                time(recorded));
  const ReplayError& replay = ReplayErrorOf(facts);
  if (!replay.Prices(std::nullopt))
    return Say("{step}; what changes would save is unknown: the replay is {share} off.", step,
               HumanRatio(replay.OfPrice(std::nullopt)));
  if (changes.empty()) return step + ".";
  const AskedChange& first = changes.front();
  if (asked) {
    const int64_t saved = first.Saved(facts);
    const Phrase change = Phrase::Name(first.text);
    if (saved > 0)
      return Say("{step}; with '{change}' it takes {less} less.", step, change, time(saved));
    if (saved < 0)
      return Say("{step}; with '{change}' it takes {more} more.", step, change, time(-saved));
    return Say("{step}; with '{change}' it takes as long.", step, change);
  }
  if (first.upper_bound || first.Saved(facts) <= 0)
    return Say("{step}; no change that was asked saves anything.", step);
  const auto error = replay.OfPrice(first.since) * static_cast<double>(recorded);
  if (static_cast<double>(first.Saved(facts)) <= error)
    return Say("{step}; no change that was asked saves more than the replay errs by, {error}.",
               step, HumanTime(error));
  const Phrase since = first.since ? Say(" in each step since step {step}", *first.since)
                       : first.in_steps.empty() ? Phrase()
                                                : Say(" per step on average{when}", first.in_steps);
  if (const auto shorter = ShorterThanBefore(facts, first.lengths, first.since))
    return Say(
        "{step}; the change worth most, '{change}', saves up to {saved}{since}: steps before it "
        "take {before}.",
        step, Phrase::Name(first.text), time(first.Saved(facts)), since, time(shorter->before));
  // Links twice as fast are asked of any job, and are no cause.
  if (first.kind == ColumnKind::kCommunication && first.link == nullptr && facts.OnHost())
    return Say(
        "{step}. The replay finds no cause; links twice as fast ('{change}') would save {saved}. "
        "Other analyses may name causes that are not replayed: see the findings.",
        step, Phrase::Name(first.text), time(first.Saved(facts)));
  return Say("{step}; the change worth most, '{change}', saves {saved}{since}.", step,
             Phrase::Name(first.text), time(first.Saved(facts)), since);
}

// What no replay of partials asks.
void NoteInput(const Facts& facts, Report& report) {
  const auto waits = std::ranges::count_if(facts.ranks, [](const RankActivity& rank) {
    return rank.condensed &&
           std::ranges::any_of(rank.condensed->efforts,
                               [](const CondensedEffort& of) { return of.input > 0; });
  });
  if (waits == 0) return;
  report.notes.push_back({"input_not_asked", waits,
                          "ranks wait for input, and partials do not tell what that costs: ask the "
                          "traces",
                          ""});
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kWhatif, facts);
  if (report.status == Status::kUnavailable) return report;
  const JobGraph& graph = JobGraphOf(facts);
  if (graph.ranks.empty()) {
    MakeUnavailable(report, IsOfPartials(facts)
                                ? "partials tell too little of these ranks for a replay: ask the "
                                  "traces"
                                : "nothing says which call launched an activity");
    return report;
  }
  if (graph.steps.empty()) {
    MakeUnavailable(report, "no complete step was recorded of all ranks");
    return report;
  }
  if (graph.ranks.size() > 1 && graph.members.empty() && graph.unmatched_messages > 0) {
    MakeUnavailable(report,
                    "no send or receive has its partner in the traces, so that no rank waits for "
                    "another in a replay");
    return report;
  }
  const ReplayError& replay = ReplayErrorOf(facts);
  const double error = replay.median, worst = replay.worst;
  const auto answer = AskChanges(facts, params.Text("set"));
  if (!answer) {
    report.absent =
        Error{answer.error(), "`set`", "see the names in kernels, operators and collectives"};
    MakeUnavailable(report, answer.error());
    return report;
  }
  const std::vector<AskedChange>& changes = answer->list;
  const int64_t recorded = RecordedStep(facts, std::nullopt);
  report.headline = Headline(facts, recorded, changes, !params.Text("set").empty()) +
                    SayWithoutPeers(answer->without_peers);
  if (!replay.IsSmall()) {
    report.status = Status::kPartial;
    report.why = Say("a replay without changes is {share} off in one step", HumanRatio(worst));
  }
  if (!replay.Prices(std::nullopt))
    report.why = Say(
        "a replay without changes is {share} off in the mean step: over {most}, it does not tell "
        "what changes save",
        HumanRatio(replay.OfPrice(std::nullopt)), HumanRatio(ReplayError::kMost));
  if (graph.Contradicts()) {
    report.status = Status::kPartial;
    report.why = Say(
        "{count} of {all} members of collectives and messages ended before their last one began: "
        "clocks or matches are wrong",
        graph.contradictions, graph.members.size());
  }
  const bool first_counts = FirstOfMean(facts, std::nullopt) == 0;
  report.metrics = {
      {"step_time", first_counts ? "mean step of the job" : "mean step after the first", recorded,
       Unit::kNanoseconds},
      {"error_ratio", "median error of a replay", error, Unit::kRatio},
      {"worst_error_ratio", "largest error of a replay", worst, Unit::kRatio}};
  report.tables.push_back(ChangesTable(facts, changes));
  report.tables.push_back(BoundsTable(facts, changes));
  report.tables.push_back(ChainTable(facts));
  report.tables.push_back(HarmlessTable(facts));
  report.tables.push_back(ReplayTable(replay.steps));
  std::erase_if(report.tables, [](const Table& table) { return table.rows.empty(); });
  if (report.status == Status::kOk) AddWorths(report, facts, changes);
  AddOriginFindings(report, facts, changes);
  AddLinkFindings(report, facts, changes);
  AddFunctionFindings(report, facts, changes);
  AddNotes(report, facts, changes);
  NotePartials(facts, report);
  NoteInput(facts, report);
  return report;
}

}  // namespace
}  // namespace whatif

const Analysis kWhatif = {
    .name = "whatif",
    .title = "What-if replay",
    .label = "What-if",
    .group = AnalysisGroup::kOverview,
    .summary = "What changes are worth to the whole job",
    .doc = whatif::kDoc,
    .needs = kDependencyNeeds | kPythonFrames,
    .of_partials = OfPartials::kYes,
    .takes_longest = true,
    .params = whatif::kParams,
    .run = &whatif::Run,
};

}  // namespace stepscope
