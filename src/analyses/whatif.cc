// Replays the graph of all ranks with changes: what each is worth to the job.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/replay/job_lags.h"
#include "facts/derived/replay/origins.h"
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
until all ranks have ended it, in the steps from `since_step` on, or in all; `recorded` is the same as recorded, and
`saved` the difference. `error` is how far a replay without changes is from what was recorded, if unexplained delays of
more than 20 µs are replaced by usual ones.

"rank R as its peers" gives each unit of a rank's own work (a kernel or copy, an operator or call without those within it,
or the host before one) the time that it takes on ranks with the same work. It is asked for ranks whose own work exceeds
that of their peers by six deviations. Where units of one name take far longer in all steps, only these are changed.
"rank R as before" gives units the median of the rank's own steps before `since_step`. It is asked where units of one
name take 30% longer for four steps or more, and not on ranks with the same work as well, unless all that the rank does
takes somewhat longer, as on a busy machine. The rank that saves most is the first origin; the others are asked on top of
it. A finding requires that the change saves 3% of a step, three standard errors of that, and something in three of four
steps.

**Limitations:** What the host does between records takes as long as before. Ranks without a trace do not take part.
Sends and receives are matched by their ends; waits between streams, and waits of threads for collectives of gloo, MPI or
UCC, are guessed where no record tells them.

**Interpretation:** The first change that you can make is the one to start with: it contains everything that waits for
it. The excess of a rank is not what it costs: a rank that waits anyway costs nothing.
)md";

constexpr double kLargestError = 0.1;  // beyond it the answer is partial

struct Change {
  std::string name;
  std::optional<int64_t> since;  // number of the first step that counts
  std::vector<int64_t> lengths;  // of each step
  ColumnKind kind = ColumnKind::kNone;
};

// The mean of the steps from number `since` on; of all but the first where that is absent, which
// begins when the recording does.
int64_t MeanStep(const JobGraph& graph, const std::vector<int64_t>& lengths,
                 std::optional<int64_t> since) {
  double sum = 0, count = 0;
  for (size_t s = 0; s < lengths.size(); ++s) {
    if (since ? graph.steps[s] < *since : s == 0 && lengths.size() > 1) continue;
    sum += static_cast<double>(lengths[s]);
    ++count;
  }
  return count == 0 ? 0 : ToInt64(sum / count);
}

int64_t StepsSince(const JobGraph& graph, std::optional<int64_t> since) {
  return std::ranges::count_if(graph.steps, [&](int64_t step) { return !since || step >= *since; });
}

// Edges of these bounds take no time.
ChangedLags Without(const JobGraph& graph, std::initializer_list<Bound> bounds) {
  ChangedLags lags(graph);
  lags.ScaleEdges([&](const JobRank& /*job*/, const Edge& edge) {
    return std::ranges::find(bounds, edge.bound) != bounds.end() ? 0.0 : 1.0;
  });
  return lags;
}

class Asker {
 public:
  explicit Asker(const Facts& facts)
      : facts_(facts), graph_(JobGraphOf(facts)), origins_(OriginsOf(facts)) {}

  std::vector<Change> Ask() {
    AskOrigins();
    Try("no input wait", Without(graph_, {Bound::kDataLoading}), ColumnKind::kInput);
    ChangedLags hidden(graph_);
    hidden.WaitForNobody();
    hidden.ScaleEdges([](const JobRank& /*job*/, const Edge& edge) {
      return edge.bound == Bound::kCommunication ? 0.0 : 1.0;
    });
    ChangedLags links(graph_);
    links.ScaleTransfers([](const JobInstance& /*instance*/) { return 0.5; });
    Try("transfers x0.5", links, ColumnKind::kCommunication);
    std::ranges::stable_sort(changes_, {}, [&](const Change& c) { return -Saved(c); });
    // Nobody can change so much: they tell how much there is to gain.
    Try("no communication (an upper bound)", hidden, ColumnKind::kCommunication);
    if (!facts_.OnHost()) {
      Try("host takes no time (graph capture; an upper bound)",
          Without(graph_, {Bound::kCpu, Bound::kLaunch}), ColumnKind::kLaunch);
    }
    return std::move(changes_);
  }

