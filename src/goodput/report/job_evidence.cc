// Weighs what tells that a run is of a job, and what tells that it is not.
#include "goodput/report/job_evidence.h"

#include <algorithm>
#include <vector>

#include "base/saturate.h"
#include "base/time_units.h"
#include "goodput/accounting/writer.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/report/walk.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kHostClocks = kMinute;  // that hosts of one job differ by at most

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "slurm-4711", "job_4711" and "4711": 4711.
std::string_view IdIn(std::string_view name) {
  for (const std::string_view before : {"slurm-", "slurm_", "job-", "job_"}) {
    if (name.starts_with(before)) name.remove_prefix(before.size());
  }
  return AllDigits(name) ? name : "";
}

// "slurm.4711.1", of an attempt's name: 4711.
std::string SchedulerIdOf(std::string_view attempt) {
  const Restarts restarts = Restarts::Of(AttemptName::Of(attempt).scheduler);
  const size_t dot = restarts.name.find('.');
  return dot == restarts.name.npos ? "" : std::string(restarts.name.substr(dot + 1));
}

std::set<std::string> HostsOf(const Job& job) {
  std::set<std::string> hosts;
  for (const std::string& writer : job.accounting.Writers()) {
    if (std::string host = WriterName::Of(writer).host; !host.empty()) hosts.insert(host);
  }
  return hosts;
}

// "node-7_123.456.pt.trace.json", as torch.profiler names its files: "node-7"; else empty.
std::string_view HostOfTorchFile(std::string_view file) {
  const size_t end = file.find(".pt.trace.json");
  if (end == file.npos) return "";
  const std::string_view begin = file.substr(0, end);
  const size_t dot = begin.rfind('.'), line = begin.rfind('_');
  if (dot == begin.npos || line == begin.npos || line == 0 || line > dot) return "";
  const bool numbers =
      AllDigits(begin.substr(dot + 1)) && AllDigits(begin.substr(line + 1, dot - line - 1));
  return numbers ? begin.substr(0, line) : "";
}

bool BeginsWithHost(std::string_view file, std::string_view host) {
  if (!file.starts_with(host) || file.size() == host.size()) return false;
  const char next = file[host.size()];
  return next == '_' || next == '.';
}

// A host of the job that a file names; empty: none does.
std::string CommonHost(const RunOfJob& run, const std::set<std::string>& hosts) {
  for (const std::string& host : hosts) {
    const auto names = [&](const std::string& file) { return BeginsWithHost(file, host); };
    if (std::ranges::any_of(run.files, names)) return host;
  }
  return "";
}

struct RecordedSpan {
  int64_t start = 0, end = 0;
};

RecordedSpan SpanOf(const std::vector<TracedStep>& steps) {
  return {std::ranges::min(steps, {}, &TracedStep::start).start,
          std::ranges::max(steps, {}, &TracedStep::end).end};
}

// The attempt that shares most of this time, of those that share none the nearest one.
void FindAttempt(const Partition& whole, const RecordedSpan& span, JobEvidence& evidence) {
  std::optional<int64_t> most;
  for (size_t a = 0; a < whole.attempts.size(); ++a) {
    const AttemptAccount& at = whole.attempts[a];
    const int64_t shared =
        SubtractSaturated(std::min(at.end, span.end), std::max(at.start, span.start));
    if (shared < -kHostClocks || (most && shared <= *most)) continue;
    most = shared;
    evidence.attempt = static_cast<int64_t>(a);
    evidence.within = shared >= 0;
  }
}

int64_t TypicalStep(const std::vector<TracedStep>& steps) {
  std::vector<int64_t> times;
  times.reserve(steps.size());
  for (const TracedStep& step : steps) times.push_back(SubtractSaturated(step.end, step.start));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

// What contradicts a job that nothing but time speaks for.
Phrase AgainstByTimeAlone(const RunOfJob& run, const Job& job, const Partition& whole,
                          const std::set<std::string>& hosts, std::string& other_host) {
  const Report walk =
      WalkReport(job.accounting, whole, {.step_time = TypicalStep(run.steps), .steps = run.steps});
  if (walk.status == Status::kUnavailable) return walk.why;
  for (const std::string& file : run.files) {
    const std::string_view host = HostOfTorchFile(file);
    if (!host.empty() && !hosts.empty() && !hosts.contains(std::string(host))) {
      other_host = host;
      return Say("the traces were recorded on {host}, where the job did not run", host);
    }
  }
  return "";
}

void FindId(const RunOfJob& run, const Partition& whole, JobEvidence& evidence) {
  for (const AttemptAccount& attempt : whole.attempts) {
    const std::string id = SchedulerIdOf(attempt.id);
    const auto has_it = [&](const std::string& name) { return IdIn(name) == id; };
    if (id.empty() || std::ranges::none_of(run.names, has_it)) continue;
    evidence.name = NameEvidence::kSchedulerId;
    evidence.id = id;
    return;
  }
}

}  // namespace

NameEvidence NameOf(const RunOfJob& run, std::string_view job) {
  const auto has = [&](std::string_view name) {
    return !name.empty() && std::ranges::find(run.names, name) != run.names.end();
  };
  if (has(job)) return NameEvidence::kWhole;
  const size_t slash = job.rfind('/');
  return slash != job.npos && has(job.substr(slash + 1)) ? NameEvidence::kLastPart
                                                         : NameEvidence::kNone;
}

bool MayBeId(const RunOfJob& run) {
  return std::ranges::any_of(run.names, [](const auto& name) { return !IdIn(name).empty(); });
}

JobEvidence EvidenceOf(const RunOfJob& run, Job& job) {
  JobEvidence evidence{.name = NameOf(run, job.name)};
  const Partition whole = job.accounting.Query(UpTo(std::nullopt));
  if (evidence.name == NameEvidence::kNone) FindId(run, whole, evidence);
  const std::set<std::string> hosts = HostsOf(job);
  evidence.host = CommonHost(run, hosts);
  if (run.steps.empty()) {
    if (evidence.name == NameEvidence::kNone) evidence.against = "it has another name";
    return evidence;
  }
  FindAttempt(whole, SpanOf(run.steps), evidence);
  if (!evidence.attempt) {
    evidence.against = "it did not run when the traces were recorded";
  } else if (evidence.name == NameEvidence::kNone && evidence.host.empty()) {
    evidence.against = AgainstByTimeAlone(run, job, whole, hosts, evidence.host);
  }
  return evidence;
}

}  // namespace stepscope::goodput
