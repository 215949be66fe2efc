// Encodes and decodes marks.
#include "goodput/recorder/segment_mark.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/crc32.h"

namespace stepscope::goodput {
namespace {

//   0 u32 checksum of what follows, 4 u8 1: open, 2: closed, 8 u64 slots, 16 i64 events,
//   24 i64 first, 32 i64 last, 40 u32 checksum of the slots
constexpr size_t kStateAt = 4, kSlotsAt = 8, kEventsAt = 16, kFirstAt = 24, kLastAt = 32,
                 kChecksumAt = 40;
constexpr char kOpen = 1, kClosed = 2;

// In a slot.
constexpr size_t kKindAt = 4, kNumberAt = 6, kTimeAt = 24;
constexpr uint64_t kNumberMask = (uint64_t{1} << 40) - 1;
constexpr uint8_t kMoreKind = 255;

template <class T>
T Get(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<SegmentMark> DecodeOne(const char* at, uint32_t salt) {
  const char state = at[kStateAt];
  if (state != kOpen && state != kClosed) return std::nullopt;
  if (Get<uint32_t>(at) != Crc32(at + kStateAt, kMarkBytes - kStateAt, salt)) return std::nullopt;
  const SegmentMark mark{.closed = state == kClosed,
                         .slots = Get<uint64_t>(at + kSlotsAt),
                         .events = Get<int64_t>(at + kEventsAt),
                         .first = Get<int64_t>(at + kFirstAt),
                         .last = Get<int64_t>(at + kLastAt),
                         .checksum = Get<uint32_t>(at + kChecksumAt)};
  return mark.slots <= kMaxSegmentSlots ? std::optional(mark) : std::nullopt;
}

}  // namespace

void EncodeMark(const SegmentMark& mark, uint32_t salt, char* out) {
  std::array<char, kMarkBytes> bytes{};
  bytes[kStateAt] = mark.closed ? kClosed : kOpen;
  std::memcpy(&bytes[kSlotsAt], &mark.slots, sizeof mark.slots);
  std::memcpy(&bytes[kEventsAt], &mark.events, sizeof mark.events);
  std::memcpy(&bytes[kFirstAt], &mark.first, sizeof mark.first);
  std::memcpy(&bytes[kLastAt], &mark.last, sizeof mark.last);
  std::memcpy(&bytes[kChecksumAt], &mark.checksum, sizeof mark.checksum);
  const uint32_t own = Crc32(&bytes[kStateAt], kMarkBytes - kStateAt, salt);
  std::memcpy(bytes.data(), &own, sizeof own);
  std::memcpy(out, bytes.data(), bytes.size());
}

std::optional<SegmentMark> DecodeMark(std::string_view header, uint32_t salt) {
  std::optional<SegmentMark> best;
  for (const size_t copy : {size_t{0}, kHeaderBytes}) {
    if (header.size() < copy + kMarkAt + kMarkBytes) break;
    const auto one = DecodeOne(header.data() + copy + kMarkAt, salt);
    if (!one) continue;
    const bool more = !best || (one->closed && !best->closed) ||
                      (one->closed == best->closed && one->slots > best->slots);
    if (more) best = one;
  }
  return best;
}

SegmentMark ClosingMark(std::string_view slots) {
  SegmentMark mark{.closed = true, .slots = slots.size() / kSlotBytes, .events = 0};
  mark.checksum = Crc32(slots.data(), slots.size());
  for (uint64_t k = 0; k < mark.slots; ++k) {
    const char* const slot = slots.data() + k * kSlotBytes;
    const auto kind = static_cast<uint8_t>(slot[kKindAt]);
    if (kind == 0 || kind == kMoreKind) continue;
    ++mark.events;
    const auto time = Get<int64_t>(slot + kTimeAt);
    if (time == kUnknown) continue;
    mark.first = mark.first == kUnknown ? time : std::min(mark.first, time);
    mark.last = std::max(mark.last, time);
  }
  return mark;
}

std::pair<int64_t, int64_t> NumbersOf(std::string_view slots) {
  int64_t from = 0, until = 0;
  for (size_t at = 0; at + kSlotBytes <= slots.size(); at += kSlotBytes) {
    const auto kind = static_cast<uint8_t>(slots[at + kKindAt]);
    if (kind == 0 || kind == kMoreKind) continue;
    const auto number =
        static_cast<int64_t>(Get<uint64_t>(slots.data() + at + kNumberAt) & kNumberMask);
    from = until == 0 ? number : std::min(from, number);
    until = std::max(until, number + 1);
  }
  return {from, until};
}

void PutMark(const SegmentMark& mark, uint32_t salt, std::span<char, kSlotsBegin> header) {
  for (const size_t copy : {size_t{0}, kHeaderBytes}) {
    EncodeMark(mark, salt, header.data() + copy + kMarkAt);
  }
}

void ReplaceHeader(const SegmentHeader& header, std::span<char, kSlotsBegin> bytes) {
  const auto mark = DecodeMark({bytes.data(), bytes.size()}, header.salt);
  EncodeHeader(header, bytes);
  if (mark) PutMark(*mark, header.salt, bytes);
}

}  // namespace stepscope::goodput
