// Checks a ledger: every segment is read to its end and compared with its mark and its manifest.
#include "goodput/ledger/ledger_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/crc32.h"
#include "goodput/ledger/ledger_found.h"
#include "goodput/recorder/segment_numbers.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

// What reading a segment showed.
struct ReadSegment {
  int64_t events = 0, bad = 0, lost = 0, holes = 0;
  int64_t first = kUnknown, last = kUnknown;  // times
  std::optional<SegmentMark> mark;
  SegmentHeader header;
};

Result<ReadSegment> ReadAll(const Ledger& ledger, const std::string& name, Duplicates& numbers,
                            NumbersByWriter& of_all) {
  auto reader = ledger.OpenSegment(name);
  if (!reader) return std::unexpected(reader.error());
  ReadSegment read{.mark = reader->mark(), .header = reader->header()};
  Notes notes;
  reader->Finish(notes, [&](const Event& event) {
    ++read.events;
    if (!event.writer.empty()) {
      numbers.Seen(event);
      of_all[event.writer].Insert(event.sequence);
    }
    if (event.time == kUnknown) return;
    read.first = read.first == kUnknown ? event.time : std::min(read.first, event.time);
    read.last = std::max(read.last, event.time);
  });
  read.bad = notes.Count(NoteKind::kBadRecord);
  read.lost = notes.Count(NoteKind::kLostEvents);
  read.holes = reader->holes();
  return read;
}

// A kill may leave a torn record after what was synced: that is no fault.
std::optional<SegmentFault> FaultOf(const std::string& name, const ReadSegment& read) {
  const int64_t lost = read.mark ? read.lost : read.bad;
  if (lost == 0) return std::nullopt;
  const bool told = read.mark && read.mark->closed;
  return SegmentFault{.kind = FaultKind::kDamaged,
                      .file = name,
                      .job = read.header.job,
                      .events = lost,
                      .first = told ? read.mark->first : read.first,
                      .last = told ? read.mark->last : read.last};
}

class Checker {
 public:
  explicit Checker(const Ledger& ledger) : ledger_(ledger) { out_.faults = ledger.faults(); }

  Result<void> Segments() {
    for (const std::string& job : ledger_.JobNames()) {
      Duplicates numbers;
      if (auto read = TakeRollup(job, numbers); !read) return read;
      explained_ = 0;
      for (const Log& log : ledger_.LogsOf(job)) {
        for (const LogFile& file : log) {
          if (auto read = Take(file, numbers); !read) return read;
        }
      }
      gaps_[job] = {.explained = explained_, .of_writers = numbers.Gaps()};
    }
    for (const auto& [job, gaps] : gaps_) AddGaps(job, gaps);
    return ledger_.ReadStatus();
  }

  // Those whose headers are damaged and that no manifest lists.
  void Unreadable() {
    for (const std::string& name : ledger_.unreadable()) {
      out_.faults.push_back({.kind = FaultKind::kUnreadable, .file = name});
    }
  }

  CheckedLedger Take() && { return std::move(out_); }

 private:
  Result<void> TakeRollup(const std::string& job, Duplicates& numbers) {
    const auto read = ledger_.RollupOf(job);
    if (!read) return std::unexpected(read.error());
    const std::optional<Rollup>& rollup = *read;
    if (!rollup) return {};
    StateReader writers(rollup->writers);
    numbers.LoadWriters(writers);
    Accounting accounting;
    if (accounting.Load(rollup->accounting)) return {};
    out_.faults.push_back({.kind = FaultKind::kNoRollup,
                           .file = "ledger.db",
                           .job = job,
                           .events = rollup->events,
                           .first = rollup->first.value_or(kUnknown),
                           .last = rollup->last.value_or(kUnknown)});
    return {};
  }

  // Of a job, and how many events its torn or damaged records may have held.
  struct Gaps {
    int64_t explained = 0;
    std::map<std::string, int64_t> of_writers;
  };

  // Numbers that were given to events that are not there, unless something else explains it: after
  // a rename that broke off they are in another job.
  void AddGaps(const std::string& job, const Gaps& gaps) {
    const auto known = ledger_.LostEvents(job);
    if (!known) return;  // how many are lost otherwise is not known
    int64_t explained = gaps.explained + *known;
    for (const auto& [writer, of_job] : gaps.of_writers) {
      const auto all = of_all_.find(writer);
      const int64_t gap = all == of_all_.end() ? of_job : std::min(of_job, all->second.Missing());
      const int64_t rest = std::max<int64_t>(gap - explained, 0);
      explained -= gap - rest;
      if (rest == 0) continue;
      out_.faults.push_back({.kind = FaultKind::kGap, .file = writer, .job = job, .events = rest});
    }
  }

  Result<void> Take(const LogFile& file, Duplicates& numbers) {
    const auto read = ReadAll(ledger_, file.name, numbers, of_all_);
    ++out_.segments;
    if (!read) return {};  // it went away, or the list has it as a fault
    out_.events += read->events;
    explained_ += read->holes;
    if (file.faulty) return {};
    auto fault = FaultOf(file.name, *read);
    if (!fault) fault = FaultOfBytes(file.name, *read);
    if (fault) explained_ += std::max<int64_t>(fault->events, 0);
    if (fault) out_.faults.push_back(std::move(*fault));
    if (!fault && !ledger_.IsListed(file.name)) AddUnlisted(file.name, *read);
    return {};
  }

