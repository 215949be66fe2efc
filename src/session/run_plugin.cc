// Runs plugins, and answers what they ask.
#include "session/run_plugin.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/stop.h"
#include "session/params.h"
#include "session/plugins.h"
#include "session/read_events.h"
#include "session/redact_run.h"

namespace stepscope {

struct PluginContext::State {
  PluginQuestion& question;
};

namespace {

PluginValues ValuesOf(const Analysis& analysis, const Params& params) {
  PluginValues values;
  for (const Parameter& parameter : analysis.params) {
    PluginValue& value = values[std::string(parameter.name)];
    switch (parameter.type) {
      case Parameter::Type::kInteger:
        value = params.Integer(parameter.name);
        break;
      case Parameter::Type::kNumber:
        value = params.Number(parameter.name);
        break;
      case Parameter::Type::kText:
        value = params.Text(parameter.name);
        break;
    }
  }
  return values;
}

// The numbers of the selected steps of a rank; nothing where all events count.
std::optional<std::vector<int64_t>> SelectedSteps(const PluginQuestion& question, int64_t rank) {
  if (question.selection.mode == StepSelection::Mode::kAll) return std::nullopt;
  std::vector<int64_t> steps;
  for (const RankActivity& recording : question.run.ranks) {
    if (recording.rank != rank) continue;
    for (const Step& step : recording.steps) {
      if (question.selection.Has(step)) steps.push_back(step.number);
    }
  }
  return steps;
}

// Texts of others are no words of ours: no language says them otherwise.
void KeepAsGiven(Phrase& phrase) {
  if (phrase.kind() == Phrase::Kind::kWhole) phrase = Phrase::Name(phrase.str());
}

void KeepTextsAsGiven(Report& report) {
  for (Phrase* phrase : {&report.title, &report.label, &report.why, &report.headline})
    KeepAsGiven(*phrase);
  for (Metric& metric : report.metrics) KeepAsGiven(metric.title);
  for (Series& series : report.series) KeepAsGiven(series.title);
  for (Note& note : report.notes) KeepAsGiven(note.message);
  for (Finding& finding : report.findings) {
    for (Phrase* phrase : {&finding.message, &finding.because, &finding.hint}) KeepAsGiven(*phrase);
  }
  for (Table& table : report.tables) {
    KeepAsGiven(table.title);
    for (Column& column : table.columns) KeepAsGiven(column.title);
  }
}

void GiveBarsAKind(Report& report) {
  for (Table& table : report.tables) {
    for (Column& column : table.columns) {
      if (column.key == table.bars && column.kind == ColumnKind::kNone)
        column.kind = ColumnKind::kCustom;
    }
  }
}

Report Failed(const Error& error) {
  Report report{.status = Status::kUnavailable};
  std::string why = error.what;
  if (!error.where.empty()) why += " (" + error.where + ")";
  if (!error.hint.empty()) why += "; " + error.hint;
  report.why = Phrase::Name(std::move(why));
  return report;
}

Report Checked(Result<Report> made) {
  if (!made) return Failed(made.error());
  if (const auto checked = CheckReport(*made); !checked) return Failed(checked.error());
  if (made->status == Status::kUnavailable && made->why.empty())
    return Failed({"the analysis does not say why it has no answer", "", ""});
  return *std::move(made);
}

}  // namespace

const RunInfo& PluginContext::run() const { return state_.question.info; }

std::vector<int64_t> PluginContext::ranks() const {
  std::set<int64_t> ranks;
  for (const RankActivity& rank : state_.question.facts.ranks) ranks.insert(rank.rank);
  return {ranks.begin(), ranks.end()};
}

std::stop_token PluginContext::stop() const { return state_.question.stop; }

Result<Columns> PluginContext::Events(int64_t rank, const std::vector<std::string>& columns,
                                      const EventFilter& filter) {
  PluginQuestion& question = state_.question;
  if (!question.events || question.events->first != rank) {
    question.events.reset();
    auto read = ReadEventsOf(question.run, rank, question.threads, question.stop);
    if (!read) return std::unexpected(read.error());
    question.events.emplace(rank, *std::move(read));
  }
  EventFilter selected = filter;
  if (!selected.steps) selected.steps = SelectedSteps(question, rank);
  return question.events->second.Get(columns, selected, question.stop);
}

Result<Report> PluginContext::ReportOf(
    std::string_view name, const std::vector<std::pair<std::string, std::string>>& params) {
  const PluginQuestion& question = state_.question;
  const auto analysis = FindAnalysis(name);
  if (!analysis) return std::unexpected(analysis.error());
  if (IsPlugin(**analysis))
    return std::unexpected(Error{"'" + std::string(name) + "' is an analysis that was added, too",
                                 "", "share a function instead"});
  if (std::ranges::find(question.kept, name) == question.kept.end())
    return std::unexpected(
        Error{"the run was not opened for '" + std::string(name) + "'", "",
              "name it when the run is opened, or open the run for all analyses"});
  auto given = question.params;
  for (const auto& [key, value] : params) given.emplace_back(std::string(name) + "." + key, value);
  if (const auto named = CheckParamNames(given); !named) return std::unexpected(named.error());
  const auto values = MakeParams(**analysis, given);
  if (!values) return std::unexpected(values.error());
  try {
    Report report = (*analysis)->run(question.facts, *values);
    if (report.absent) return std::unexpected(*report.absent);
    return report;
  } catch (const Stopped&) {
    // It may not pass through others' code.
    return std::unexpected(Error{"the analysis was canceled", "", ""});
  }
}

Report RunPlugin(const Analysis& analysis, const Params& params, PluginQuestion& question) {
  PluginContext::State state{question};
  PluginContext context(state);
  const auto plugin = FindPlugin(analysis.name);
  Report report = plugin ? Checked(plugin->run(context, ValuesOf(analysis, params)))
                         : Failed({"the analysis was removed", "", ""});
  StopIfAsked();
  report.analysis = analysis.name;
  report.title = std::string(analysis.title);
  report.label = report.title;
  report.group.clear();
  GiveBarsAKind(report);
  if (question.run.redactor) RedactReport(report, *question.run.redactor);
  KeepTextsAsGiven(report);
  return report;
}

}  // namespace stepscope
