// Repairs a ledger in a directory: what is whole is kept and listed, what is damaged is set aside.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file_writer.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "base/time_units.h"
#include "goodput/ledger/ledger_check.h"
#include "goodput/ledger/ledger_found.h"
#include "goodput/ledger/postgres.h"
#include "goodput/ledger/segment_damage.h"
#include "goodput/recorder/segment_name.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

namespace fs = std::filesystem;

// A name beside `path` that is free: "x.goodput.damaged", then "x.goodput.damaged.1", ...
std::string AsideOf(const std::string& path) {
  std::error_code failed;
  std::string aside = path + ".damaged";
  for (int k = 1; fs::exists(aside, failed); ++k) aside = path + ".damaged." + std::to_string(k);
  return aside;
}

// Whether a process still writes to the manifest.
Result<bool> IsLocked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::unexpected(SystemError("cannot read the manifest", errno, path));
  const bool locked = flock(file, LOCK_EX | LOCK_NB) != 0;
  close(file);
  return locked;
}

// The segment with its unreadable records emptied, and a closing record for the rest.
std::string Salvaged(std::string bytes, const SegmentHeader& header, int64_t& left) {
  char* const slots = bytes.data() + kSlotsBegin;
  const size_t count = (bytes.size() - kSlotsBegin) / kSlotBytes;
  Event event;
  left = 0;
  for (size_t at = 0; at < count;) {
    char* const slot = slots + at * kSlotBytes;
    const bool begins = CheckSlot(slot, header.salt, at) == SlotState::kEvent;
    const size_t size = begins ? SlotsFrom(slot) : 1;
    bool cut = false;
    const bool good = begins && at + size <= count &&
                      DecodeRecord({slot, size * kSlotBytes}, header.salt, at, event, cut);
    const size_t taken = good ? size : 1;
    if (!good) std::fill_n(slot, kSlotBytes, '\0');
    left += good ? 1 : 0;
    at += taken;
  }
  CutToUsed(bytes);
  const std::span<char, kSlotsBegin> head(bytes.data(), kSlotsBegin);
  EncodeHeader(header, head);
  PutMark(ClosingMark(std::string_view(bytes).substr(kSlotsBegin)), header.salt, head);
  return bytes;
}

class Repair {
 public:
  Repair(Ledger& ledger, bool dry) : ledger_(ledger), dry_(dry) {}

  Result<void> All(const CheckedLedger& checked) {
    ExchangeNames(checked.faults);
    if (auto read = ledger_.ReadStatus(); !read) return read;
    for (const SegmentFault& fault : checked.faults) {
      if (exchanged_.contains(fault.file)) continue;
      if (auto done = One(fault); !done) return done;
    }
    for (const ManifestEntry& entry : checked.unlisted) {
      entries_.push_back(entry);
      ++listed_;
    }
    if (dry_) return {};
    return entries_.empty() ? Result<void>() : ledger_.Record(entries_);
  }

  Report Told() const {
    Report report{.analysis = "goodput_repair", .title = "Ledger repair"};
    Table table = LossTable("repairs", "Repairs", KeyColumn("repair", "repair"));
    table.rows = rows_;
    report.metrics = {{"repaired", "repaired faults", repaired_, Unit::kCount},
                      {"left", "faults left", std::ssize(rows_) - repaired_, Unit::kCount},
                      {"listed", "segments listed anew", listed_, Unit::kCount},
                      {"lost_events", "lost events", lost_, Unit::kCount}};
    const Phrase faults = Plural(static_cast<size_t>(repaired_), "fault"),
                 lost = CountOfLost(lost_, exact_);
    report.headline = dry_ ? Say("To repair: {faults}. Lost: {events}.", faults, lost)
                           : Say("Repaired: {faults}. Lost: {events}.", faults, lost);
    report.tables.push_back(std::move(table));
    return report;
  }

 private:
  std::string PathOf(const std::string& name) const { return ledger_.name() + "/" + name; }

  void Tell(const SegmentFault& fault, const char* repair, bool done = true) {
    rows_.push_back(LossRow(fault, repair));
    repaired_ += done ? 1 : 0;
    if (fault.back) return;
    lost_ += std::max<int64_t>(fault.events, 0);
    exact_ = exact_ && (fault.events >= 0 || IsOfManifest(fault.kind));
  }

