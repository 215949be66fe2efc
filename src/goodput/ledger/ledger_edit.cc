// Renames and deletes jobs of a ledger.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "goodput/ledger/gone_jobs.h"
#include "goodput/ledger/ledger.h"
#include "goodput/recorder/segment_name.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

// Whether a recorder may still store into the segment: it has no closing record, is not cut to its
// content, and changed a moment ago.
bool IsWritten(const Ledger& ledger, const LogFile& file) {
  if (file.changed + kMinute < WallClock()) return false;
  const auto reader = ledger.OpenSegment(file.name);
  if (!reader) return true;
  if (reader->mark() && reader->mark()->closed) return false;
  return static_cast<uint64_t>(file.bytes) >= kSlotsBegin + reader->header().slots * kSlotBytes;
}

bool Has(const Ledger& ledger, const std::string& job) {
  const std::vector<std::string> names = ledger.JobNames();
  return std::ranges::find(names, job) != names.end();
}

Result<Ledger> OpenFor(const std::string& store, const std::string& job) {
  // Does not create a ledger.
  auto there = Ledger::Open(store, Access::kRead);
  if (!there) return std::unexpected(there.error());
  auto ledger = Ledger::Open(store, Access::kWrite);
  if (!ledger) return ledger;
  if (!Has(*ledger, job)) {
    return std::unexpected(Error{"cannot find job: it has no events", job,
                                 HintOfJobs(job, ledger->JobNames(), ledger->name())});
  }
  for (const Log& log : ledger->LogsOf(job)) {
    for (const LogFile& file : log) {
      if (!IsWritten(*ledger, file)) continue;
      return std::unexpected(Error{"cannot change the job: a recorder may be writing its events",
                                   file.name, "try again a minute after the job has ended"});
    }
  }
  return ledger;
}

std::vector<std::string> SegmentsOf(const Ledger& ledger, const std::string& job) {
  std::vector<std::string> names;
  for (const Log& log : ledger.LogsOf(job)) {
    for (const LogFile& file : log) names.push_back(file.name);
  }
  return names;
}

