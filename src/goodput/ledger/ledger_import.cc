// Imports events into a ledger, each once.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/byte_source.h"
#include "goodput/events/json_lines.h"
#include "goodput/events/writer_order.h"
#include "goodput/ledger/ledger.h"
#include "goodput/ledger/ledger_found.h"
#include "goodput/recorder/log_writer.h"
#include "goodput/recorder/segment_name.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

// Hash of an event without a sequence number.
uint64_t HashOf(const Event& event) {
  return ContentHash(event) * 31 + static_cast<uint64_t>(event.kind);
}

// Finds events of one job that the ledger has.
class Known {
 public:
  Result<void> Load(const Ledger& ledger, const std::string& job) {
    const auto rollup = ledger.RollupOf(job);
    if (!rollup) return std::unexpected(rollup.error());
    if (*rollup) {
      numbered_ = NumbersOf(**rollup);
      last_ = (*rollup)->last;
    }
    Notes notes;
    ledger.ReadRaw(job, notes, [&](const Event& event, const EventPlace&, bool) {
      if (IsOfLog(event)) {
        hashes_.push_back(HashOf(event));
      } else {
        numbered_.Seen(event);
      }
    });
    std::ranges::sort(hashes_);
    given_.resize(hashes_.size());
    damaged_ = notes.Count(NoteKind::kLostEvents) > 0;
    return ledger.ReadStatus();
  }

  // Whether reading them has shown that some are lost.
  bool damaged() const { return damaged_; }

  // Call once per event of an import, in order.
  bool Has(const Event& event) {
    if (!IsOfLog(event)) return numbered_.Seen(event);
    const auto same = std::ranges::equal_range(hashes_, HashOf(event));
    if (same.empty()) return false;
    uint32_t& given = given_[static_cast<size_t>(same.begin() - hashes_.begin())];
    return given < same.size() && ++given > 0;
  }

  // Or it is older than the rollup, which cannot decide.
  bool IsRolledUp(const Event& event) const {
    const int64_t time = TimeOf(event);
    return last_ && time != kUnknown && time <= *last_;
  }

 private:
  bool damaged_ = false;
  Duplicates numbered_;
  std::vector<uint64_t> hashes_;  // of events without sequence numbers, sorted
  std::vector<uint32_t> given_;   // at the first of equal ones: how many were imported again
  std::optional<int64_t> last_;   // end of rolled-up time
};

struct ImportedJob {
  Known known;
  LogWriter writer;
  Returning returning;
  int64_t imported = 0, already = 0;
};

class Importer {
 public:
  explicit Importer(Ledger& ledger) : ledger_(&ledger) {}

  // Entries without a job name belong to the previously named job; those before any name to the
  // first named one.
  void Take(const Event& event, Notes& note_counts) {
    if (!event.job.empty()) {
      last_ = event.job;
      named_ = true;
      for (const Event& waiting : std::exchange(unnamed_, {})) Put(waiting, note_counts);
    } else if (!named_ && unnamed_.size() < kMostUnnamed) {
      return unnamed_.push_back(event);
    }
    Put(event, note_counts);
  }

  // Without any name the job name is empty.
  void EndOfFiles(Notes& note_counts) {
    for (const Event& waiting : std::exchange(unnamed_, {})) Put(waiting, note_counts);
  }

  Result<void> Finish() {
    for (auto& [name, job] : jobs_) {
      if (auto done = job->writer.Finish(); !done && !failed_) failed_ = done.error();
    }
    if (failed_) return std::unexpected(*failed_);
    return RecordFound();
  }

  bool failed() const { return failed_.has_value(); }
  const std::map<std::string, std::unique_ptr<ImportedJob>>& jobs() const { return jobs_; }

 private:
  // What was lost and this brings back.
  Result<void> RecordFound() {
    std::vector<ManifestEntry> entries;
    for (const auto& [name, job] : jobs_) {
      std::ranges::move(job->returning.Found(), std::back_inserter(entries));
    }
    return entries.empty() ? Result<void>() : ledger_->Record(entries);
  }

  static constexpr size_t kMostUnnamed = 100'000;

