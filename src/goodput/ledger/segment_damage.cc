// Reads segments and looks for what they lack in the rest of the ledger.
#include "goodput/ledger/segment_damage.h"

#include <algorithm>
#include <utility>

namespace stepscope::goodput {
namespace {

// Looks for the lost events of a segment that has one writer.
class Search {
 public:
  Search(const Ledger& ledger, const SegmentContent& read, SegmentFault& fault)
      : numbers_(ledger.Numbers()), read_(read), fault_(fault) {
    const auto found = numbers_.find(read.header.writer);
    if (found != numbers_.end()) seen_ = &found->second.seen;
  }

  // Says in the fault what is lost now. False: nothing.
  bool IsLost() {
    const ManifestEntry* const listed = fault_.listed ? &*fault_.listed : nullptr;
    const bool ends = read_.mark && read_.mark->closed;
    if (ends && listed != nullptr && listed->contents.until > 0 &&
        listed->contents.writer == read_.header.writer) {
      fault_.lost = listed->contents;
      fault_.events = StillMissing(fault_.lost, fault_.events, numbers_);
      return fault_.events != 0;
    }
    return LacksEnd() ? EndIsLost(ends) : GapIsLost();
  }

 private:
  bool LacksEnd() const { return read_.mark && read_.end < read_.mark->slots; }

  // What is lost lies between numbers of the segment, or before them.
  bool GapIsLost() {
    fault_.open = true;
    fault_.lost = {.writer = read_.header.writer, .until = read_.numbers.End()};
    fault_.events = std::min(fault_.events, seen_ == nullptr ? 0 : seen_->Missing());
    return fault_.events > 0;
  }

  // It has numbers after all that the segment has, at most one for each slot.
  bool EndIsLost(bool ends) {
    const int64_t own = read_.numbers.End();
    const int64_t most = ends ? fault_.events : static_cast<int64_t>(read_.mark->slots - read_.end);
    fault_.open = !ends;
    fault_.lost = {.writer = read_.header.writer, .from = own, .until = own + 1};
    if (!ends) fault_.events = -1;
    const bool whole = seen_ != nullptr && seen_->Missing() == 0;
    if (whole && seen_->End() >= own + most) return false;
    fault_.back = !ends && HasKnown(fault_.lost, numbers_);
    return true;
  }

  const LedgerNumbers& numbers_;
  const SegmentContent& read_;
  SegmentFault& fault_;
  const Sequences* seen_ = nullptr;
};

}  // namespace

Result<SegmentContent> ReadToEnd(const Ledger& ledger, const std::string& name) {
  auto reader = ledger.OpenSegment(name);
  if (!reader) return std::unexpected(reader.error());
  SegmentContent read{.mark = reader->mark(), .header = reader->header()};
  Notes notes;
  reader->Finish(notes, [&](const Event& event) {
    ++read.events;
    read.one_writer = read.one_writer && !IsOfLog(event) && event.writer == read.header.writer;
    if (read.one_writer) read.numbers.Insert(event.sequence);
    if (event.time == kUnknown) return;
    read.first = read.first == kUnknown ? event.time : std::min(read.first, event.time);
    read.last = std::max(read.last, event.time);
  });
  read.bad = notes.Count(NoteKind::kBadRecord);
  read.lost = notes.Count(NoteKind::kLostEvents);
  read.holes = reader->holes();
  read.end = reader->end();
  return read;
}

std::optional<SegmentFault> DamageOf(const Ledger& ledger, const std::string& name,
                                     const SegmentContent& read) {
  const int64_t lost = read.mark ? read.lost : read.bad;
  if (lost == 0) return std::nullopt;
  const bool ends = read.mark && read.mark->closed;
  SegmentFault fault{.kind = FaultKind::kDamaged,
                     .file = name,
                     .job = read.header.job,
                     .events = lost,
                     .first = ends ? read.mark->first : read.first,
                     .last = ends ? read.mark->last : read.last};
  if (const ManifestEntry* const listed = ledger.Listed(name)) fault.listed = *listed;
  if (!read.one_writer || read.header.writer.empty()) {
    fault.events = std::max<int64_t>(fault.events - ledger.FoundOf(name), 0);
    return fault.events > 0 ? std::optional(fault) : std::nullopt;
  }
  if (!Search(ledger, read, fault).IsLost()) return std::nullopt;
  return fault;
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

}  // namespace stepscope::goodput