  int64_t Saved(const Change& change) const {
    return SubtractSaturated(MeanStep(graph_, origins_.recorded, change.since),
                             MeanStep(graph_, change.lengths, change.since));
  }

 private:
  void AskOrigins() {
    for (const Origin& origin : origins_.found) {
      if (!origin.costs) continue;
      Change change{.name = fmt::format("rank {} as {}", graph_.ranks[origin.rank].rank->rank,
                                        origin.as_before ? "before" : "its peers"),
                    .since = origin.since,
                    .kind = ColumnKind::kWait};
      for (size_t s = 0; s < origin.saved.size(); ++s)
        change.lengths.push_back(SubtractSaturated(origins_.recorded[s], origin.saved[s]));
      changes_.push_back(std::move(change));
    }
  }

  void Try(std::string name, const ChangedLags& lags, ColumnKind kind) {
    changes_.push_back({.name = std::move(name),
                        .lengths = StepLengths(graph_, ReplayJob(graph_, lags)),
                        .kind = kind});
  }

  const Facts& facts_;
  const JobGraph& graph_;
  const Origins& origins_;
  std::vector<Change> changes_;
};

struct RankStep {
  int64_t rank = 0, step = 0, measured = 0, replayed = 0;
  double Error() const {
    return measured == 0 ? 0
                         : std::abs(static_cast<double>(SubtractSaturated(replayed, measured))) /
                               static_cast<double>(measured);
  }
};

// Of each rank, its steps from the end of the step before; of the first from its begin.
std::vector<RankStep> CompareReplay(const JobGraph& graph) {
  const JobTimes recorded = RecordedTimes(graph);
  const JobTimes replayed = ReplayJob(graph, ExplainedLags(graph));
  std::vector<RankStep> rows;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    const JobRank& job = graph.ranks[r];
    const StepMark* before = nullptr;
    for (const StepMark& mark : job.marks) {
      const auto length = [&](const JobTimes& times) {
        const int64_t since = before == nullptr ? AddSaturated(job.origin, times[r][mark.begin])
                                                : EndOfStep(graph, times, r, *before);
        return SubtractSaturated(EndOfStep(graph, times, r, mark), since);
      };
      rows.push_back({job.rank->rank, mark.step, length(recorded), length(replayed)});
      before = &mark;
    }
  }
  return rows;
}

Table ChangesTable(const Asker& asker, const JobGraph& graph, const std::vector<Change>& changes,
                   const Origins& origins, double error) {
  Table table{.key = "changes",
              .title = "Step with one change",
              .columns = {KeyColumn("change", "change")}};
  AddColumns(table, {TimeColumn("step_time", "step time"), TimeColumn("recorded", "recorded"),
                     TimeColumn("saved", "saved per step"), RatioColumn("saved_ratio", "saved, %"),
                     TimeColumn("error", "± error"), ValueColumn("since_step", "since step")});
  AddKindColumn(table);
  for (const Change& change : changes) {
    const int64_t recorded = MeanStep(graph, origins.recorded, change.since);
    const int64_t saved = asker.Saved(change);
    table.rows.push_back({change.name, SubtractSaturated(recorded, saved), recorded, saved,
                          Ratio(saved, recorded), ToInt64(error * static_cast<double>(recorded)),
                          change.since ? Cell(*change.since) : Cell(), KindCell(change.kind)});
  }
  return table;
}

Table ReplayTable(const std::vector<RankStep>& rows) {
  Table table{.key = "replay",
              .title = "Replay without changes",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("step", "step")},
              .text_rows = 0};
  AddColumns(table, {TimeColumn("measured", "recorded"), TimeColumn("replayed", "replayed"),
                     RatioColumn("error_ratio", "error")});
  for (const RankStep& row : rows)
    table.rows.push_back({row.rank, row.step, row.measured, row.replayed, row.Error()});
  return table;
}

// ", most of it in gemm in Linear", ", most of it before aten::linear".
std::string SayUnits(const Facts& facts, const Origin& origin) {
  if (origin.name == kNoString) return {};
  const std::string name = SayMost(facts, {{origin.name, 1}});
  return fmt::format(", most of it {} {}", origin.kind == UnitKind::kBefore ? "before" : "in",
                     name);
}