  void GiveUp(const SegmentFault& fault, const std::string& name) {
    entries_.push_back({.kind = EntryKind::kLost,
                        .name = name,
                        .events = fault.events,
                        .first = fault.first,
                        .last = fault.last,
                        .job = fault.job,
                        .contents = ContentsOfLost(fault)});
  }

  // By what it will be known if it comes back. `digest` of what is left of a segment is not lost.
  Contents ContentsOfLost(const SegmentFault& fault) const {
    if (fault.kind == FaultKind::kGap) return fault.lost;
    if (fault.open) return KnownWhenBack(fault.lost, ledger_.Numbers());
    return LostContents(ledger_, fault);
  }

  // Files that have each other's names.
  void ExchangeNames(const std::vector<SegmentFault>& faults) {
    for (const SegmentFault& a : faults) {
      for (const SegmentFault& b : faults) {
        if (a.kind != FaultKind::kOther || b.kind != FaultKind::kOther || a.file >= b.file ||
            !a.listed || !b.listed || exchanged_.contains(a.file) || !Holds(a.file, *b.listed) ||
            !Holds(b.file, *a.listed)) {
          continue;
        }
        if (!dry_ && renameat2(AT_FDCWD, PathOf(a.file).c_str(), AT_FDCWD, PathOf(b.file).c_str(),
                               RENAME_EXCHANGE) != 0) {
          continue;
        }
        exchanged_.insert({a.file, b.file});
        Tell(a, "has its own name again");
        Tell(b, "has its own name again");
      }
    }
  }

  bool Holds(const std::string& name, const ManifestEntry& entry) const {
    const auto reader = ledger_.OpenSegment(name);
    return reader && reader->header().salt == entry.salt;
  }

  Result<void> One(const SegmentFault& fault) {
    switch (fault.kind) {
      case FaultKind::kMissing:
      case FaultKind::kGap:
        GiveUp(fault, fault.file);
        Tell(fault, fault.back ? "settled: its events are there again" : "given up");
        return {};
      case FaultKind::kNoRollup:
        for (const std::string& name : fault.files) GiveUp(fault, name);
        Tell(fault, fault.files.empty() ? "restore ledger.db" : "given up", !fault.files.empty());
        return {};
      case FaultKind::kUnreadable:
        GiveUp(fault, fault.file);
        Tell(fault, "set aside");
        return dry_ ? Result<void>() : SetAside(PathOf(fault.file));
      case FaultKind::kManifest:
        return OfManifest(fault);
      case FaultKind::kNoManifest:
        return OfNoManifest(fault);
      default:
        return OfSegment(fault);
    }
  }

  static Result<void> SetAside(const std::string& path) {
    if (std::rename(path.c_str(), AsideOf(path).c_str()) == 0) return {};
    return std::unexpected(SystemError("cannot set the file aside", errno, path));
  }

  // A second name for the same bytes, so that at no moment the file is missing.
  static Result<void> KeepAside(const std::string& path) {
    if (link(path.c_str(), AsideOf(path).c_str()) == 0) return {};
    return std::unexpected(SystemError("cannot set the file aside", errno, path));
  }

  Result<void> OfManifest(const SegmentFault& fault) {
    const std::string path = PathOf(fault.file);
    const bool own = fault.file == kLedgerManifest;
    const auto locked = own ? Result<bool>(false) : IsLocked(path);
    if (!locked) return std::unexpected(locked.error());
    if (*locked) {
      Tell(fault, "left: its recorder still runs", false);
      return {};
    }
    const auto manifest = ReadManifest(ledger_.name(), fault.file);
    if (!manifest) return std::unexpected(manifest.error());
    Tell(fault, "kept what is readable");
    if (dry_) return {};
    if (own) {
      if (auto accepted = ledger_.AcceptManifest(); !accepted) return accepted;
    }
    std::vector<ManifestEntry> entries = manifest->entries;
    const size_t folder = fault.file.rfind('/') + 1;  // 0: it is in the ledger's own
    for (ManifestEntry& entry : entries) entry.name.erase(0, folder);
    if (auto kept = KeepAside(path); !kept) return kept;
    return WriteFile(path, EncodeEntries(entries));
  }

