// Reads events and selects the requested job.
#include "goodput/ledger/load_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "base/time_units.h"
#include "goodput/accounting/writer.h"
#include "goodput/ledger/ledger.h"
#include "goodput/recorder/segment_name.h"
#include "goodput/scheduler/scheduler_file.h"

namespace stepscope::goodput {
namespace {

Result<Job*> Choose(Jobs& jobs, const GoodputReportOptions& options) {
  if (jobs.jobs.size() <= 1) return jobs.jobs.empty() ? nullptr : &jobs.jobs.front();
  for (Job& job : jobs.jobs) {
    if (!options.job.empty() && job.name == options.job) return &job;
  }
  std::string names;
  for (const Job& job : jobs.jobs) names += (names.empty() ? "'" : ", '") + job.name + "'";
  return std::unexpected(Error{fmt::format("cannot select a job: the events belong to {} jobs{}",
                                           jobs.jobs.size(), jobs.more ? " and more" : ""),
                               names, "set `job`"});
}

Result<std::vector<ScheduledJob>> ScheduledJobs(const GoodputReportOptions& options,
                                                std::vector<Note>& notes) {
  const SchedulerOptions read{
      .slurm = {.job = options.scheduler_job, .utc_offset = options.utc_offset},
      .kubernetes = {.job = options.scheduler_job,
                     .chips_per_pod = options.chips_per_pod,
                     .pods = options.pods}};
  std::vector<ScheduledJob> jobs;
  for (const std::string& path : options.scheduler_files) {
    Notes note_counts;
    auto of_file = ReadSchedulerFile(path, read, note_counts);
    if (!of_file) return std::unexpected(of_file.error());
    AddJobs(std::move(*of_file), jobs);
    std::ranges::move(note_counts.List(path), std::back_inserter(notes));
  }
  return jobs;
}

// "slurm.4711.1": the job 4711.
std::string SlurmIdOf(std::string_view attempt) {
  constexpr std::string_view kSlurm = "slurm.";
  std::string_view id = AttemptName::Of(attempt).scheduler;
  if (!id.starts_with(kSlurm)) return "";
  id.remove_prefix(kSlurm.size());
  return std::string(id.substr(0, id.rfind('.')));
}

JobIdentity IdentityOf(Job& job, const GoodputReportOptions& options) {
  JobIdentity identity{.name = job.name};
  const Partition p = job.accounting.Query(UpTo(options.at));
  for (const AttemptAccount& attempt : p.attempts) {
    if (std::string id = SlurmIdOf(attempt.id); !id.empty()) identity.slurm_ids.insert(id);
  }
  for (const std::string& writer : job.accounting.Writers()) {
    if (std::string host = WriterName::Of(writer).host; !host.empty()) identity.hosts.insert(host);
  }
  if (!p.attempts.empty()) identity.life = Interval{p.start, p.end};
  return identity;
}

// Adds the scheduler's events to the job, or to a new one.
void AddScheduled(std::vector<ScheduledJob> scheduled, const GoodputReportOptions& options,
                  LoadedJobs& loaded) {
  if (scheduled.empty() || options.mode == GoodputMode::kMlGoodput) return;
  if (loaded.job == nullptr) {
    loaded.job = &loaded.jobs.jobs.emplace_back();
    loaded.job->name = options.job;
  }
  OwnRows rows = RowsOf(scheduled, IdentityOf(*loaded.job, options));
  loaded.scheduler_refusal = std::move(rows.refusal);
  if (rows.left_out > 0) {
    loaded.scheduler_notes.push_back(
        {"other_job", rows.left_out,
         Say("the scheduler's rows were left out: of {jobs}", rows.others), ""});
  }
  TakeScheduled(rows.events, options.at, *loaded.job);
}

// The first of these that is a directory, such as a recorder's; empty: none is.
std::string FolderIn(const std::vector<std::string>& files) {
  std::error_code error;
  const auto folder = std::ranges::find_if(
      files, [&](const std::string& file) { return std::filesystem::is_directory(file, error); });
  return folder == files.end() ? "" : *folder;
}

}  // namespace

PartitionQuery UpTo(const std::optional<int64_t>& at) {
  return {.at = at ? *at : WallClock(), .silence = kSilence};
}

PartitionQuery QueryOf(const GoodputReportOptions& options) {
  PartitionQuery query = UpTo(options.at);
  if (options.window) query.window = {options.window->first, options.window->second};
  if (options.exclusions) {
    for (const auto& [start, end] : *options.exclusions) {
      query.exclusions.push_back({start, end});
    }
  }
  return query;
}

Result<LoadedJobs> LoadJobs(const GoodputReportOptions& options) {
  if (options.files.empty() && options.store.empty() && options.scheduler_files.empty()) {
    return std::unexpected(
        Error{"nothing to report on", "", "set `files`, `store` or `scheduler_files`"});
  }
  LoadedJobs loaded;
  auto scheduler = ScheduledJobs(options, loaded.scheduler_notes);
  if (!scheduler) return std::unexpected(scheduler.error());
  const ReadJobsOptions read{.ml_goodput = options.mode == GoodputMode::kMlGoodput,
                             .job = options.job,
                             .at = options.at,
                             .max_input = options.max_input};
  const std::string folder = FolderIn(options.files);
  if (!folder.empty() && options.files.size() > 1) {
    return std::unexpected(Error{"cannot read a directory of events together with other events",
                                 folder, "give only the directory, or import all into a ledger"});
  }
  const std::string& store = folder.empty() ? options.store : folder;
  auto jobs = store.empty() ? ReadJobs(options.files, read) : ReadLedger(store, read);
  if (!jobs) return std::unexpected(jobs.error());
  loaded.jobs = std::move(*jobs);
  const auto job = Choose(loaded.jobs, options);
  if (!job) return std::unexpected(job.error());
  loaded.job = *job;
  AddScheduled(std::move(*scheduler), options, loaded);
  return loaded;
}

}  // namespace stepscope::goodput