void AddFindings(Report& report, const Facts& facts, double error) {
  const JobGraph& graph = JobGraphOf(facts);
  const Origins& origins = OriginsOf(facts);
  for (const Origin& origin : origins.found) {
    if (!origin.costs) continue;
    const int64_t rank = graph.ranks[origin.rank].rank->rank;
    const auto saved = static_cast<double>(MeanStep(graph, origin.saved, origin.since));
    const bool kernels = 2 * origin.of_devices > origin.excess;
    const int64_t recorded = MeanStep(graph, origins.recorded, origin.since);
    const std::string since = origin.since ? fmt::format(" since step {}", *origin.since) : "";
    report.findings.push_back(
        {.message = fmt::format("Rank {} holds the job up{}: {} of {} per step.", rank, since,
                                HumanTime(saved), HumanTime(static_cast<double>(recorded))),
         .because = fmt::format(
             "its own work takes {} more per step than {}{}; a replay without that takes {} (± {})",
             HumanTime(static_cast<double>(origin.excess)),
             origin.as_before
                 ? std::string("before")
                 : "on " + Plural(OwnWorkOf(facts)[origin.rank].peers.size() - 1, "rank") +
                       " with the same work",
             SayUnits(facts, origin), HumanTime(static_cast<double>(recorded) - saved),
             HumanRatio(error)),
         .hint = kernels
                     ? "check clocks, temperature and power of the device, and whether the rank "
                       "has more work than others"
                     : "look at what the host of this rank does between launches: see `python`",
         .impact = ToInt64(saved * static_cast<double>(StepsSince(graph, origin.since))),
         .table = "changes",
         .cause = {CauseKind::kWait, rank},  // under what says why, if that is known
         .nearness = Nearness::kPart,
         .since = origin.since});
  }
}

Report Run(const Facts& facts, const Params& /*params*/) {
  Report report = StartReport(kWhatif, facts);
  if (report.status == Status::kUnavailable) return report;
  const JobGraph& graph = JobGraphOf(facts);
  if (graph.ranks.empty()) {
    MakeUnavailable(report, "nothing says which call launched an activity");
    return report;
  }
  if (graph.steps.empty()) {
    MakeUnavailable(report, "no complete step was recorded of all ranks");
    return report;
  }
  const std::vector<RankStep> replay = CompareReplay(graph);
  std::vector<double> errors;
  for (const RankStep& row : replay) errors.push_back(row.Error());
  const double worst = std::ranges::max(errors);
  const double error = Median(errors);
  Asker asker(facts);
  const std::vector<Change> changes = asker.Ask();
  const Origins& origins = OriginsOf(facts);
  const int64_t recorded = MeanStep(graph, origins.recorded, std::nullopt);
  report.headline = fmt::format("A step of {} takes {}; the change worth most, {}, saves {}.",
                                Plural(graph.ranks.size(), "rank"),
                                HumanTime(static_cast<double>(recorded)), changes.front().name,
                                HumanTime(static_cast<double>(asker.Saved(changes.front()))));
  if (worst > kLargestError) {
    report.status = Status::kPartial;
    report.why = fmt::format("a replay without changes is {} off in one step", HumanRatio(worst));
  }
  report.metrics = {{"step_time", "mean step of the job", recorded, Unit::kNanoseconds},
                    {"error_ratio", "median error of a replay", error, Unit::kRatio},
                    {"worst_error_ratio", "largest error of a replay", worst, Unit::kRatio}};
  report.tables.push_back(ChangesTable(asker, graph, changes, origins, error));
  report.tables.push_back(ReplayTable(replay));
  AddFindings(report, facts, error);
  return report;
}

}  // namespace
}  // namespace whatif

const Analysis kWhatif = {
    .name = "whatif",
    .title = "What-if replay",
    .summary = "What changes are worth to the whole job",
    .doc = whatif::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kSync},
    .params = {},
    .run = &whatif::Run,
};

}  // namespace stepscope
