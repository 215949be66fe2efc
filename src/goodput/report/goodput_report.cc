// Implements GoodputReport(): reads events, accounts for them, returns a ReportSet.
#include "stepscope/goodput_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/time_units.h"
#include "base/unless_stopped.h"
#include "base/wall_clock.h"
#include "goodput/accounting/productivity.h"
#include "goodput/ledger/ledger.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/program/program_use.h"
#include "goodput/report/chip_hours.h"
#include "goodput/report/report.h"
#include "goodput/report/scheduler_coverage.h"
#include "goodput/report/walk.h"

namespace stepscope {
namespace {

using goodput::Job;

// The last hour, day and week, as far as the job is longer.
std::vector<goodput::RollingWindow> Rolling(goodput::Accounting& accounting,
                                            const goodput::PartitionQuery& query,
                                            const goodput::Partition& whole) {
  std::vector<goodput::RollingWindow> rolling;
  for (const auto& [name, size] : {std::pair("hour", kHour), std::pair("day", 24 * kHour),
                                   std::pair("week", 7 * 24 * kHour)}) {
    if (whole.total() <= size) break;
    goodput::PartitionQuery window = query;
    window.window = Interval{whole.end - size, whole.end};
    rolling.push_back({name, accounting.Query(window)});
  }
  return rolling;
}

// Scheduling, runtime and program goodput, if more than the job's own events was given.
// `refusal`: why there is no product, if the input contradicts itself.
Result<std::vector<Report>> Productivity(Job& job, const GoodputReportOptions& options,
                                         Phrase& refusal) {
  std::vector<Report> reports;
  const bool asked = options.program || options.price_per_chip_hour > 0 || options.chips > 0;
  const goodput::Scheduling& scheduling = job.accounting.scheduling();
  const bool wanted = asked || scheduling.known();
  if (!wanted && !options.chip_hours) return reports;
  const goodput::Partition partition = job.accounting.Query(goodput::QueryOf(options));
  goodput::ProductivityInput input{
      .total = partition.total() - partition.At(goodput::Bucket::kExcluded),
      .chips = options.chips > 0 ? options.chips : static_cast<double>(scheduling.most_requested()),
      .price_per_chip_hour = options.price_per_chip_hour};
  if (!partition.attempts.empty()) input.productive = partition.At(goodput::Bucket::kProductive);
  if (scheduling.known()) {
    input.scheduling = scheduling.Query(partition.end, goodput::QueryOf(options).window);
    input.before_scheduler = goodput::BeforeScheduler(partition, scheduling);
  }
  std::optional<Error> program_problem;
  if (options.program) {
    ProgramOptions program = *options.program;
    const int64_t stepping = goodput::SteppingTime(partition);
    if (program.tokens_per_second == 0 && stepping > 0) {
      program.tokens_per_second = static_cast<double>(job.accounting.tokens()) / Seconds(stepping);
    }
    if (program.chips == 0) program.chips = input.chips;
    auto answer = ProgramGoodput(program);
    if (answer) {
      reports.push_back(std::move(answer->reports.front()));
      input.program =
          std::get<double>(std::ranges::find(reports.front().metrics, "mfu", &Metric::key)->value);
    } else if (options.chip_hours) {
      program_problem = answer.error();
    } else {
      return std::unexpected(answer.error());
    }
  }
  if (const Phrase why = goodput::Contradiction(input); !why.empty()) {
    refusal += Say("No product of goodputs: {why}. ", why);
  }
  if (wanted) reports.insert(reports.begin(), goodput::ProductivityReport(input));
  if (options.chip_hours) {
    const auto missing = goodput::MissingOf(input, options, program_problem);
    reports.insert(reports.begin(), goodput::ChipHoursReport(input, missing));
  }
  return reports;
}

// The report about traces. If they are not of this job, nothing is computed from them.
void Walk(Job& job, GoodputReportOptions& options, Phrase& refusal, std::vector<Report>& reports) {
  if (!options.traced) return;
  const goodput::Partition whole = job.accounting.Query(goodput::UpTo(options.at));
  Report walk = goodput::WalkReport(job.accounting, whole, *options.traced);
  if (walk.status == Status::kUnavailable) {
    refusal += Say("The traces are not of this job: {why}. ", walk.why);
    if (options.traced->of_program) options.program.reset();
  }
  double chips = options.chips;
  if (chips == 0 && options.program) chips = options.program->chips;
  if (chips == 0) chips = static_cast<double>(job.accounting.scheduling().most_requested());
  if (chips > 0) walk.metrics.push_back({"chips", "chips", chips, Unit::kCount, true});
  reports.push_back(std::move(walk));
}

// The attempt in which the last operation was enqueued is the one that hung, if it was disrupted.
void TellHang(const HangCause& hang, goodput::Partition& partition) {
  size_t attempt = partition.attempts.size();
  for (size_t a = 0; a < partition.attempts.size(); ++a)
    if (partition.attempts[a].start <= hang.time) attempt = a;
  for (goodput::Disruption& disruption : partition.disruption_list) {
    if (disruption.attempt != attempt) continue;
    disruption.ended_by = hang.text;
    disruption.reason = hang.reason;
  }
}

Report Partition(Job& job, const GoodputReportOptions& options) {
  goodput::PartitionQuery query = goodput::QueryOf(options);
  if (job.accounting.empty()) return goodput::NoGoodput("no event marks the start of the job");
  query.periods = true;
  goodput::Partition partition = job.accounting.Query(query);
  for (const goodput::WatchedText& watched : job.watched)
    if (const auto hang = HangCauseOfRecord(watched.time, watched.text)) TellHang(*hang, partition);
  if (options.hang) TellHang(*options.hang, partition);
  query.periods = false;
  if (partition.attempts.empty() && job.accounting.scheduling().known()) {
    return goodput::NoGoodput("the events are only from a scheduler, without steps");
  }
  std::vector<goodput::RollingWindow> rolling;
  if (!options.window) rolling = Rolling(job.accounting, query, partition);
  return goodput::PartitionReport(partition, job.accounting.step_clock(), rolling);
}

// What a watch saw while the job ran: once it has ended as planned, there is nothing to see.
void TellWatched(Job& job, const GoodputReportOptions& options) {
  if (!options.on_watched || job.watched.empty()) return;
  int64_t end = INT64_MAX;
  if (!job.accounting.empty()) {
    const goodput::Partition whole = job.accounting.Query(goodput::QueryOf(options));
    const bool ended = !whole.attempts.empty() && whole.attempts.back().ended;
    if (ended) end = whole.attempts.back().end;
  }
  for (const goodput::WatchedText& watched : job.watched) {
    const bool hang = HangCauseOfRecord(watched.time, watched.text).has_value();
    if (watched.time <= end && !hang) options.on_watched(watched.time, watched.text);
  }
}

Result<Report> MlGoodput(const Job& job, const GoodputReportOptions& options) {
  const goodput::MlGoodput& log = job.ml_goodput;
  const double at = goodput::MlSeconds(options.at.value_or(WallClock()));
  goodput::MlSteps steps{.most = options.most_steps};
  if (options.ideal_step_time > 0) steps.ideal = goodput::MlSeconds(options.ideal_step_time);
  if (options.window) {
    if (options.exclusions) {
      return std::unexpected(Error{"the library has no window with exclusions",
                                   "`window`, `exclusions`", "set one of them, or another `mode`"});
    }
    const goodput::SecondsInterval window{goodput::MlSeconds(options.window->first),
                                          goodput::MlSeconds(options.window->second)};
    return goodput::MlGoodputReport(log.Window(window), log, steps);
  }
  if (!options.exclusions) return goodput::MlGoodputReport(log.Whole(at), log, steps);
  std::vector<goodput::SecondsInterval> exclusions;
  for (const auto& [start, end] : *options.exclusions) {
    exclusions.emplace_back(goodput::MlSeconds(start), goodput::MlSeconds(end));
  }
  return goodput::MlGoodputReport(log.Excluding(std::move(exclusions), at), log, steps);
}

// What of the input has no events.
Error AbsentOf(const GoodputReportOptions& options, const goodput::Jobs& jobs,
               const std::vector<Note>& notes) {
  if (!options.job.empty()) {
    return {"cannot find job: it has no events", options.job,
            options.store.empty() ? "give the events of this job, or another `job`"
                                  : goodput::HintOfJobs(options.job, jobs.known, options.store)};
  }
  std::string where = options.store;
  for (const std::string& file : options.files) where += (where.empty() ? "" : ", ") + file;
  const std::string why = goodput::FirstOf(notes);
  return {"there are no events to report on" + (why.empty() ? "" : ": " + why), where,
          "give events of a job: JSON lines of a recorder or of ml-goodput-measurement"};
}

Error BadTime(std::string_view text) {
  return {fmt::format("cannot parse time '{}'", text), "",
          "write seconds since 1970, such as 1780000000.5, or now"};
}

}  // namespace

Result<int64_t> ParseGoodputTime(std::string_view text) {
  if (text == "now") return WallClock();
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr double kLatest = 4.6e9;
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(std::abs(seconds) < kLatest)) return std::unexpected(BadTime(text));
  const double floor = std::floor(seconds);
  return static_cast<int64_t>(floor) * kSecond + std::llround((seconds - floor) * kSecond);
}

