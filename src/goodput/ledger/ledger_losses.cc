// Says what of a ledger is lost now: not what is there again, in whichever segment or job.
#include <algorithm>
#include <utility>

#include "goodput/ledger/ledger.h"
#include "goodput/ledger/segment_damage.h"
#include "goodput/recorder/segment_numbers.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostSequence = int64_t{1} << 40;

bool IsNumbered(const Contents& contents) { return contents.until != 0; }

void Insert(const std::string& job, const std::string& writer, const Sequences& numbers,
            LedgerNumbers& all) {
  WriterNumbers& of = all[writer];
  of.jobs.insert(job);
  for (const auto& [first, end] : numbers.ranges()) of.seen.InsertRange(first, end);
}

}  // namespace

Duplicates NumbersOf(const Rollup& rollup) {
  Duplicates numbers;
  StateReader writers(rollup.writers);
  numbers.LoadWriters(writers);
  return numbers;
}

const LedgerNumbers& Ledger::Numbers() const {
  if (numbers_) return *numbers_;
  numbers_.emplace();
  for (const std::string& job : rolled_up_) {
    const auto rollup = RollupOf(job);
    if (!rollup || !*rollup) continue;
    const Duplicates numbers = NumbersOf(**rollup);
    for (const auto& [writer, seen] : numbers.writers()) Insert(job, writer, seen, *numbers_);
  }
  for (const auto& [job, logs] : logs_) {
    for (const Log& log : logs) {
      for (const LogFile& file : log) {
        auto source = OpenBytes(file.name);
        if (!source) continue;
        const auto found = NumbersIn(*source, kMostSequence);
        if (!found) continue;  // what cannot be read now is not found
        for (const auto& [writer, seen] : found->by_writer) Insert(job, writer, seen, *numbers_);
      }
    }
  }
  return *numbers_;
}

std::optional<int64_t> Ledger::LostEvents(const std::string& job) const {
  int64_t lost = 0;
  bool known = true;
  const auto add = [&](const auto& what) {
    if (what.job != job) return;
    known = known && what.events >= 0;
    lost += std::max<int64_t>(what.events, 0);
  };
  std::ranges::for_each(given_up_, add);
  for (const SegmentFault& fault : faults_) {
    if (!IsOfManifest(fault.kind) && fault.kind != FaultKind::kOther) add(fault);
  }
  return known ? std::optional(lost) : std::nullopt;
}

// Lost events leave gaps, which say nothing more.
FoundLost Ledger::FoundIn(const std::string& job, Notes& counts) const {
  FoundLost found;
  const int64_t lost = counts.Count(NoteKind::kLostEvents),
                gaps = counts.Count(NoteKind::kMissingEvents);
  if (lost > 0) AddDamage(job, found);
  if (gaps > 0) {
    const auto left =
        GapsLeft(Numbers(), faults_, given_up_, {{job, found.exact ? found.lost : int64_t{-1}}});
    for (const auto& [writer, gap] : left) {
      const std::set<std::string>& jobs = Numbers().at(writer).jobs;
      if (!jobs.contains(job)) continue;
      found.gaps[writer] = gap;
      found.shared = found.shared || jobs.size() > 1;
    }
  }
  counts.Add(NoteKind::kLostEvents, std::max<int64_t>(found.lost, found.exact ? 0 : 1) - lost);
  counts.Add(NoteKind::kMissingEvents, found.Missing() - gaps);
  return found;
}

// Of each damaged segment of the job that no fault speaks of.
void Ledger::AddDamage(const std::string& job, FoundLost& found) const {
  for (const Log& log : LogsOf(job)) {
    for (const LogFile& file : log) {
      if (file.faulty) continue;
      const auto read = ReadToEnd(*this, file.name);
      if (!read) continue;
      const auto damage = DamageOf(*this, file.name, *read);
      if (!damage) continue;
      found.lost += std::max<int64_t>(damage->events, 0);
      found.exact = found.exact && damage->events >= 0;
    }
  }
}

void Ledger::SettleFound() {
  SettleGivenUp();
  SettleFaults();
}

// What was sent or imported again since is not lost any more; the next command that writes says so.
void Ledger::SettleGivenUp() {
  std::erase_if(given_up_, [&](ManifestEntry& lost) {
    if (!IsNumbered(lost.contents)) return false;
    lost.events = StillMissing(lost.contents, lost.events, Numbers());
    if (lost.events == 0) found_.insert(lost.name);
    return lost.events == 0;
  });
  note_counts_.Add(NoteKind::kRepaired, std::ssize(given_up_));
}

void Ledger::SettleFaults() {
  std::erase_if(faults_, [&](SegmentFault& fault) { return IsSettled(fault); });
}

// Says in the fault what of it is lost now.
bool Ledger::IsSettled(SegmentFault& fault) const {
  const bool of_segment = fault.kind == FaultKind::kMissing || fault.kind == FaultKind::kCut ||
                          fault.kind == FaultKind::kUnreadable;
  if (!of_segment) return false;
  fault.open = !fault.listed || fault.listed->kind != EntryKind::kClosed;
  if (fault.listed) fault.lost = fault.listed->contents;
  if (fault.kind == FaultKind::kCut && fault.open) TakeWhatIsLeft(fault);
  if (fault.events >= 0 && !IsNumbered(fault.lost)) {
    fault.events = std::max<int64_t>(fault.events - FoundOf(fault.file), 0);
    return fault.events == 0;
  }
  if (!IsNumbered(fault.lost)) return false;
  if (!fault.open) {
    fault.events = StillMissing(fault.lost, fault.events, Numbers());
    return fault.events == 0;
  }
  const bool back = HasKnown(fault.lost, Numbers());
  if (back && fault.events >= 0) return true;
  fault.back = back;
  return false;
}

// A cut segment of which no manifest has the end had more events than it has: as many as its own
// closing record says, or one at least.
void Ledger::TakeWhatIsLeft(SegmentFault& fault) const {
  auto source = OpenBytes(fault.file);
  if (!source) return;
  const auto left = NumbersIn(*source, kMostSequence);
  if (!left || !left->header) return;
  fault.lost.writer = left->header->writer;
  const auto own = left->by_writer.find(fault.lost.writer);
  if (own == left->by_writer.end()) return;
  fault.lost.until =
      std::max(fault.lost.until, own->second.End() + std::max<int64_t>(fault.events, 1));
}

}  // namespace stepscope::goodput
