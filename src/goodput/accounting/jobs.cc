// Assigns events to their jobs.
#include "goodput/accounting/jobs.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <unordered_map>

#include "goodput/events/json_lines.h"
#include "goodput/events/writer_order.h"

namespace stepscope::goodput {
namespace {

class Sorter {
 public:
  Sorter(Jobs& jobs, const ReadJobsOptions& options) : jobs_(jobs), options_(options) {}

  void Take(const Event& event, Notes& of_file) {
    Job* job = JobOf(event.job);
    if (job == nullptr) return of_file.Add(NoteKind::kOtherJob);
    TakeEvent(event, options_, *job);
  }

 private:
  // Null: not requested.
  Job* JobOf(const std::string& name) {
    if (last_ != nullptr && (name.empty() || name == last_->name)) return last_;
    if (!name.empty() && !options_.job.empty() && name != options_.job) return nullptr;
    Job* job = Named(name);
    if (job != nullptr) last_ = job;
    return job;
  }

  Job* Named(const std::string& name) {
    // Events before any job name belong to the first named job.
    if (jobs_.jobs.size() == 1 && jobs_.jobs.front().name.empty() && !name.empty()) {
      jobs_.jobs.front().name = name;
      by_name_[name] = &jobs_.jobs.front();
    }
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
    if (jobs_.jobs.size() == kMostJobs) {
      jobs_.more = true;
      return nullptr;
    }
    Job& job = jobs_.jobs.emplace_back();
    job.name = name;
    return by_name_[name] = &job;
  }

  Jobs& jobs_;
  const ReadJobsOptions& options_;
  std::unordered_map<std::string, Job*> by_name_;
  Job* last_ = nullptr;
};

}  // namespace

void TakeLabel(const Event& event, Labels& labels) {
  if (event.kind != EventKind::kLabel) return;
  const size_t equals = event.text.find('=');
  if (equals == 0 || equals == event.text.npos) return;
  labels[event.text.substr(0, equals)] = event.text.substr(equals + 1);
}

bool AccountFor(const Event& recorded, std::optional<int64_t> at, Job& job) {
  ++job.events;
  const Event& event = job.servers_clock.Move(recorded, job.note_counts);
  const auto leave_out = [&](NoteKind why) {
    job.note_counts.Add(why);
    return false;
  };
  if (at && TimeOf(event) > *at) return leave_out(NoteKind::kAfterQuery);
  if (job.duplicates.Seen(event)) return leave_out(NoteKind::kDuplicate);
  TakeLabel(event, job.labels);
  job.accounting.Add(event);
  if (event.kind != EventKind::kWatched) return true;
  job.watched.push_back({event.time, event.text});
  if (job.watched.size() > kMostWatched) job.watched.pop_front();
  return false;
}

void TakeEvent(const Event& event, const ReadJobsOptions& options, Job& job) {
  if (!options.ml_goodput) {
    AccountFor(event, options.at, job);
    return;
  }
  ++job.events;
  job.ml_goodput.Add(event);
}

void TakeScheduled(const std::vector<Event>& events, std::optional<int64_t> at, Job& job) {
  for (const Event& event : events) {
    ++job.events;
    if (at && event.time > *at) {
      job.note_counts.Add(NoteKind::kAfterQuery);
    } else if (job.duplicates.Seen(event)) {
      job.note_counts.Add(NoteKind::kDuplicate);
    } else {
      job.accounting.AddLate(event);
    }
  }
}

Notes NoteCountsOf(const Job& job) {
  Notes note_counts = job.accounting.note_counts();
  note_counts.Add(job.note_counts);
  return note_counts;
}

void NoteMissing(Job& job) {
  const int64_t missing = job.duplicates.Missing();
  if (missing > 0) job.note_counts.Add(NoteKind::kMissingEvents, missing);
}

namespace {

using TakeOne = std::function<void(const Event&, Notes&)>;

Result<void> ReadFiles(const std::vector<std::string>& files, int64_t max_input, Jobs& jobs,
                       const TakeOne& take) {
  for (const std::string& path : files) {
    auto file = ReadEventsFile(path, jobs.notes, take, LimitOf(max_input));
    if (!file) return std::unexpected(file.error());
    jobs.files.push_back(std::move(*file));
  }
  return {};
}

// Holds all events in memory.
Result<Jobs> ReadInOrder(const std::vector<std::string>& files, const ReadJobsOptions& options) {
  Jobs jobs;
  std::vector<Event> events;
  const auto read = ReadFiles(files, options.max_input, jobs,
                              [&](const Event& e, Notes&) { events.push_back(e); });
  if (!read) return std::unexpected(read.error());
  Notes note_counts;
  note_counts.Add(NoteKind::kOutOfOrder, PutInOrder(events));
  Sorter sorter(jobs, options);
  for (const Event& event : events) sorter.Take(event, note_counts);
  std::ranges::move(note_counts.List(""), std::back_inserter(jobs.notes));
  return jobs;
}

Result<Jobs> ReadAsTheyCome(const std::vector<std::string>& files, const ReadJobsOptions& options) {
  Jobs jobs;
  Sorter sorter(jobs, options);
  const auto read =
      ReadFiles(files, options.max_input, jobs,
                [&](const Event& event, Notes& note_counts) { sorter.Take(event, note_counts); });
  if (!read) return std::unexpected(read.error());
  return jobs;
}

// Pipes can be read only once.
bool CanReadAgain(const std::vector<std::string>& files) {
  std::error_code failed;
  return std::ranges::all_of(files, [&](const std::string& path) {
    return std::filesystem::is_regular_file(path, failed);
  });
}

}  // namespace

Result<Jobs> ReadJobs(const std::vector<std::string>& files, const ReadJobsOptions& options) {
  auto jobs = ReadAsTheyCome(files, options);
  const auto is_late = [](const Job& job) { return job.duplicates.late() > 0; };
  if (jobs && std::ranges::any_of(jobs->jobs, is_late) && CanReadAgain(files)) {
    jobs = ReadInOrder(files, options);
  }
  if (!jobs) return jobs;
  for (Job& job : jobs->jobs) NoteMissing(job);
  return jobs;
}

}  // namespace stepscope::goodput
