// Joins answers about ledgers.
#include "server/ledger_answer.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "report/columns.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "stepscope/watch.h"

namespace stepscope::server {
namespace {

// A file's name without what tells its form.
std::string WithoutEndings(std::string name) {
  for (const std::string_view end : {".gz", ".zst", ".json", ".trace", ".pt", ".pb", ".xplane"}) {
    if (name.ends_with(end) && name.size() > end.size()) name.resize(name.size() - end.size());
  }
  return name;
}

GoodputReportOptions OfAllJobs(GoodputReportOptions options) {
  options.files.clear();
  options.mode = GoodputMode::kPartition;
  options.chip_hours = true;
  return options;
}

}  // namespace

Ledgers::Ledgers(GoodputReportOptions options) : options_(OfAllJobs(std::move(options))) {}

Ledgers::Kept& Ledgers::KeptOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  auto& kept = kept_[path];
  if (kept == nullptr) {
    kept = std::make_unique<Kept>(GoodputLosses(path, options_));
  }
  return *kept;
}

Result<ReportSet> Ledgers::AskJob(const std::string& path, const std::string& job) const {
  GoodputReportOptions options = GoodputOptionsOf(job, options_);
  options.store = path;
  WatchedRecords watched;
  options.on_watched = [&](int64_t time, const std::string& text) { watched.Take(time, text); };
  auto answer = GoodputReport(options);
  if (answer && !watched.empty()) AddWatched(watched.ReportOf(), *answer);
  return answer;
}

// Who asks about one job waits neither for all others nor for who asks about those.
Result<ReportSet> Ledgers::AskList(const std::string& path, const std::string& job) {
  Kept& kept = KeptOf(path);
  std::unique_lock lock(kept.mutex, std::defer_lock);
  if (job.empty()) {
    lock.lock();
    return kept.losses.Now();
  }
  if (lock.try_lock()) return kept.losses.NowOf(job);
  return GoodputLosses(path, options_).NowOf(job);
}

Result<ReportSet> Ledgers::Ask(const std::string& path, std::string job) {
  auto answer = AskList(path, job);
  if (!answer) return answer;
  if (job.empty()) {
    const auto jobs = JobsIn(*answer);
    if (jobs.empty()) return answer;
    job = jobs.front();
  }
  auto report = AskJob(path, job);
  if (!report) return report;
  answer->verdict = report->verdict;
  std::ranges::move(report->reports, std::back_inserter(answer->reports));
  return answer;
}

Result<RunGoodput> Ledgers::AskRun(const RunOfJob& run,
                                   const std::vector<LedgerView>& ledgers) const {
  std::vector<std::string> stores;
  for (const LedgerView& ledger : ledgers) stores.push_back(ledger.path);
  auto match = MatchGoodputJob(run, stores);
  if (!match) return std::unexpected(match.error());
  RunGoodput found;
  if (match->store) {
    found.ledger = ledgers[*match->store].id;
    auto answer = AskJob(stores[*match->store], match->job);
    if (!answer) return std::unexpected(answer.error());
    found.answer = std::move(*answer);
  }
  found.answer.reports.insert(found.answer.reports.begin(), std::move(match->report));
  return found;
}

std::vector<std::string> JobsIn(const ReportSet& answer) {
  std::vector<std::string> jobs;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      if (report.analysis != "goodput_jobs" || table.key != "jobs") continue;
      const ColumnOf job(table, "job");
      for (const auto& row : table.rows) jobs.push_back(job.Text(row));
    }
  }
  return jobs;
}

RunOfJob RunAt(const std::string& path, const RunInfo& info, std::vector<TracedStep> steps) {
  namespace fs = std::filesystem;
  RunOfJob run{.names = {}, .files = {}, .steps = std::move(steps)};
  std::error_code failed;
  fs::path whole = fs::absolute(path, failed).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const fs::path folder = whole.parent_path();
  run.names.push_back(WithoutEndings(whole.filename()));
  // TensorBoard keeps a profile in JOB/plugins/profile/MOMENT.
  if (folder.filename() == "profile" && folder.parent_path().filename() == "plugins") {
    run.names.push_back(folder.parent_path().parent_path().filename());
  }
  for (const InputFile& file : info.files) run.files.push_back(fs::path(file.path).filename());
  return run;
}

ReportSet WithLedger(RunGoodput found) {
  Report& match = found.answer.reports.front();
  if (!found.ledger.empty()) match.metrics.push_back({"ledger", "ledger", found.ledger});
  return std::move(found.answer);
}

}  // namespace stepscope::server
