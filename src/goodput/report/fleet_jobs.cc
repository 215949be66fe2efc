// Implements GoodputFleet(): accounts for each job of a ledger, week by week if asked.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "goodput/ledger/ledger.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/report/fleet.h"
#include "stepscope/goodput_fleet.h"

namespace stepscope {
namespace goodput {
namespace {

void AddParts(Job& job, const GoodputFleetOptions& options, std::vector<JobPart>& parts) {
  const Partition whole = job.accounting.Query(UpTo(options.at));
  if (whole.attempts.empty()) return;
  JobPart part{.job = job.name,
               .group = LabelOf(job.name, job.labels, options.by),
               .chips = ChipsOf(job, options.chips_per_job).value_or(0)};
  int64_t from = whole.start, until = whole.end;
  if (options.window) {
    from = std::max(from, options.window->first);
    until = std::min(until, options.window->second);
  }
  while (from < until) {
    const int64_t to = options.weekly ? std::min(until, NextWeek(from)) : until;
    PartitionQuery query = UpTo(options.at);
    query.window = Interval{from, to};
    const Partition p = job.accounting.Query(query);
    part.week = options.weekly ? WeekOf(from) : "";
    part.time = p.total() - p.At(Bucket::kExcluded);
    part.times = p.times;
    if (part.time > 0) parts.push_back(part);
    from = to;
  }
}

Result<ReportSet> FleetOnce(const GoodputFleetOptions& options) {
  auto ledger = Ledger::Open(options.store, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  std::vector<JobPart> parts;
  FoundLost found;
  for (const std::string& name : ledger->JobNames()) {
    Job job;
    if (auto read = ledger->Account(name, {}, job); !read) return std::unexpected(read.error());
    found += ledger->FoundIn(name, job.note_counts);
    if (!job.accounting.empty()) AddParts(job, options, parts);
  }
  ReportSet answer;
  answer.run = {.name = ledger->name(), .ranks = 1, .steps = "all", .notes = ledger->InputNotes()};
  answer.reports.push_back(FleetReport(parts, options));
  Report& report = answer.reports.front();
  const Phrase lead = ledger->Lead(found);
  answer.verdict = lead + (report.status == Status::kOk ? report.headline
                                                        : Say("No goodput: {why}.", report.why));
  if (report.status == Status::kOk) report.headline = answer.verdict;
  return answer;
}

}  // namespace

std::optional<std::string> LabelOf(const std::string& job, const Labels& labels,
                                   const std::string& by) {
  const auto label = labels.find(by);
  if (label != labels.end() && !label->second.empty()) return label->second;
  const size_t slash = job.find('/');
  if (by != "team" || slash == job.npos || slash == 0) return std::nullopt;
  return job.substr(0, slash);
}

std::optional<double> ChipsOf(const Job& job, double otherwise) {
  const auto requested = static_cast<double>(job.accounting.scheduling().most_requested());
  if (requested > 0) return requested;
  return otherwise > 0 ? std::optional(otherwise) : std::nullopt;
}

}  // namespace goodput

Result<ReportSet> GoodputFleet(const GoodputFleetOptions& options) {
  return goodput::RetryIfLost([&] { return goodput::FleetOnce(options); });
}

}  // namespace stepscope
