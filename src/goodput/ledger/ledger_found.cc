// Compares sums of hashes, which do not depend on the order of events.
#include "goodput/ledger/ledger_found.h"

#include <algorithm>
#include <utility>

#include "base/byte_source.h"
#include "goodput/ledger/segment_damage.h"
#include "goodput/recorder/segment_reader.h"

namespace stepscope::goodput {
namespace {

bool IsNumbered(const ManifestEntry& lost) { return lost.contents.until != 0; }

uint32_t DigestOf(const Event& event) { return static_cast<uint32_t>(ContentHash(event) >> 32); }

}  // namespace

Contents ContentsOf(std::string_view bytes) {
  Contents contents;
  auto reader = SegmentReader::Open(
      [bytes](char* out, size_t size, uint64_t offset) -> Result<size_t> {
        return bytes.copy(out, size, std::min<uint64_t>(offset, bytes.size()));
      },
      "");
  if (!reader) return contents;
  bool one_writer = true;
  Notes ignored;
  reader->Finish(ignored, [&](const Event& event) {
    if (contents.until == 0) contents.writer = event.writer;
    contents.digest += DigestOf(event);
    one_writer = one_writer && !IsOfLog(event) && event.writer == contents.writer;
    contents.from = contents.until == 0 ? event.sequence : std::min(contents.from, event.sequence);
    contents.until = std::max(contents.until, event.sequence + 1);
  });
  if (!one_writer) contents = {.digest = contents.digest};
  return contents;
}

Contents LostContents(const Ledger& ledger, const SegmentFault& fault) {
  const ManifestEntry* const listed = ledger.Listed(fault.file);
  Contents contents = listed == nullptr ? Contents() : listed->contents;
  if (fault.kind == FaultKind::kMissing || contents.digest == 0) return contents;
  if (const auto bytes = SegmentBytes(ledger, fault.file))
    contents.digest -= ContentsOf(*bytes).digest;
  return contents;
}

std::vector<ManifestEntry> LostOf(const Ledger& ledger, const std::string& job, bool damaged) {
  std::vector<ManifestEntry> lost = ledger.GivenUp(job);
  const auto add = [&](const SegmentFault& fault) {
    if (fault.job != job || !fault.listed || fault.listed->kind != EntryKind::kClosed) return;
    lost.push_back({.kind = EntryKind::kFound,
                    .name = fault.file,
                    .events = fault.events,
                    .first = fault.first,
                    .last = fault.last,
                    .contents = LostContents(ledger, fault)});
  };
  std::ranges::for_each(ledger.faults(), add);
  for (const Log& log : ledger.LogsOf(job)) {
    for (const LogFile& file : log) {
      if (!damaged || file.faulty) continue;
      const auto read = ReadToEnd(ledger, file.name);
      if (!read) continue;
      if (const auto damage = DamageOf(ledger, file.name, *read)) add(*damage);
    }
  }
  std::erase_if(lost, [](const ManifestEntry& entry) {
    return IsNumbered(entry) || entry.contents.digest == 0 || entry.events <= 0;
  });
  return lost;
}

Returning::Returning(std::vector<ManifestEntry> lost) : lost_(std::move(lost)) {
  for (const ManifestEntry& entry : lost_) {
    rests_.push_back({.events = entry.events, .digest = entry.contents.digest});
    of_all_.events += entry.events;
    of_all_.digest += entry.contents.digest;
  }
}

void Returning::Take(const Event& event) {
  if (lost_.empty()) return;
  const int64_t time = TimeOf(event);
  const uint32_t digest = DigestOf(event);
  bool of_these = false;
  for (size_t k = 0; k < lost_.size(); ++k) {
    const ManifestEntry& lost = lost_[k];
    if (lost.first != kUnknown && (time < lost.first || time > lost.last)) continue;
    --rests_[k].events;
    rests_[k].digest -= digest;
    of_these = true;
  }
  of_all_.events -= of_these ? 1 : 0;
  of_all_.digest -= of_these ? digest : 0;
}

// Segments of one time can be told apart only together.
std::vector<ManifestEntry> Returning::Found() const {
  std::vector<ManifestEntry> found;
  for (size_t k = 0; k < lost_.size(); ++k) {
    if (rests_[k] != Rest() && of_all_ != Rest()) continue;
    const bool of_fault = lost_[k].kind == EntryKind::kFound;
    found.push_back({.kind = EntryKind::kFound,
                     .name = lost_[k].name,
                     .events = of_fault ? lost_[k].events : -1});
  }
  return found;
}

}  // namespace stepscope::goodput
