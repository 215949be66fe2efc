// Events to the job that is meant.
#include "goodput/ledger/ask_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "goodput/ledger/ledger.h"
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
  return std::unexpected(Error{
      fmt::format("the events are of {} jobs{}", jobs.jobs.size(), jobs.more ? " and more" : ""),
      names, "set `job`"});
}

// What the scheduler's files tell, by time, as events of the job.
Result<std::vector<Event>> SchedulerEvents(const GoodputReportOptions& options,
                                           std::vector<Note>& notes) {
  const SchedulerOptions read{
      .slurm = {.job = options.scheduler_job, .utc_offset = options.utc_offset},
      .kubernetes = {.job = options.scheduler_job,
                     .chips_per_pod = options.chips_per_pod,
                     .pods = options.pods}};
  std::vector<Event> events;
  for (const std::string& path : options.scheduler_files) {
    Oddities oddities;
    auto of_file = ReadSchedulerFile(path, read, oddities);
    if (!of_file) return std::unexpected(of_file.error());
    std::ranges::move(*of_file, std::back_inserter(events));
    std::ranges::move(oddities.List(path), std::back_inserter(notes));
  }
  for (Event& event : events) event.job = options.job;
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
}

}  // namespace

Question QuestionOf(const GoodputReportOptions& options) {
  Question question{.at = options.at};
  if (options.window) question.window = {options.window->first, options.window->second};
  if (options.exclusions) {
    for (const auto& [start, end] : *options.exclusions) {
      question.exclusions.push_back({start, end});
    }
  }
  return question;
}

Result<AskedJobs> AskJobs(const GoodputReportOptions& options) {
  if (options.files.empty() && options.store.empty() && options.scheduler_files.empty()) {
    return std::unexpected(
        Error{"nothing to report on", "", "set `files`, `store` or `scheduler_files`"});
  }
  AskedJobs asked;
  auto scheduler = SchedulerEvents(options, asked.scheduler_notes);
  if (!scheduler) return std::unexpected(scheduler.error());
  const ReadJobsOptions read{.ml_goodput = options.mode == GoodputMode::kMlGoodput,
                             .job = options.job,
                             .at = options.at,
                             .scheduler = std::move(*scheduler)};
  auto jobs =
      options.store.empty() ? ReadJobs(options.files, read) : ReadLedger(options.store, read);
  if (!jobs) return std::unexpected(jobs.error());
  asked.jobs = std::move(*jobs);
  const auto job = Choose(asked.jobs, options);
  if (!job) return std::unexpected(job.error());
  asked.job = *job;
  return asked;
}

}  // namespace stepscope::goodput
