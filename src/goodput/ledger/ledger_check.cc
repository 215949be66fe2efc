// Checks a ledger: every segment is read to its end and compared with its mark and its manifest.
#include "goodput/ledger/ledger_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/crc32.h"
#include "goodput/ledger/ledger_found.h"
#include "goodput/ledger/segment_damage.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

class Checker {
 public:
  explicit Checker(const Ledger& ledger) : ledger_(ledger) { out_.faults = ledger.faults(); }

  Result<void> Segments() {
    for (const std::string& job : ledger_.JobNames()) {
      if (auto read = TakeRollup(job); !read) return read;
      for (const Log& log : ledger_.LogsOf(job)) {
        for (const LogFile& file : log) Take(file);
      }
    }
    AddGaps();
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
  Result<void> TakeRollup(const std::string& job) {
    const auto read = ledger_.RollupOf(job);
    if (!read) return std::unexpected(read.error());
    const std::optional<Rollup>& rollup = *read;
    if (!rollup) return {};
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

  // Numbers that were given to events that are not there, unless something else explains it. Whose
  // they are is not known where their writer has several jobs.
  void AddGaps() {
    const auto gaps = GapsLeft(ledger_.Numbers(), ledger_.faults(), ledger_.given_up(), explained_);
    for (const auto& [writer, events] : gaps) {
      const std::set<std::string>& jobs = ledger_.Numbers().at(writer).jobs;
      out_.faults.push_back({.kind = FaultKind::kGap,
                             .file = writer,
                             .job = jobs.size() == 1 ? *jobs.begin() : std::string(),
                             .events = events,
                             .lost = {.writer = writer, .until = Contents::kNoGap}});
    }
  }

  void Explain(const std::string& job, int64_t events) {
    int64_t& sum = explained_[job];
    sum = events < 0 || sum < 0 ? -1 : sum + events;
  }

  void Take(const LogFile& file) {
    const auto read = ReadToEnd(ledger_, file.name);
    ++out_.segments;
    if (!read) return;  // it went away, or the list has it as a fault
    out_.events += read->events;
    Explain(read->header.job, read->holes);
    if (file.faulty) return;
    auto fault = DamageOf(ledger_, file.name, *read);
    const bool whole = !fault && (read->mark ? read->lost : read->bad) == 0;
    if (whole) fault = FaultOfBytes(file.name, *read);
    if (fault) Explain(read->header.job, fault->events);
    if (fault) out_.faults.push_back(std::move(*fault));
    if (whole && !fault && !ledger_.IsListed(file.name)) AddUnlisted(file.name, *read);
  }

  // Every record may be whole and still another than was stored.
  std::optional<SegmentFault> FaultOfBytes(const std::string& name, const SegmentContent& read) {
    if (!read.mark || !read.mark->closed || read.mark->checksum == 0) return std::nullopt;
    const auto bytes = SegmentBytes(ledger_, name);
    if (!bytes) return std::nullopt;
    const std::string_view slots =
        std::string_view(*bytes).substr(kSlotsBegin, read.mark->slots * kSlotBytes);
    if (Crc32(slots.data(), slots.size()) == read.mark->checksum) return std::nullopt;
    return SegmentFault{.kind = FaultKind::kDamaged, .file = name, .job = read.header.job};
  }

  void AddUnlisted(const std::string& name, const SegmentContent& read) {
    const auto bytes = SegmentBytes(ledger_, name);
    if (!bytes || bytes->size() <= kSlotsBegin) return;
    const SegmentMark mark =
        read.mark ? *read.mark : SegmentMark{.slots = (bytes->size() - kSlotsBegin) / kSlotBytes};
    out_.unlisted.push_back(EntryOf(mark, name, read.header.salt, read.header.job));
    if (mark.closed) out_.unlisted.back().contents = ContentsOf(*bytes);
  }

  const Ledger& ledger_;
  // Events by job that its torn or damaged records may have held; -1: an unknown number.
  std::map<std::string, int64_t> explained_;
  CheckedLedger out_;
};

constexpr std::string_view kBack =
    "all known events of a lost segment are there again; 'goodput repair' settles it";

Phrase Headline(const CheckedLedger& checked) {
  const Phrase segments = Plural(static_cast<size_t>(checked.segments), "segment"),
               events = Plural(static_cast<size_t>(checked.events), "event");
  if (checked.faults.empty()) return Say("No faults: {segments} with {events}.", segments, events);
  const Phrase faults = Plural(checked.faults.size(), "fault");
  const bool of_manifests = std::ranges::all_of(
      checked.faults, [](const SegmentFault& fault) { return IsOfManifest(fault.kind); });
  if (of_manifests) {
    return Say(
        "{faults}; whether events are lost is not known. Readable: {segments} with {events}.",
        faults, segments, events);
  }
  return Say("{faults}; {lost} lost. Readable: {segments} with {events}.", faults,
             CountOfLost(checked.faults), segments, events);
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
    faults.rows.push_back(LossRow(fault, fault.back ? kBack : FaultText(fault.kind)));
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

Phrase CountOfLost(std::span<const SegmentFault> faults) {
  int64_t lost = 0;
  bool exact = true;
  for (const SegmentFault& fault : faults) {
    lost += std::max<int64_t>(fault.events, 0);
    exact = exact && (fault.events >= 0 || IsOfManifest(fault.kind));
  }
  return CountOfLost(lost, exact);
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