ReportSet Answer(const Ledger& ledger, Phrase title, Phrase headline, std::vector<Metric> metrics) {
  Report report{.analysis = "goodput_edit", .title = std::move(title)};
  report.headline = std::move(headline);
  report.metrics = std::move(metrics);
  ReportSet answer;
  answer.run = {.name = ledger.name(), .ranks = 1, .steps = "all"};
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

Result<void> MoveRows(const Database& db, const std::string& job, const std::string& to) {
  // Derived again when they are asked for.
  for (const char* sql :
       {"DELETE FROM jobs WHERE job = $1", "DELETE FROM attempts WHERE job = $1"}) {
    for (const std::string& name : {job, to}) {
      if (auto gone = db.Run(sql, {std::string_view(name)}); !gone) return gone;
    }
  }
  for (const char* sql :
       {"UPDATE rollups SET job = $1 WHERE job = $2", "UPDATE done SET job = $1 WHERE job = $2",
        "UPDATE labels SET job = $1 WHERE job = $2"}) {
    if (auto moved = db.Run(sql, {std::string_view(to), std::string_view(job)}); !moved)
      return moved;
  }
  return AddGoneJob(db, job, WallClock());
}

// What repairs gave up of a job stays lost under its new name: entries without further losses say
// so. They take back what manifests said of their files, so rollups of these are said again.
std::vector<ManifestEntry> LossesAs(const Ledger& ledger, const std::string& job,
                                    const std::string& to) {
  std::vector<ManifestEntry> entries;
  for (const ManifestEntry& lost : ledger.GivenUp(job)) {
    entries.push_back({.kind = EntryKind::kLost, .name = lost.name, .events = 0, .job = to});
    if (!ledger.IsRolledUp(lost.name)) continue;
    entries.push_back({.kind = EntryKind::kRolledUp, .name = lost.name, .job = to});
  }
  return entries;
}

Result<ReportSet> RenameOnce(const std::string& store, const std::string& job,
                             const std::string& to, bool join) {
  auto ledger = OpenFor(store, job);
  if (!ledger) return std::unexpected(ledger.error());
  const bool exists = Has(*ledger, to);
  if (to.empty() || to.size() > kMaxName || to == job) {
    return std::unexpected(
        Error{"cannot rename the job: the new name is empty, too long or the same", to,
              "give a name of at most 1000 bytes"});
  }
  if (exists && (!join || ledger->HasRollup(job) || ledger->HasRollup(to))) {
    return std::unexpected(Error{"cannot rename the job: there is a job of that name", to,
                                 "choose another name; `join` adds it to a job without a rollup"});
  }
  const auto segments = SegmentsOf(*ledger, job);
  for (const std::string& segment : segments) {
    auto reader = ledger->OpenSegment(segment);
    if (!reader) return std::unexpected(reader.error());
    SegmentHeader header = reader->header();
    header.job = to;
    if (auto done = ledger->Replace(segment, header); !done) return std::unexpected(done.error());
  }
  if (auto moved = MoveRows(*ledger->database(), job, to); !moved) {
    return std::unexpected(moved.error());
  }
  if (const auto losses = LossesAs(*ledger, job, to); !losses.empty()) {
    if (auto told = ledger->Record(losses); !told) return std::unexpected(told.error());
  }
  if (auto done = ledger->Commit(); !done) return std::unexpected(done.error());
  return Answer(*ledger, "Goodput rename",
                Say("Job '{job}' is now '{name}'.", Phrase::Name(job), Phrase::Name(to)),
                {{"segments", "segments", static_cast<int64_t>(segments.size()), Unit::kCount}});
}

Result<ReportSet> DeleteOnce(const std::string& store, const std::string& job) {
  auto ledger = OpenFor(store, job);
  if (!ledger) return std::unexpected(ledger.error());
  const auto segments = SegmentsOf(*ledger, job);
  int64_t bytes = 0;
  for (const Log& log : ledger->LogsOf(job)) {
    for (const LogFile& file : log) bytes += file.bytes;
  }
  const Database& db = *ledger->database();
  std::vector<std::string> rolled_up;
  auto known = db.Run("SELECT file FROM done WHERE job = $1", {std::string_view(job)},
                      [&](const Database::Row& row) { rolled_up.push_back(row.Text(0)); });
  if (!known) return std::unexpected(known.error());
  for (const std::string& segment : segments) {
    auto gone = db.Run("DELETE FROM skipped WHERE file = $1", {std::string_view(segment)});
    if (!gone) return std::unexpected(gone.error());
  }
  for (const char* table : {"rollups", "done", "labels", "jobs", "attempts"}) {
    const std::string sql = fmt::format("DELETE FROM {} WHERE job = $1", table);
    auto gone = db.Run(sql.c_str(), {std::string_view(job)});
    if (!gone) return std::unexpected(gone.error());
  }
  if (auto told = AddGoneJob(db, job, WallClock()); !told) return std::unexpected(told.error());
  // Of segments that were rolled up or given up before, nothing is missing any more.
  for (const ManifestEntry& lost : ledger->GivenUp(job)) rolled_up.push_back(lost.name);
  const auto removed = ledger->Commit(segments, EntryKind::kDeleted, rolled_up);
  if (!removed) return std::unexpected(removed.error());
  if (!removed->failed.empty()) {
    const Error& first = removed->failed.front();
    return std::unexpected(Error{fmt::format("{} of {} segments of the job are still there: {}",
                                             removed->failed.size(), segments.size(), first.what),
                                 first.where, first.hint + ", then delete the job again"});
  }
  return Answer(*ledger, "Goodput deletion",
                Say("Job '{job}' was deleted: {size} of segments.", Phrase::Name(job),
                    HumanBytes(static_cast<double>(bytes))),
                {{"segments", "segments", static_cast<int64_t>(removed->gone.size()), Unit::kCount},
                 {"removed_bytes", "removed size", bytes, Unit::kBytes}});
}

}  // namespace
}  // namespace goodput

Result<ReportSet> GoodputRename(const std::string& store, const std::string& job,
                                const std::string& to, bool join) {
  return goodput::RetryIfLost([&] { return goodput::RenameOnce(store, job, to, join); });
}

Result<ReportSet> GoodputDelete(const std::string& store, const std::string& job) {
  return goodput::RetryIfLost([&] { return goodput::DeleteOnce(store, job); });
}

}  // namespace stepscope