  void Put(Event event, Notes& note_counts) {
    if (failed_) return;
    event.job = Kept(last_, kMaxName);
    if (!FitToSegment(event)) note_counts.Add(NoteKind::kCutIdentity);
    ImportedJob& job = JobNamed(event.job);
    if (failed_) return;
    if (job.known.IsRolledUp(event)) return note_counts.Add(NoteKind::kCompacted);
    if (job.known.Has(event)) {
      ++job.already;
      return;
    }
    if (auto written = job.writer.Write(event); !written) {
      failed_ = written.error();
      return;
    }
    ++job.imported;
    job.returning.Take(event);
  }

  ImportedJob& JobNamed(const std::string& name) {
    std::unique_ptr<ImportedJob>& job = jobs_[name];
    if (job == nullptr) {
      const auto add = [this](const std::string& segment, const SegmentHeader& header,
                              std::string_view bytes) {
        return ledger_->Add(segment, header, bytes);
      };
      job.reset(
          new ImportedJob{Known(), LogWriter(add, SegmentPrefix(next_log_++), name), Returning()});
      if (auto known = job->known.Load(*ledger_, name); !known) failed_ = known.error();
      job->returning = Returning(LostOf(*ledger_, name, job->known.damaged()));
    }
    return *job;
  }

  Ledger* ledger_;
  // Counted: of 100,000 random numbers of 32 bits, two are likely to be the same.
  uint32_t next_log_ = RandomNumber();
  std::map<std::string, std::unique_ptr<ImportedJob>> jobs_;
  std::string last_;
  bool named_ = false;
  std::vector<Event> unnamed_;
  std::optional<Error> failed_;
};

