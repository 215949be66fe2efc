// Reads events and selects the requested job.
#include "goodput/ledger/load_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "base/time_units.h"
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

// The events in the scheduler's files, by time.
Result<std::vector<Event>> SchedulerEvents(const GoodputReportOptions& options,
                                           std::vector<Note>& notes) {
  const SchedulerOptions read{
      .slurm = {.job = options.scheduler_job, .utc_offset = options.utc_offset},
      .kubernetes = {.job = options.scheduler_job,
                     .chips_per_pod = options.chips_per_pod,
                     .pods = options.pods}};
  std::vector<Event> events;
  for (const std::string& path : options.scheduler_files) {
    Notes note_counts;
    auto of_file = ReadSchedulerFile(path, read, note_counts);
    if (!of_file) return std::unexpected(of_file.error());
    std::ranges::move(*of_file, std::back_inserter(events));
    std::ranges::move(note_counts.List(path), std::back_inserter(notes));
  }
  for (Event& event : events) event.job = options.job;
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
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
  auto scheduler = SchedulerEvents(options, loaded.scheduler_notes);
  if (!scheduler) return std::unexpected(scheduler.error());
  const ReadJobsOptions read{.ml_goodput = options.mode == GoodputMode::kMlGoodput,
                             .job = options.job,
                             .at = options.at,
                             .scheduler = std::move(*scheduler)};
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
  return loaded;
}

}  // namespace stepscope::goodput
