// Implements the public API: opens runs, lists and runs analyses.
#include "stepscope/session.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "analyses/analysis.h"
#include "analyses/build.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/steps/step_breakdown.h"
#include "ingest/clock_base.h"
#include "report/findings.h"
#include "session/cut_files.h"
#include "session/cut_names.h"
#include "session/load.h"
#include "session/params.h"
#include "session/partials.h"
#include "session/plugins.h"
#include "session/read_events.h"
#include "session/redact_run.h"
#include "session/run_plugin.h"
#include "session/verdict.h"
#include "timeline/build.h"

namespace stepscope {
namespace {

std::string TypeName(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::kInteger:
      return "integer";
    case Parameter::Type::kNumber:
      return "number";
    case Parameter::Type::kText:
      return "text";
  }
  return "";
}

AnalysisInfo InfoOf(const Analysis& analysis) {
  AnalysisInfo info{.name = std::string(analysis.name),
                    .title = std::string(analysis.title),
                    .summary = std::string(analysis.summary),
                    .doc = std::string(analysis.doc)};
  for (const Parameter& p : analysis.params) {
    info.params.push_back({std::string(p.name), TypeName(p.type), std::string(p.default_value),
                           std::string(UnitName(p.unit)), std::string(p.message)});
  }
  return info;
}

// The recordings of these ranks; none when no rank is named.
Result<std::vector<RankActivity>> ChooseRanks(const std::vector<RankActivity>& ranks,
                                              const std::vector<int64_t>& wanted) {
  std::vector<RankActivity> chosen;
  for (const int64_t rank : wanted) {
    const size_t before = chosen.size();
    std::ranges::copy_if(ranks, std::back_inserter(chosen),
                         [&](const RankActivity& r) { return r.rank == rank; });
    if (chosen.size() == before) {
      return std::unexpected(Error{"there is no rank " + std::to_string(rank), "`ranks`",
                                   "ranks in the traces: " + DescribeRanks(ranks)});
    }
  }
  return chosen;
}

// Fails where the traces have steps, and none of those that the question names.
Result<void> CheckSteps(std::span<const RankActivity> ranks, const StepSelection& selection,
                        const std::string& text) {
  if (selection.mode != StepSelection::Mode::kRanges) return {};
  bool any = false;
  for (const RankActivity& rank : ranks) {
    any = any || !rank.steps.empty();
    if (std::ranges::any_of(rank.steps, [&](const Step& s) { return selection.Has(s); })) return {};
  }
  if (!any) return {};
  return std::unexpected(
      Error{"there is no step " + text, "`steps`", "steps in the traces: " + DescribeSteps(ranks)});
}

// The mean span of a device.
double MeanSpan(const Facts& facts) {
  double time = 0;
  for (const DeviceFacts& device : facts.devices) time += static_cast<double>(device.total.Span());
  return time / static_cast<double>(std::max<size_t>(facts.devices.size(), 1));
}

// Without steps, the time of a rank is its whole recording.
double MeanRecording(const Facts& facts) {
  double time = 0, ranks = 0;
  for (const RankActivity& rank : facts.ranks) {
    const auto whole = WholeRecording(rank);
    if (!whole) continue;
    time += static_cast<double>(whole->end - whole->start);
    ++ranks;
  }
  return time / std::max(ranks, 1.0);
}

// ns of a rank's steps. A first step that is warm-up counts as the mean of the others: the first
// sentence leaves it out, and it does not come again.
double TimeOfSteps(const RankActivity& rank, const std::vector<StepWindow>& windows) {
  RankSteps steps{.rank = &rank, .steps = {}};
  double time = 0;
  for (const StepWindow& w : windows) {
    steps.steps.push_back({.window = w});
    time += static_cast<double>(w.end - w.start);
  }
  if (!BeginsWithWarmUp(steps)) return time;
  const auto first = static_cast<double>(windows.front().end - windows.front().start);
  const auto count = static_cast<double>(windows.size());
  return (time - first) * count / (count - 1);
}

// The mean time of a rank's steps, or the mean span of a device if that is longer, as where only
// some steps are marked; and how many steps of the mean length that is.
RankTime MeanTime(const Facts& facts) {
  RankTime whole;
  double time = 0, ranks = 0;
  for (const RankActivity& rank : facts.ranks) {
    const std::vector<StepWindow> windows = StepWindows(rank);
    ranks += windows.empty() ? 0 : 1;
    for (const StepWindow& w : windows) whole.every.push_back({w.number, w.end - w.start});
    time += TimeOfSteps(rank, windows);
  }
  const double longer = std::max(MeanSpan(facts), ranks > 0 ? time / ranks : MeanRecording(facts));
  whole.time = ToInt64(longer);
  if (time > 0) whole.steps = longer * static_cast<double>(whole.every.size()) / time;
  return whole;
}

using Asked = std::vector<std::pair<AnalysisRef, Params>>;

// The longest one takes a quarter of the time of all, so that more would only take memory.
size_t AnalysesAtOnce(int threads) {
  constexpr size_t kMost = 4;
  return std::min(ThreadsFor(threads), kMost);
}

std::vector<size_t> LongestFirst(const Asked& asked) {
  std::vector<size_t> order(asked.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_partition(order, [&](size_t i) { return asked[i].first->takes_longest; });
  return order;
}

// Why partials do not answer; empty where they do, or there are none.
Phrase WhyNotOfPartials(const Analysis& analysis, const Facts& facts,
                        std::span<const RankTrace> sources) {
  if (analysis.of_partials == OfPartials::kYes || !HasPartials(facts.ranks)) return "";
  if (analysis.of_partials == OfPartials::kNo) return SayAskTheTrace(facts.ranks, sources);
  return facts.selected.empty() ? ""
                                : "partials hold sums of kernels over all steps, not of some: ask "
                                  "the traces of the ranks in question";
}

Report RunAnalysis(const Analysis& analysis, const Params& params, const Facts& facts,
                   const AnalyzeOptions& options, std::span<const RankTrace> sources) {
  StopIfAsked();
  Report report{.analysis = std::string(analysis.name), .title = std::string(analysis.title)};
  if (const Phrase why = WhyNotOfPartials(analysis, facts, sources); !why.empty())
    MakeUnavailable(report, why);
  else
    report = analysis.run(facts, params);
  CutNames(report, options.most_names);
  report.label = analysis.label;
  report.group = GroupName(analysis.group);
  return report;
}

// Events that cannot be read are the first finding, or where no report has findings, a sentence.
Phrase AddDamage(ReportSet& answer) {
  auto damage = UnreadableEvents(answer.run);
  if (!damage) return "";
  const auto first = std::ranges::find_if(
      answer.reports, [](const Report& r) { return r.status != Status::kUnavailable; });
  if (first == answer.reports.end()) return damage->message + " ";
  first->findings.push_back(std::move(*damage));
  return "";
}

// `kept`: the analyses of ours that the run was opened for.
ReportSet RunAnalyses(const LoadedRun& run, std::span<const RankActivity> ranks,
                      const StepSelection& selection, const AnalyzeOptions& options,
                      const Asked& asked, const std::vector<std::string>& kept) {
  StopIfAsked();
  Facts facts = DeriveFacts(run.names, ranks, selection, options.steps);
  facts.groups = GroupNames(run.names, options.groups);
  facts.captured = run.captured;
  for (const RankActivity& rank : run.ranks) {
    if (std::ranges::find(ranks, rank.rank, &RankActivity::rank) == ranks.end())
      facts.left_out.insert(rank.rank);
  }
  ReportSet answer{.run = run.info};
  if (run.redactor) RedactInfo(answer.run, *run.redactor);
  answer.run.steps = options.steps;
  PluginQuestion question{.run = run,
                          .info = answer.run,
                          .facts = facts,
                          .selection = selection,
                          .params = options.params,
                          .kept = kept,
                          .threads = run.threads,
                          .stop = options.stop};
  answer.reports.resize(asked.size());
  const std::vector<size_t> order = LongestFirst(asked);
  ParallelFor(asked.size(), AnalysesAtOnce(run.threads), [&](size_t k) {
    const auto& [analysis, params] = asked[order[k]];
    if (!IsPlugin(*analysis))
      answer.reports[order[k]] = RunAnalysis(*analysis, params, facts, options, run.sources);
  });
  // These ask analyses themselves, in an interpreter that runs one at a time.
  for (size_t i = 0; i < asked.size(); ++i) {
    const auto& [analysis, params] = asked[i];
    if (IsPlugin(*analysis)) answer.reports[i] = RunPlugin(*analysis, params, question);
  }
  const Phrase damage = AddDamage(answer);
  JoinFindings(answer, MeanTime(facts));
  LowerWhereNothingStandsOut(answer, facts);
  answer.verdict = SayWhatIsDoubtful(answer.run) + damage + SayCutFiles(answer.run, facts) +
                   Verdict(answer, facts);
  return answer;
}

// What a plugin asks our analyses for is known when it asks: all are kept for it.
std::vector<AnalysisRef> KeptFor(const std::vector<AnalysisRef>& prepared) {
  const bool plugins =
      std::ranges::any_of(prepared, [](const AnalysisRef& a) { return IsPlugin(*a); });
  std::vector<AnalysisRef> kept = plugins ? AllAnalyses() : prepared;
  std::erase_if(kept, [](const AnalysisRef& analysis) { return IsPlugin(*analysis); });
  return kept;
}

std::vector<std::string> NamesOfAll(const std::vector<AnalysisRef>& analyses) {
  std::vector<std::string> names;
  for (const AnalysisRef& analysis : analyses) names.emplace_back(analysis->name);
  return names;
}

}  // namespace

struct Session::State {
  LoadedRun run;
  std::vector<std::string> prepared;  // names; empty: all there are, whenever it is asked
  std::vector<std::string> kept;      // of ours, all for which there is what they need
  bool has_events = false;
  Settings settings;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const RunInfo& Session::run() const { return state_->run.info; }

Result<Session> Session::Open(std::span<const std::string> paths, const OpenOptions& options) {
  if (paths.empty()) {
    return std::unexpected(
        Error{"nothing to open", "", "give a directory of traces, or trace files"});
  }
  const auto prepared = FindAnalyses(options.analyses);
  if (!prepared) return std::unexpected(prepared.error());
  if (const auto checked = Check(options.settings); !checked)
    return std::unexpected(checked.error());
  const std::vector<AnalysisRef> kept = KeptFor(*prepared);
  Wanted keep;
  for (const AnalysisRef& analysis : kept)
    keep = keep |
           (options.advice ? analysis->needs : analysis->numbers_need.value_or(analysis->needs));
  auto run = LoadPaths(paths, keep, options);
  if (!run) return std::unexpected(run.error());
  return Session(std::make_unique<State>(std::move(*run), options.analyses, NamesOfAll(kept),
                                         options.keep_events, options.settings));
}

std::vector<TracedStep> Session::StepsOnClock() const {
  const LoadedRun& run = state_->run;
  std::vector<TracedStep> steps;
  std::unordered_map<std::string, int64_t> bases;  // a file may hold thousands of ranks
  const auto base_of = [&](const std::string& path) {
    const auto known = bases.find(path);
    if (known != bases.end()) return known->second;
    return bases[path] = ClockBaseOf(path, run.places);
  };
  for (size_t r = 0; r < run.ranks.size(); ++r) {
    const std::optional<size_t> file = run.files[r];
    if (!file) continue;
    const std::vector<Step>& of_rank = run.ranks[r].steps;
    const bool absolute = !of_rank.empty() && of_rank.front().start >= kEarliestOnClock;
    const int64_t base = absolute ? 0 : base_of(run.info.files[*file].path);
    for (const Step& step : of_rank) {
      const int64_t start = AddSaturated(step.start, base), end = AddSaturated(step.end, base);
      if (start < kEarliestOnClock || end == INT64_MAX) continue;
      steps.push_back({run.ranks[r].rank, step.number, start, end});
    }
  }
  return steps;
}

Result<Timeline> Session::TakeTimeline() {
  if (!state_->has_events) {
    return std::unexpected(
        Error{"the run has no events for a timeline", "",
              "open the run with OpenOptions::keep_events, and take the timeline once"});
  }
  if (const auto checked = CheckHasEvents(state_->run.ranks, state_->run.sources); !checked)
    return std::unexpected(checked.error());
  state_->has_events = false;
  LoadedRun& run = state_->run;
  return BuildTimeline({.names_of_ranks = &run.names,
                        .ranks = run.ranks,
                        .recordings = std::move(run.events),
                        .names = std::move(run.event_names)});
}

std::vector<int64_t> Session::RecordedRanks() const { return RecordedRanksOf(state_->run); }

std::span<const RankTrace> Session::TracesOf(int64_t rank) const {
  return std::ranges::equal_range(state_->run.sources, rank, {}, &RankTrace::rank);
}

std::span<const RankTrace> Session::Traces() const { return state_->run.sources; }

Result<EventTable> Session::ReadEvents(int64_t rank, int threads, std::stop_token stop) const {
  return ReadEventsOf(state_->run, rank, threads, std::move(stop));
}

Result<void> Session::Check(const Settings& settings) {
  if (const auto named = CheckParamNames(settings.params); !named) return named;
  for (const AnalysisRef& analysis : AllAnalyses()) {
    const auto params = MakeParams(*analysis, settings.params);
    if (!params) return std::unexpected(params.error());
  }
  return {};
}

std::vector<AnalysisInfo> Session::List() {
  std::vector<AnalysisInfo> list;
  for (const AnalysisRef& analysis : AllAnalyses()) list.push_back(InfoOf(*analysis));
  return list;
}

Result<AnalysisInfo> Session::Explain(std::string_view name) {
  const auto analysis = FindAnalysis(name);
  if (!analysis) return std::unexpected(analysis.error());
  return InfoOf(**analysis);
}

Result<ReportSet> Session::Analyze(const AnalyzeOptions& question) const {
  AnalyzeOptions options = question;
  const Settings& usual = state_->settings;
  options.params.insert(options.params.begin(), usual.params.begin(), usual.params.end());
  if (options.groups.empty()) options.groups = usual.groups;
  const auto selection = ParseSteps(options.steps);
  if (!selection) return std::unexpected(selection.error());
  const auto asked = FindAnalyses(options.only.empty() ? state_->prepared : options.only);
  if (!asked) return std::unexpected(asked.error());
  const auto named = CheckParamNames(options.params);
  if (!named) return std::unexpected(named.error());

  const auto chosen = ChooseRanks(state_->run.ranks, options.ranks);
  if (!chosen) return std::unexpected(chosen.error());
  const std::span<const RankActivity> ranks =
      options.ranks.empty() ? std::span<const RankActivity>(state_->run.ranks) : *chosen;

  if (const auto checked = CheckSteps(ranks, *selection, options.steps); !checked) {
    return std::unexpected(checked.error());
  }

  Asked analyses;
  const bool of_partials_alone = options.only.empty() && HasPartials(ranks);
  for (const AnalysisRef& analysis : *asked) {
    if (of_partials_alone && analysis->of_partials == OfPartials::kNo) continue;
    if (!IsPlugin(*analysis) &&
        std::ranges::find(state_->kept, analysis->name) == state_->kept.end()) {
      return std::unexpected(
          Error{"the run was not opened for '" + std::string(analysis->name) + "'", "",
                "name it in OpenOptions::analyses"});
    }
    auto params = MakeParams(*analysis, options.params, options.most_names);
    if (!params) return std::unexpected(params.error());
    analyses.emplace_back(analysis, std::move(*params));
  }
  try {
    const StopScope scope(options.stop);
    return RunAnalyses(state_->run, ranks, *selection, options, analyses, state_->kept);
  } catch (const Stopped&) {
    return std::unexpected(Error{"the analysis was canceled", "", ""});
  }
}

}  // namespace stepscope