  // The segments that are there are listed as those of no manifest are. Of others the database
  // knows those that rollups replaced.
  Result<void> OfNoManifest(const SegmentFault& fault) {
    Tell(fault, "made anew: what else it listed is not known");
    auto read = ledger_.database()->Run("SELECT job, file FROM done", {}, [&](const auto& row) {
      std::error_code failed;
      if (fs::exists(PathOf(row.Text(1)), failed)) return;
      entries_.push_back({.kind = EntryKind::kRolledUp, .name = row.Text(1), .job = row.Text(0)});
    });
    return !read || dry_ ? read : ledger_.AcceptManifest();
  }

  Result<void> OfSegment(const SegmentFault& fault) {
    const auto reader = ledger_.OpenSegment(fault.file);
    if (auto read = ledger_.ReadStatus(); !read) return read;
    if (!reader) {
      Tell(fault, "left: it cannot be read", false);
      return {};
    }
    const SegmentHeader& header = reader->header();
    if (fault.kind == FaultKind::kOther) {
      const auto bytes = SegmentBytes(ledger_, fault.file);
      if (!bytes) return std::unexpected(bytes.error());
      GiveUp(fault, fault.file);
      entries_.push_back(
          EntryOf(reader->mark().value_or(SegmentMark{}), fault.file, header.salt, header.job));
      Tell(fault, "listed as it is");
      return {};
    }
    const bool ended = reader->mark() && reader->mark()->closed;
    if (!ended && MayGrow(fault.file, header)) {
      Tell(fault, "left: a recorder may still write to it", false);
      return {};
    }
    auto bytes = SegmentBytes(ledger_, fault.file);
    if (!bytes) return std::unexpected(bytes.error());
    int64_t left = 0;
    const std::string good = Salvaged(std::move(*bytes), header, left);
    GiveUp(fault, fault.file);
    Tell(fault, "kept what is readable");
    entries_.push_back(EntryOf(good, fault.file, header));
    entries_.back().contents = ContentsOf(good);
    if (dry_) return {};
    if (auto kept = KeepAside(PathOf(fault.file)); !kept) return kept;
    return WriteFile(PathOf(fault.file), good);
  }

  // Whether a recorder may still store into the segment: it has all its room, and changed a moment
  // ago.
  bool MayGrow(const std::string& name, const SegmentHeader& header) const {
    std::error_code failed;
    const auto size = fs::file_size(PathOf(name), failed);
    if (failed) return true;
    if (size < kSlotsBegin + header.slots * kSlotBytes) return false;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(PathOf(name), failed);
    return failed || age < std::chrono::minutes(1);
  }

  Ledger& ledger_;
  bool dry_;
  std::vector<ManifestEntry> entries_;
  std::set<std::string> exchanged_;
  std::vector<std::vector<Cell>> rows_;
  int64_t repaired_ = 0, listed_ = 0, lost_ = 0;
  bool exact_ = true;  // not more is lost than lost_
};

}  // namespace
}  // namespace goodput

Result<ReportSet> GoodputRepair(const std::string& store, bool dry_run) {
  using namespace goodput;
  if (IsPostgres(store)) {
    return std::unexpected(Error{"cannot repair: the ledger is in PostgreSQL",
                                 NameOfPostgres(store),
                                 "restore it from a backup of the database"});
  }
  // Does not create a ledger.
  if (auto there = Ledger::Open(store, Access::kRead); !there) {
    return std::unexpected(there.error());
  }
  auto ledger = Ledger::Open(store, dry_run ? Access::kRead : Access::kWrite);
  if (!ledger) return std::unexpected(ledger.error());
  const auto checked = CheckLedger(*ledger);
  if (!checked) return std::unexpected(checked.error());
  Repair repair(*ledger, dry_run);
  if (auto done = repair.All(*checked); !done) return std::unexpected(done.error());
  if (!dry_run) {
    if (auto done = ledger->Commit(); !done) return std::unexpected(done.error());
  }
  ReportSet answer;
  answer.run = {.name = ledger->name(), .ranks = 1, .steps = "all"};
  answer.reports.push_back(repair.Told());
  answer.verdict = answer.reports.front().headline;
  return answer;
}

}  // namespace stepscope
