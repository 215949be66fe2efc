// Reads slots in long windows, and once: who asks needs neither the order nor what is being
// written.
#include "goodput/recorder/segment_numbers.h"

#include <algorithm>
#include <utility>

#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_reader.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kWindowSlots = 32'768;  // 1 MB
static_assert(kMaxSlots < kWindowSlots);

class Numbers {
 public:
  Numbers(const SegmentHeader& header, int64_t limit) : header_(header), limit_(limit) {}

  // Takes the slots, whose first has number `first`; returns how many are done: all but those of an
  // event that goes on after them.
  size_t Take(std::string_view slots, uint64_t first, bool last) {
    const size_t count = slots.size() / kSlotBytes;
    size_t at = 0;
    while (at < count) {
      const std::string_view rest = slots.substr(at * kSlotBytes);
      if (CheckSlot(rest.data(), header_.salt, first + at) != SlotState::kEvent) {
        ++at;
        continue;
      }
      const size_t taken = SlotsFrom(rest.data());
      if (at + taken > count) return last ? count : at;
      TakeEvent(rest.substr(0, taken * kSlotBytes), first + at);
      at += taken;
    }
    return count;
  }

  NumbersByWriter numbers;

 private:
  void TakeEvent(std::string_view slots, uint64_t first) {
    bool text_cut = false;
    if (slots.size() > kSlotBytes) event_.writer = header_.writer;  // it may have its own
    if (!DecodeRecord(slots, header_.salt, first, event_, text_cut)) return;
    if (event_.sequence >= limit_) return;
    const bool own = slots.size() == kSlotBytes || event_.writer == header_.writer;
    const std::string& writer = own ? header_.writer : event_.writer;
    if (writer.empty()) return;
    if (own && own_ == nullptr) own_ = &numbers[writer];
    (own ? *own_ : numbers[writer]).Insert(event_.sequence);
  }

  const SegmentHeader& header_;
  int64_t limit_;
  Sequences* own_ = nullptr;
  Event event_;
};

}  // namespace

Result<SegmentNumbers> NumbersIn(const std::string& path, int64_t limit) {
  auto file = OpenSegmentFile(path);
  if (file) return NumbersIn(*file, limit);
  if (file.error().kind == SegmentError::Kind::kSystem) {
    return std::unexpected(Error(file.error()));
  }
  return SegmentNumbers();
}

Result<SegmentNumbers> NumbersIn(SegmentReader::Source& source, int64_t limit) {
  SegmentNumbers found;
  std::string window(kSlotsBegin, '\0');
  const auto head = source(window.data(), window.size(), 0);
  if (!head) return std::unexpected(head.error());
  window.resize(*head);
  found.header = DecodeHeader(window);
  if (!found.header) return found;
  const SegmentHeader& header = *found.header;
  found.mark = DecodeMark(window, header.salt);
  Numbers all(header, limit);
  for (uint64_t next = 0; next < header.slots;) {
    window.resize(std::min<uint64_t>(kWindowSlots, header.slots - next) * kSlotBytes);
    const size_t wanted = window.size();
    const auto got = source(window.data(), wanted, kSlotsBegin + next * kSlotBytes);
    if (!got) return std::unexpected(got.error());
    window.resize(*got / kSlotBytes * kSlotBytes);
    if (window.empty()) break;
    const bool last = *got < wanted || next + window.size() / kSlotBytes >= header.slots;
    next += all.Take(window, next, last);
    if (last) break;
  }
  found.by_writer = std::move(all.numbers);
  return found;
}

}  // namespace stepscope::goodput