  // Every record may be whole and still another than was stored.
  std::optional<SegmentFault> FaultOfBytes(const std::string& name, const ReadSegment& read) {
    if (!read.mark || !read.mark->closed || read.mark->checksum == 0) return std::nullopt;
    const auto bytes = SegmentBytes(ledger_, name);
    if (!bytes) return std::nullopt;
    const std::string_view slots =
        std::string_view(*bytes).substr(kSlotsBegin, read.mark->slots * kSlotBytes);
    if (Crc32(slots.data(), slots.size()) == read.mark->checksum) return std::nullopt;
    return SegmentFault{.kind = FaultKind::kDamaged, .file = name, .job = read.header.job};
  }

  void AddUnlisted(const std::string& name, const ReadSegment& read) {
    const auto bytes = SegmentBytes(ledger_, name);
    if (!bytes || bytes->size() <= kSlotsBegin) return;
    const SegmentMark mark =
        read.mark ? *read.mark : SegmentMark{.slots = (bytes->size() - kSlotsBegin) / kSlotBytes};
    out_.unlisted.push_back(EntryOf(mark, name, read.header.salt, read.header.job));
    if (mark.closed) out_.unlisted.back().contents = ContentsOf(*bytes);
  }

  const Ledger& ledger_;
  int64_t explained_ = 0;             // of the job that is read
  std::map<std::string, Gaps> gaps_;  // by job
  NumbersByWriter of_all_;            // raw events of all jobs
  CheckedLedger out_;
};

Phrase Headline(const CheckedLedger& checked) {
  const Phrase segments = Plural(static_cast<size_t>(checked.segments), "segment"),
               events = Plural(static_cast<size_t>(checked.events), "event");
  if (checked.faults.empty()) return Say("No faults: {segments} with {events}.", segments, events);
  int64_t lost = 0;
  bool exact = true;
  for (const SegmentFault& fault : checked.faults) {
    lost += std::max<int64_t>(fault.events, 0);
    exact = exact && (fault.events >= 0 || fault.kind == FaultKind::kManifest);
  }
  const Phrase count = Plural(static_cast<size_t>(lost), "event");
  return Say("{faults}; {lost} lost. Readable: {segments} with {events}.",
             Plural(checked.faults.size(), "fault"), exact ? count : Say("at least {count}", count),
             segments, events);
}

Result<ReportSet> CheckOnce(const std::string& store) {
  auto ledger = Ledger::Open(store, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  const auto checked = CheckLedger(*ledger);
  if (!checked) return std::unexpected(checked.error());
  Report report{.analysis = "goodput_check", .title = "Ledger check"};
  report.metrics = {
      {"faults", "faults", std::ssize(checked->faults), Unit::kCount},
      {"segments", "segments", checked->segments, Unit::kCount},
      {"events", "events", checked->events, Unit::kCount},
      {"unlisted", "segments without a manifest", std::ssize(checked->unlisted), Unit::kCount}};
  report.headline = Headline(*checked);
  Table faults = LossTable("faults", "Faults", KeyColumn("fault", "fault"));
  for (const SegmentFault& fault : checked->faults)
    faults.rows.push_back(LossRow(fault, FaultText(fault.kind)));
  report.tables.push_back(std::move(faults));
  ReportSet answer;
  answer.run = {.name = ledger->name(),
                .ranks = 1,
                .steps = "all",
                .notes = ledger->note_counts().List(ledger->name())};
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace

Result<CheckedLedger> CheckLedger(const Ledger& ledger) {
  Checker checker(ledger);
  if (auto read = checker.Segments(); !read) return std::unexpected(read.error());
  checker.Unreadable();
  if (auto read = ledger.ReadStatus(); !read) return std::unexpected(read.error());
  return std::move(checker).Take();
}

Result<std::string> SegmentBytes(const Ledger& ledger, const std::string& name) {
  auto source = ledger.OpenBytes(name);
  if (!source) return std::unexpected(source.error());
  std::string bytes, part(size_t{1} << 20, '\0');
  const uint64_t most = kSlotsBegin + kMaxSegmentSlots * kSlotBytes;
  for (size_t got = (*source)(part.data(), part.size(), 0).value_or(0);
       got > 0 && bytes.size() < most;
       got = (*source)(part.data(), part.size(), bytes.size()).value_or(0)) {
    bytes.append(part, 0, got);
  }
  if (auto read = ledger.ReadStatus(); !read) return std::unexpected(read.error());
  CutToUsed(bytes);
  return bytes;
}

void CutToUsed(std::string& bytes) {
  const size_t last = bytes.find_last_not_of('\0');
  const size_t used =
      last == bytes.npos || last < kSlotsBegin ? 0 : (last - kSlotsBegin) / kSlotBytes + 1;
  bytes.resize(kSlotsBegin + used * kSlotBytes);
}

Table LossTable(std::string key, Phrase title, Column said) {
  Table table{.key = std::move(key), .title = std::move(title), .text_rows = 100};
  table.columns = {KeyColumn("file", "file"),
                   Words(std::move(said)),
                   ValueColumn("job", "job"),
                   CountColumn("lost_events", "lost events"),
                   ValueColumn("first", "from", Unit::kUnixTime),
                   ValueColumn("last", "to", Unit::kUnixTime)};
  return table;
}

std::vector<Cell> LossRow(const SegmentFault& fault, std::string_view said) {
  const auto time = [](int64_t ns) { return ns == kUnknown ? Cell() : Cell(ns); };
  return {fault.file,        std::string(said),
          fault.job,         fault.events < 0 ? Cell() : Cell(fault.events),
          time(fault.first), time(fault.last)};
}

}  // namespace goodput

Result<ReportSet> GoodputCheck(const std::string& store) {
  return goodput::RetryIfLost([&] { return goodput::CheckOnce(store); });
}

}  // namespace stepscope
