// The front door of goodput: files in, a ReportSet out.
#include "stepscope/goodput_report.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "goodput/jobs.h"
#include "goodput/ledger.h"
#include "goodput/report.h"

namespace stepscope {
namespace {

using goodput::Job;
using goodput::Jobs;

int64_t Now() {
  return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Result<Job*> Choose(Jobs& jobs, const GoodputReportOptions& options) {
  if (jobs.jobs.size() <= 1) return jobs.jobs.empty() ? nullptr : &jobs.jobs.front();
  for (Job& job : jobs.jobs) {
    if (!options.job.empty() && job.name == options.job) return &job;
  }
  std::string names;
  for (const Job& job : jobs.jobs) names += (names.empty() ? "'" : ", '") + job.name + "'";
  return std::unexpected(Error{
      fmt::format("the events are of {} jobs{}", jobs.jobs.size(), jobs.more ? " and more" : ""),
      names, "choose one with --job NAME"});
}

// The last hour, day and week of a job that is longer.
std::vector<goodput::RollingWindow> Rolling(goodput::Accounting& accounting,
                                            const goodput::Question& question,
                                            const goodput::Partition& whole) {
  constexpr int64_t kHour = 3'600'000'000'000;
  std::vector<goodput::RollingWindow> rolling;
  for (const auto& [name, size] : {std::pair("hour", kHour), std::pair("day", 24 * kHour),
                                   std::pair("week", 7 * 24 * kHour)}) {
    if (whole.total() <= size) break;
    goodput::Question window = question;
    window.window = goodput::Interval{whole.end - size, whole.end};
    rolling.push_back({name, accounting.Ask(window)});
  }
  return rolling;
}

Report Partition(Job& job, const GoodputReportOptions& options) {
  goodput::Question question{.at = options.at};
  if (options.window) question.window = {options.window->first, options.window->second};
  if (options.exclusions) {
    for (const auto& [start, end] : *options.exclusions) {
      question.exclusions.push_back({start, end});
    }
  }
  if (job.accounting.empty()) return goodput::NoGoodput("no event says that the job began");
  const goodput::Partition partition = job.accounting.Ask(question);
  std::vector<goodput::RollingWindow> rolling;
  if (!options.window) rolling = Rolling(job.accounting, question, partition);
  return goodput::PartitionReport(partition, job.accounting.step_clock(), rolling);
}

Result<Report> MlGoodput(const Job& job, const GoodputReportOptions& options) {
  const goodput::MlGoodput& log = job.ml_goodput;
  const double at = goodput::MlSeconds(options.at.value_or(Now()));
  if (options.window) {
    if (options.exclusions) {
      return std::unexpected(Error{"the library has no window with exclusions",
                                   "--window, --exclude",
                                   "ask for one of them, or without --mode"});
    }
    const goodput::SecondsInterval window{goodput::MlSeconds(options.window->first),
                                          goodput::MlSeconds(options.window->second)};
    return goodput::MlGoodputReport(log.Window(window), log);
  }
  if (!options.exclusions) return goodput::MlGoodputReport(log.Whole(at), log);
  std::vector<goodput::SecondsInterval> exclusions;
  for (const auto& [start, end] : *options.exclusions) {
    exclusions.emplace_back(goodput::MlSeconds(start), goodput::MlSeconds(end));
  }
  return goodput::MlGoodputReport(log.Excluding(std::move(exclusions), at), log);
}

Error BadTime(std::string_view text) {
  return {fmt::format("cannot read the time '{}'", text), "",
          "write seconds since the epoch, such as 1780000000.5, or now"};
}

}  // namespace

Result<int64_t> ParseGoodputTime(std::string_view text) {
  if (text == "now") return Now();
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr double kLatest = 4.6e9;
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(std::abs(seconds) < kLatest)) return std::unexpected(BadTime(text));
  const double floor = std::floor(seconds);
  return static_cast<int64_t>(floor) * 1'000'000'000 + std::llround((seconds - floor) * 1e9);
}

Result<std::pair<int64_t, int64_t>> ParseGoodputInterval(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == text.npos) {
    return std::unexpected(Error{fmt::format("cannot read the interval '{}'", text), "",
                                 "write A..B, both in seconds since the epoch"});
  }
  const auto start = ParseGoodputTime(text.substr(0, dots));
  if (!start) return std::unexpected(start.error());
  const auto end = ParseGoodputTime(text.substr(dots + 2));
  if (!end) return std::unexpected(end.error());
  if (*end <= *start) {
    return std::unexpected(Error{fmt::format("the interval '{}' ends before it begins", text), "",
                                 "write the earlier time first"});
  }
  return std::pair(*start, *end);
}

Result<ReportSet> GoodputReport(const GoodputReportOptions& options) {
  const bool ml_goodput = options.mode == GoodputMode::kMlGoodput;
  const goodput::ReadJobsOptions read{
      .ml_goodput = ml_goodput, .job = options.job, .at = options.at};
  auto jobs = options.store.empty() ? goodput::ReadJobs(options.files, read)
                                    : goodput::ReadLedger(options.store, read);
  if (!jobs) return std::unexpected(jobs.error());
  const auto job = Choose(*jobs, options);
  if (!job) return std::unexpected(job.error());
  ReportSet answer;
  answer.run = {.name = *job == nullptr ? options.job : (*job)->name,
                .files = std::move(jobs->files),
                .ranks = 1,
                .steps = "all",
                .notes = std::move(jobs->notes)};
  if (*job == nullptr) {
    answer.reports.push_back(goodput::NoGoodput(
        options.job.empty() ? "there are no events" : "there are no events of this job"));
  } else if (ml_goodput) {
    auto report = MlGoodput(**job, options);
    if (!report) return std::unexpected(report.error());
    answer.reports.push_back(std::move(*report));
  } else {
    Report report = Partition(**job, options);
    goodput::Oddities oddities = (*job)->accounting.oddities();
    oddities.Add((*job)->oddities);
    report.notes = oddities.Notes();
    answer.reports.push_back(std::move(report));
  }
  const Report& report = answer.reports.front();
  answer.verdict = report.status == Status::kUnavailable
                       ? "Nothing can be said: " + report.why + "."
                       : report.headline;
  if (!report.findings.empty()) answer.verdict += " " + report.findings.front().says + ".";
  return answer;
}

}  // namespace stepscope
