// Asks what stragglers cost, of operations or of traces.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "analyses/straggler_report.h"
#include "base/unless_stopped.h"
#include "facts/derived/operations/straggler_cost.h"
#include "ingest/parquet/operations_file.h"
#include "report/findings.h"
#include "session/load.h"
#include "session/verdict.h"
#include "stepscope/whatif.h"

namespace stepscope {
namespace {

// Findings are weighed by the steps that were compared.
void WeighFindings(ReportSet& answer) {
  RankTime whole;
  for (const Finding& finding : answer.reports.front().findings)
    whole = {.time = finding.extent.time, .steps = finding.extent.steps};
  JoinFindings(answer, whole);
}

void SayFirst(ReportSet& answer) {
  const Report& report = answer.reports.front();
  answer.verdict = report.headline;
  if (!report.findings.empty()) answer.verdict += " " + report.findings.front().message;
}

InputFile FileOf(const std::string& path, const JobOperations& operations) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(path, none);
  return {.path = path,
          .rank = 0,
          .events = static_cast<int64_t>(operations.rows.size()),
          .bytes = none ? 0 : static_cast<int64_t>(bytes)};
}

Result<ReportSet> AskOperations(const std::string& path) {
  auto file = ReadOperations(path);
  if (!file) return std::unexpected(file.error());
  const auto cost = StragglerCostOf(file->operations);
  if (!cost) return std::unexpected(Error{cost.error().what, path, cost.error().hint});
  ReportSet answer;
  answer.run = {
      .name = path,
      .files = {FileOf(path, file->operations)},
      .ranks = file->operations.devices.value_or(static_cast<int64_t>(cost->workers.size())),
      .steps = "all",
      .notes = std::move(file->notes)};
  answer.reports.push_back(StragglerReport(
      *cost, {.no_delay = "launch delays", .ideal = "the mean or median of its type"}));
  WeighFindings(answer);
  SayFirst(answer);
  return answer;
}

Result<ReportSet> AskTraces(std::span<const std::string> paths, const StragglerOptions& options) {
  auto run = LoadPaths(paths, kStragglerNeeds,
                       {.threads = options.threads,
                        .storage = options.storage,
                        .on_progress = options.on_progress,
                        .stop = options.stop});
  if (!run) return std::unexpected(run.error());
  const Facts facts = DeriveFacts(run->names, run->ranks, *ParseSteps("all"), "all");
  ReportSet answer{.run = run->info};
  answer.run.steps = "all";
  answer.reports.push_back(StragglerReportOf(facts));
  WeighFindings(answer);
  answer.verdict = SayWhatIsDoubtful(answer.run) + Verdict(answer, facts);
  return answer;
}

Result<ReportSet> Ask(std::span<const std::string> paths, const StragglerOptions& options) {
  if (paths.empty())
    return std::unexpected(Error{"nothing to open", "", "give traces, or a file of operations"});
  const auto parquet = std::ranges::find_if(paths, IsParquet);
  if (parquet == paths.end()) return AskTraces(paths, options);
  if (paths.size() == 1) return AskOperations(paths[0]);
  return std::unexpected(Error{"cannot read several paths with operations", *parquet,
                               "give one Parquet file, or traces"});
}

}  // namespace

Result<ReportSet> WhatIfStragglers(std::span<const std::string> paths,
                                   const StragglerOptions& options) {
  return UnlessStopped(options.stop, "the question was canceled",
                       [&] { return Ask(paths, options); });
}

}  // namespace stepscope