Result<std::pair<int64_t, int64_t>> ParseGoodputInterval(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == text.npos) {
    return std::unexpected(Error{fmt::format("cannot parse interval '{}'", text), "",
                                 "write A..B, both in seconds since 1970"});
  }
  const auto start = ParseGoodputTime(text.substr(0, dots));
  if (!start) return std::unexpected(start.error());
  const auto end = ParseGoodputTime(text.substr(dots + 2));
  if (!end) return std::unexpected(end.error());
  if (*end <= *start) {
    return std::unexpected(Error{fmt::format("interval '{}' ends before it begins", text), "",
                                 "write the earlier time first"});
  }
  return std::pair(*start, *end);
}

namespace {

Result<ReportSet> ReportOn(const GoodputReportOptions& options) {
  const bool ml_goodput = options.mode == GoodputMode::kMlGoodput;
  auto loaded = goodput::LoadJobs(options);
  if (!loaded) return std::unexpected(loaded.error());
  Job* job = loaded->job;
  Phrase refusal = loaded->scheduler_refusal;
  if (!refusal.empty()) refusal += " ";
  ReportSet answer;
  answer.run = {.name = job == nullptr ? options.job : job->name,
                .files = std::move(loaded->jobs.files),
                .ranks = 1,
                .steps = "all",
                .notes = std::move(loaded->jobs.notes)};
  if (job == nullptr) {
    answer.reports.push_back(goodput::NoGoodput(options.job.empty() ? "the input has no events"
                                                                    : "the job has no events"));
    answer.reports.back().absent = AbsentOf(options, loaded->jobs, answer.run.notes);
  } else if (ml_goodput) {
    auto report = MlGoodput(*job, options);
    if (!report) return std::unexpected(report.error());
    answer.reports.push_back(std::move(*report));
  } else {
    TellWatched(*job, options);
    Report report = Partition(*job, options);
    std::ranges::move(goodput::NoteCountsOf(*job).List(), std::back_inserter(report.notes));
    answer.reports.push_back(std::move(report));
    GoodputReportOptions checked = options;
    Walk(*job, checked, refusal, answer.reports);
    auto more = Productivity(*job, checked, refusal);
    if (!more) return std::unexpected(more.error());
    std::ranges::move(*more, std::back_inserter(answer.reports));
    std::ranges::move(loaded->scheduler_notes, std::back_inserter(answer.run.notes));
  }
  const auto answers = [](const Report& r) { return r.status != Status::kUnavailable; };
  const auto best = std::ranges::find_if(answer.reports, answers);
  const bool any = best != answer.reports.end();
  const Phrase& lead = loaded->jobs.lead;
  if (any) best->headline = lead + best->headline;
  answer.verdict =
      any ? best->headline : lead + Say("No goodput: {why}.", answer.reports.front().why);
  if (any && !best->findings.empty()) {
    answer.verdict += " ";
    answer.verdict += best->findings.front().message;
  }
  answer.verdict = refusal + answer.verdict;
  return answer;
}

}  // namespace

Result<std::vector<SignOfLife>> GoodputSigns(const GoodputReportOptions& options) {
  return UnlessStopped(options.stop, "the report was canceled",
                       [&]() -> Result<std::vector<SignOfLife>> {
                         const auto loaded = goodput::LoadJobs(options);
                         if (!loaded) return std::unexpected(loaded.error());
                         if (loaded->job == nullptr) return std::vector<SignOfLife>();
                         return loaded->job->accounting.LastSigns();
                       });
}

Result<ReportSet> GoodputReport(const GoodputReportOptions& options) {
  return UnlessStopped(options.stop, "the report was canceled", [&] { return ReportOn(options); });
}

}  // namespace stepscope