// Takes all events of a recorder's directory.
Result<InputFile> ReadFolder(const std::string& path, std::vector<Note>& notes,
                             Importer& importer) {
  auto ledger = Ledger::Open(path, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  InputFile file{.path = path, .rank = 0};
  Notes note_counts;
  for (const std::string& job : ledger->JobNames()) {
    if (ledger->HasRollup(job)) {
      return std::unexpected(Error{"cannot import: the ledger has rolled up events of " + job, path,
                                   "copy its directory, or use it as `store`"});
    }
    ledger->ReadRaw(job, note_counts, [&](Event event, const EventPlace&, bool) {
      event.job = job;
      ++file.events;
      importer.Take(event, note_counts);
    });
    if (auto read = ledger->ReadStatus(); !read) return std::unexpected(read.error());
  }
  note_counts.Add(ledger->note_counts());
  std::ranges::move(note_counts.List(path), std::back_inserter(notes));
  return file;
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

// Whether the files have events of recorders out of order. Fails before anything is stored.
Result<bool> NeedsOrder(const std::vector<std::string>& files, const InputLimit& limit) {
  Duplicates numbered;
  std::vector<Note> ignored;
  for (const std::string& path : files) {
    if (IsFolder(path)) continue;
    const auto take = [&](const Event& event, Notes&) {
      if (!IsOfLog(event)) numbered.Seen(event);
    };
    const auto read = ReadEventsFile(path, ignored, take, limit);
    if (!read) return std::unexpected(read.error());
  }
  // What could not be read now may be out of order.
  return numbered.late() > 0 ||
         std::ranges::find(ignored, "read_error", &Note::name) != ignored.end();
}

// Passes events on as they come, or holds those of files until all were read.
class Source {
 public:
  Source(Importer& importer, bool in_order, const InputLimit& limit)
      : importer_(&importer), in_order_(in_order), limit_(limit) {}

  Result<InputFile> Read(const std::string& path, std::vector<Note>& notes) {
    if (IsFolder(path)) return ReadFolder(path, notes, *importer_);
    const auto take = [this](const Event& event, Notes& note_counts) {
      if (in_order_) {
        events_.push_back(event);
      } else {
        importer_->Take(event, note_counts);
      }
    };
    return ReadEventsFile(path, notes, take, limit_);
  }

  void EndOfFiles(Notes& note_counts) {
    note_counts.Add(NoteKind::kOutOfOrder, PutInOrder(events_));
    for (const Event& event : std::exchange(events_, {})) importer_->Take(event, note_counts);
    importer_->EndOfFiles(note_counts);
  }

 private:
  Importer* importer_;
  bool in_order_;
  InputLimit limit_;
  std::vector<Event> events_;
};

// Fails if the input cannot be opened, or is the ledger itself.
Result<void> CheckInput(const std::string& store, const std::string& path) {
  if (!IsFolder(path)) {
    if (auto source = ByteSource::Open(path); !source) return std::unexpected(source.error());
    return {};
  }
  std::error_code error;
  if (!std::filesystem::equivalent(store, path, error)) return {};
  return std::unexpected(Error{"cannot import a directory into itself", path,
                               "its events are in the ledger already: give it as `store`"});
}

Report ImportReport(const Importer& importer) {
  Report report{.analysis = "goodput_import", .title = "Goodput import"};
  Table table{.key = "jobs", .title = "Jobs", .text_rows = 10};
  table.columns = {KeyColumn("job", "job"), CountColumn("imported", "imported events"),
                   CountColumn("known", "known events")};
  int64_t imported = 0, known = 0;
  for (const auto& [name, job] : importer.jobs()) {
    table.rows.push_back({name, job->imported, job->already});
    imported += job->imported;
    known += job->already;
  }
  report.metrics = {{"imported", "imported events", imported, Unit::kCount},
                    {"known", "known events", known, Unit::kCount}};
  report.headline = Say("{events} of {jobs} were imported; {known} were already stored.",
                        Plural(static_cast<size_t>(imported), "event"),
                        Plural(table.rows.size(), "job"), HumanCount(known));
  report.tables.push_back(std::move(table));
  return report;
}

Result<ReportSet> ImportOnce(const std::string& store, const std::vector<std::string>& files,
                             Sharing sharing, const InputLimit& limit) {
  const auto in_order = NeedsOrder(files, limit);
  if (!in_order) return std::unexpected(in_order.error());
  auto ledger = Ledger::Open(store, Access::kWrite, sharing);
  if (!ledger) return std::unexpected(ledger.error());
  Importer importer(*ledger);
  Source source(importer, *in_order, limit);
  ReportSet answer;
  Notes at_end;
  for (const std::string& path : files) {
    auto file = source.Read(path, answer.run.notes);
    if (!file) return std::unexpected(file.error());
    answer.run.files.push_back(std::move(*file));
    if (importer.failed()) break;
  }
  source.EndOfFiles(at_end);
  if (auto done = importer.Finish(); !done) return std::unexpected(done.error());
  if (auto done = ledger->Commit(); !done) return std::unexpected(done.error());
  at_end.Add(ledger->note_counts());
  std::ranges::move(at_end.List(ledger->name()), std::back_inserter(answer.run.notes));
  answer.run.name = ledger->name();
  answer.run.ranks = 1;
  answer.run.steps = "all";
  answer.reports.push_back(ImportReport(importer));
  if (importer.jobs().empty()) {
    const std::string why = FirstOf(answer.run.notes);
    answer.reports.back().absent =
        Error{"there are no events to import" + (why.empty() ? "" : ": " + why),
              fmt::format("{}", fmt::join(files, ", ")),
              "give events of a job: JSON lines of a recorder or of ml-goodput-measurement"};
  }
  answer.verdict = answer.reports.front().headline;
  return answer;
}

}  // namespace
}  // namespace goodput

Result<ReportSet> GoodputImport(const std::string& store, const std::vector<std::string>& files,
                                bool group_readable, int64_t max_input) {
  // Checks files before creating the ledger or storing events, so that a wrong path changes
  // nothing.
  for (const std::string& path : files) {
    if (auto usable = goodput::CheckInput(store, path); !usable) {
      return std::unexpected(usable.error());
    }
  }
  const Sharing sharing = group_readable ? Sharing::kGroup : Sharing::kOwner;
  return goodput::RetryIfLost(
      [&] { return goodput::ImportOnce(store, files, sharing, LimitOf(max_input)); });
}

}  // namespace stepscope
