// Implements MatchGoodputJob(): weighs the jobs that may be meant, and takes the only best one.
#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/time_units.h"
#include "goodput/ledger/ledger.h"
#include "goodput/report/job_evidence.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_match.h"

namespace stepscope {
namespace goodput {
namespace {

struct CandidateJob {
  size_t store = 0;
  std::string job;
  JobEvidence evidence;

  // Larger is stronger.
  auto strength() const {
    return std::tuple(evidence.name, !evidence.host.empty(), evidence.within);
  }
};

// Whether the job's events may be of the run's time, as the list of jobs has it.
bool MayShareTime(const RunOfJob& run, const std::vector<Cell>& row, const Table& jobs) {
  if (run.steps.empty()) return true;
  const auto* first = std::get_if<int64_t>(&row[ColumnAt(jobs, "first")]);
  const auto* last = std::get_if<int64_t>(&row[ColumnAt(jobs, "last")]);
  if (first == nullptr || last == nullptr) return false;
  const auto meets = [&](const TracedStep& step) {
    return step.start <= AddSaturated(*last, kMinute) &&
           step.end >= SubtractSaturated(*first, kMinute);
  };
  return std::ranges::any_of(run.steps, meets);
}

// The jobs of a ledger that nothing but a closer look can exclude.
Result<std::vector<std::string>> JobsToLookAt(const RunOfJob& run, const std::string& store) {
  const auto listed = GoodputJobs(store);
  if (!listed) return std::unexpected(listed.error());
  std::vector<std::string> names;
  const bool any_name = !run.steps.empty() || MayBeId(run);
  for (const Table& table : listed->reports.front().tables) {
    if (table.key != "jobs") continue;
    const ColumnOf job(table, "job");
    for (const std::vector<Cell>& row : table.rows) {
      const std::string& name = job.Text(row);
      const bool named = NameOf(run, name) != NameEvidence::kNone;
      if ((named || any_name) && MayShareTime(run, row, table)) names.push_back(name);
    }
  }
  return names;
}

Result<void> LookAt(const RunOfJob& run, size_t place, const std::string& store,
                    std::vector<CandidateJob>& found) {
  const auto names = JobsToLookAt(run, store);
  if (!names) return std::unexpected(names.error());
  if (names->empty()) return {};
  const auto ledger = Ledger::Open(store, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  for (const std::string& name : *names) {
    Job job;
    if (auto read = ledger->Account(name, {}, job); !read) return std::unexpected(read.error());
    job.name = name;
    found.push_back({place, name, EvidenceOf(run, job)});
  }
  return ledger->ReadStatus();
}

Phrase WhyThisJob(const RunOfJob& run, const CandidateJob& c) {
  const JobEvidence& e = c.evidence;
  const int64_t attempt = e.attempt.value_or(0) + 1;
  if (e.name == NameEvidence::kSchedulerId && run.steps.empty()) {
    return Say(
        "Same id at the scheduler: {id} is job {job}; the traces do not say when they were "
        "recorded.",
        e.id, c.job);
  }
  if (e.name == NameEvidence::kSchedulerId) {
    return Say(
        "Same id at the scheduler and same time: {id} is job {job}, and its attempt {attempt} "
        "ran when the traces were recorded.",
        e.id, c.job, attempt);
  }
  if (e.name != NameEvidence::kNone && run.steps.empty()) {
    return Say("Same name: job {job}; the traces do not say when they were recorded.", c.job);
  }
  if (e.name != NameEvidence::kNone) {
    return Say(
        "Same name and time: attempt {attempt} of job {job} ran when the traces were "
        "recorded.",
        attempt, c.job);
  }
  if (!e.host.empty()) {
    return Say("Same time and host: attempt {attempt} of job {job} ran on {host} then.", attempt,
               c.job, e.host);
  }
  return Say(
      "Same time: attempt {attempt} of job {job} ran then, and no other job of the ledgers did.",
      attempt, c.job);
}

// Those that ran then are the first of `excluded`.
Phrase WhyNone(const RunOfJob& run, const std::vector<CandidateJob>& excluded) {
  const auto ran =
      std::ranges::count_if(excluded, [](const auto& c) { return c.evidence.attempt.has_value(); });
  if (ran > 1) {
    return Say("{count} ran when the traces were recorded, but none fits: of {job}, {why}",
               Plural(static_cast<size_t>(ran), "job"), excluded.front().job,
               excluded.front().evidence.against);
  }
  if (ran == 1) {
    return Say("job {job} ran when the traces were recorded, but {why}", excluded.front().job,
               excluded.front().evidence.against);
  }
  if (run.steps.empty()) {
    return "no job has the name of the run, and the traces do not say when they were recorded";
  }
  return "no job ran when the traces were recorded";
}

Phrase WhyUnclear(const std::vector<CandidateJob>& best) {
  constexpr size_t kMostNames = 5;
  Phrase names;
  for (size_t c = 0; c < std::min(best.size(), kMostNames); ++c) {
    if (c > 0) names += ", ";
    names += Phrase(best[c].job);
  }
  return Say("{count} may be meant, and neither names nor hosts tell which: {names}",
             Plural(best.size(), "job"), names);
}

GoodputMatch Chosen(const RunOfJob& run, std::vector<CandidateJob> all) {
  GoodputMatch match{.job = {}, .report = {.analysis = "goodput_match", .title = "Job of the run"}};
  const auto against =
      std::ranges::stable_partition(all, [](const auto& c) { return c.evidence.against.empty(); });
  std::vector<CandidateJob> excluded(against.begin(), against.end());
  std::ranges::stable_partition(excluded,
                                [](const auto& c) { return c.evidence.attempt.has_value(); });
  all.erase(against.begin(), all.end());
  const auto add_host = [&](const CandidateJob& c) {
    if (c.evidence.host.empty()) return;
    match.report.metrics.push_back({"host", "host", c.evidence.host, Unit::kNone});
  };
  const auto none = [&](Phrase why) {
    match.report.status = Status::kUnavailable;
    match.report.why = std::move(why);
    return match;
  };
  if (all.empty() && !excluded.empty()) add_host(excluded.front());
  if (all.empty()) return none(WhyNone(run, excluded));
  const auto strongest = std::ranges::max(all, {}, &CandidateJob::strength).strength();
  std::erase_if(all, [&](const CandidateJob& c) { return c.strength() != strongest; });
  const CandidateJob& best = all.front();
  // One job in two ledgers is one job.
  const auto other = [&](const CandidateJob& c) { return c.job != best.job; };
  if (std::ranges::any_of(all, other)) return none(WhyUnclear(all));
  // Times of steps exclude a job of that time, but prove nothing for the one that is left.
  const bool time_alone = best.evidence.name == NameEvidence::kNone && best.evidence.host.empty();
  const auto ran_then = [](const CandidateJob& c) { return c.evidence.attempt.has_value(); };
  if (time_alone && std::ranges::any_of(excluded, ran_then)) {
    std::ranges::copy_if(excluded, std::back_inserter(all), ran_then);
    return none(WhyUnclear(all));
  }
  match.store = best.store;
  match.job = best.job;
  match.report.headline = WhyThisJob(run, best);
  match.report.metrics.push_back({"job", "job", best.job, Unit::kNone});
  const auto& attempt = best.evidence.attempt;
  match.report.metrics.push_back(
      {"attempt", "attempt", attempt ? Cell(*attempt + 1) : Cell(), Unit::kNone});
  add_host(best);
  return match;
}

}  // namespace
}  // namespace goodput

Result<GoodputMatch> MatchGoodputJob(const RunOfJob& run, std::span<const std::string> stores) {
  std::vector<goodput::CandidateJob> found;
  for (size_t s = 0; s < stores.size(); ++s) {
    const auto looked = goodput::RetryIfLost([&]() -> Result<void> {
      std::erase_if(found, [&](const auto& c) { return c.store == s; });
      return goodput::LookAt(run, s, stores[s], found);
    });
    if (!looked) return std::unexpected(looked.error());
  }
  return goodput::Chosen(run, std::move(found));
}

}  // namespace stepscope
