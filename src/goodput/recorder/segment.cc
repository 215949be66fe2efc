// Encodes and decodes segments.
#include "goodput/recorder/segment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/crc32.h"

namespace stepscope::goodput {
namespace {

static_assert(std::endian::native == std::endian::little);

// Both copies of a header:
//   0 magic, 8 u32 version, 12 u32 checksum of what follows, 16 u32 its length,
//   20 u32 salt, 24 u64 slots, 32 i64 time, 40 i64 monotonic, 48 u32 index,
//   52 u16[3] lengths of job, attempt and writer, 58 these texts
constexpr std::string_view kMagic = "STEPGOOD";
constexpr uint32_t kVersion = 1;
constexpr size_t kTextsAt = 58;
constexpr size_t kCheckedFrom = 16;
static_assert(kTextsAt + 3 * kMaxName <= kHeaderBytes);

// The first slot of an event:
//   0 u32 checksum of what follows, 4 u8 kind, 5 u8 further slots, 6 u40 sequence, 11 u40 step,
//   16 i64 monotonic, 24 i64 time
// A further one: 0 u32 checksum, 4 u8 255, 5 u8 which (1, 2, ...), 6 u40 sequence, 11 21 bytes
constexpr size_t kKindAt = 4, kMoreAt = 5, kSequenceAt = 6, kStepAt = 11, kMonotonicAt = 16,
                 kTimeAt = 24;
constexpr size_t kPayloadAt = 11, kPayloadBytes = kSlotBytes - kPayloadAt;
constexpr uint8_t kMoreKind = 255;
constexpr size_t kFortyBits = 5;  // bytes
constexpr uint64_t kNoStep = (uint64_t{1} << 40) - 1;

// What further slots hold: fields, one after the other, each a tag and its value. Tags below 128
// are followed by 8 bytes, others by a u16 length and so many bytes; an unknown one can be skipped.
enum Tag : uint8_t {
  kEnd = 0,
  kStep = 1,    // that does not fit into 40 bits
  kCounts = 2,  // 2, 3, 4
  kReceived = 5,
  kCheckpoint = 8,  // 8 to 17: start and duration of the spans in the order of CheckpointTimes
  kText = 128,
  kCutText = 129,
  kAttempt = 130,
  kWriter = 131,
};

constexpr size_t kSpans = 5;
constexpr size_t kMaxPayload = (1 + 3 + 1 + 2 * kSpans) * 9 + 3 + kMaxText + 2 * (3 + kMaxName);
static_assert(kMaxSlots == 1 + (kMaxPayload + kPayloadBytes - 1) / kPayloadBytes);

template <class T>
void Put(char* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
T Get(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

uint64_t GetForty(const char* from) {
  uint64_t value = 0;
  std::memcpy(&value, from, kFortyBits);
  return value;
}

using Spans = std::array<int64_t, 2 * kSpans>;

Spans SpansOf(const CheckpointTimes& times) {
  return {times.manager.start,         times.manager.duration,       times.checkpointer.start,
          times.checkpointer.duration, times.wait_for_prev.start,    times.wait_for_prev.duration,
          times.get_old_steps.start,   times.get_old_steps.duration, times.broadcast.start,
          times.broadcast.duration};
}

int64_t* SpanField(CheckpointTimes& times, size_t k) {
  CheckpointTimes::Span* const spans[kSpans] = {&times.manager, &times.checkpointer,
                                                &times.wait_for_prev, &times.get_old_steps,
                                                &times.broadcast};
  return k % 2 == 0 ? &spans[k / 2]->start : &spans[k / 2]->duration;
}

bool FitsForty(int64_t step) { return step >= 0 && static_cast<uint64_t>(step) < kNoStep; }

size_t PayloadBytes(const Record& record) {
  size_t numbers = record.step != kUnknown && !FitsForty(record.step) ? 1 : 0;
  for (const int64_t count : record.counts) numbers += count != kUnknown ? 1 : 0;
  numbers += record.received != kUnknown ? 1 : 0;
  if (record.checkpoint != nullptr) {
    for (const int64_t value : SpansOf(*record.checkpoint)) numbers += value != kUnknown ? 1 : 0;
  }
  size_t texts = record.text.empty() ? 0 : 3 + Kept(record.text, kMaxText).size();
  for (const auto& name : {record.attempt, record.writer}) {
    if (name) texts += 3 + Kept(*name, kMaxName).size();
  }
  return 9 * numbers + texts;
}

// Collects the fields of one event. As large as they may become: the stack is all there is.
class Payload {
 public:
  explicit Payload(const Record& record) {
    if (record.step != kUnknown && !FitsForty(record.step)) Number(kStep, record.step);
    for (size_t k = 0; k < 3; ++k) Number(kCounts + k, record.counts[k]);
    Number(kReceived, record.received);
    if (record.checkpoint != nullptr) {
      const Spans spans = SpansOf(*record.checkpoint);
      for (size_t k = 0; k < spans.size(); ++k) Number(kCheckpoint + k, spans[k]);
    }
    if (!record.text.empty()) Text(kText, record.text, kMaxText);
    if (record.attempt) Text(kAttempt, *record.attempt, kMaxName);
    if (record.writer) Text(kWriter, *record.writer, kMaxName);
  }
  std::string_view bytes() const { return {bytes_.data(), size_}; }

 private:
  void Number(size_t tag, int64_t value) {
    if (value == kUnknown) return;
    bytes_[size_] = static_cast<char>(tag);
    Put(&bytes_[size_ + 1], value);
    size_ += 9;
  }
  void Text(Tag tag, std::string_view text, size_t most) {
    const std::string_view kept = Kept(text, most);
    if (tag == kText && kept.size() < text.size()) tag = kCutText;
    bytes_[size_] = static_cast<char>(tag);
    Put(&bytes_[size_ + 1], static_cast<uint16_t>(kept.size()));
    std::memcpy(&bytes_[size_ + 3], kept.data(), kept.size());
    size_ += 3 + kept.size();
  }

  std::array<char, kMaxPayload> bytes_;
  size_t size_ = 0;
};

uint32_t SlotChecksum(const char* slot, uint32_t salt, uint64_t index) {
  return Crc32(slot + kKindAt, kSlotBytes - kKindAt, salt + static_cast<uint32_t>(index));
}

// Writes one slot of which all but the checksum is in `slot`.
void Seal(char (&slot)[kSlotBytes], uint32_t salt, uint64_t index, char* out) {
  Put(slot, SlotChecksum(slot, salt, index));
  std::memcpy(out, slot, kSlotBytes);
}

void EncodeMore(const Record& record, uint32_t salt, uint64_t first, char* out) {
  const Payload payload(record);
  std::string_view rest = payload.bytes();
  for (uint8_t which = 1; !rest.empty(); ++which) {
    char slot[kSlotBytes] = {};
    slot[kKindAt] = static_cast<char>(kMoreKind);
    slot[kMoreAt] = static_cast<char>(which);
    std::memcpy(slot + kSequenceAt, &record.sequence, kFortyBits);
    const size_t size = std::min(rest.size(), kPayloadBytes);
    std::memcpy(slot + kPayloadAt, rest.data(), size);
    rest.remove_prefix(size);
    Seal(slot, salt, first + which, out + which * kSlotBytes);
  }
}

void SetNumber(Event& event, uint8_t tag, int64_t value) {
  if (tag == kStep) event.step = value;
  if (tag >= kCounts && tag < kCounts + 3) event.counts[tag - kCounts] = value;
  if (tag == kReceived) event.received = value;
  if (tag >= kCheckpoint && tag < kCheckpoint + 2 * kSpans) {
    *SpanField(event.checkpoint, tag - kCheckpoint) = value;
  }
}

// Takes the fields out of `payload`; false when one ends beyond it.
bool DecodePayload(std::string_view payload, Event& event, bool& text_cut) {
  while (!payload.empty() && payload[0] != kEnd) {
    const auto tag = static_cast<uint8_t>(payload[0]);
    if (tag < 128) {
      if (payload.size() < 9) return false;
      SetNumber(event, tag, Get<int64_t>(payload.data() + 1));
      payload.remove_prefix(9);
      continue;
    }
    if (payload.size() < 3) return false;
    const size_t size = Get<uint16_t>(payload.data() + 1);
    if (payload.size() < 3 + size) return false;
    if (tag == kText || tag == kCutText) event.text = payload.substr(3, size);
    if (tag == kAttempt) event.attempt = payload.substr(3, size);
    if (tag == kWriter) event.writer = payload.substr(3, size);
    text_cut |= tag == kCutText;
    payload.remove_prefix(3 + size);
  }
  return true;
}

std::optional<SegmentHeader> DecodeCopy(std::string_view bytes) {
  if (bytes.size() < kTextsAt || !bytes.starts_with(kMagic)) return std::nullopt;
  const char* const at = bytes.data();
  const size_t length = Get<uint32_t>(at + 16);
  if (Get<uint32_t>(at + 8) != kVersion || length < kTextsAt - kCheckedFrom ||
      length > std::min(bytes.size(), kHeaderBytes) - kCheckedFrom ||
      Get<uint32_t>(at + 12) != Crc32(at + kCheckedFrom, length)) {
    return std::nullopt;
  }
  SegmentHeader header{.salt = Get<uint32_t>(at + 20),
                       .index = Get<uint32_t>(at + 48),
                       .slots = Get<uint64_t>(at + 24),
                       .time = Get<int64_t>(at + 32),
                       .monotonic = Get<int64_t>(at + 40)};
  std::string_view texts = bytes.substr(kTextsAt, length + kCheckedFrom - kTextsAt);
  std::string* const names[] = {&header.job, &header.attempt, &header.writer};
  for (size_t k = 0; k < 3; ++k) {
    const size_t size = Get<uint16_t>(at + 52 + 2 * k);
    if (size > texts.size()) return std::nullopt;
    *names[k] = texts.substr(0, size);
    texts.remove_prefix(size);
  }
  if (header.slots > kMaxSegmentSlots) return std::nullopt;
  return header;
}

}  // namespace

std::string_view Kept(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  size_t size = most;
  for (int back = 0; back < 3 && (static_cast<uint8_t>(text[size]) & 0xC0) == 0x80; ++back) --size;
  return text.substr(0, size);
}

void EncodeHeader(const SegmentHeader& header, std::span<char, kSlotsBegin> out) {
  std::memset(out.data(), 0, out.size());
  char* const at = out.data();
  size_t end = kTextsAt;
  const std::string_view names[] = {header.job, header.attempt, header.writer};
  for (size_t k = 0; k < 3; ++k) {
    const std::string_view name = Kept(names[k], kMaxName);
    Put(at + 52 + 2 * k, static_cast<uint16_t>(name.size()));
    std::memcpy(at + end, name.data(), name.size());
    end += name.size();
  }
  std::memcpy(at, kMagic.data(), kMagic.size());
  Put(at + 8, kVersion);
  Put(at + 16, static_cast<uint32_t>(end - kCheckedFrom));
  Put(at + 20, header.salt);
  Put(at + 24, header.slots);
  Put(at + 32, header.time);
  Put(at + 40, header.monotonic);
  Put(at + 48, header.index);
  Put(at + 12, Crc32(at + kCheckedFrom, end - kCheckedFrom));
  std::memcpy(at + kHeaderBytes, at, kHeaderBytes);
}

std::optional<SegmentHeader> DecodeHeader(std::string_view bytes) {
  if (auto header = DecodeCopy(bytes)) return header;
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  return DecodeCopy(bytes.substr(kHeaderBytes));
}

size_t SlotsOf(const Record& record) {
  return 1 + (PayloadBytes(record) + kPayloadBytes - 1) / kPayloadBytes;
}

void EncodeRecord(const Record& record, size_t slots, uint32_t salt, uint64_t first, char* out) {
  if (slots > 1) EncodeMore(record, salt, first, out);
  char slot[kSlotBytes];
  slot[kKindAt] = static_cast<char>(record.kind);
  slot[kMoreAt] = static_cast<char>(slots - 1);
  std::memcpy(slot + kSequenceAt, &record.sequence, kFortyBits);
  const uint64_t step = FitsForty(record.step) ? static_cast<uint64_t>(record.step) : kNoStep;
  std::memcpy(slot + kStepAt, &step, kFortyBits);
  Put(slot + kMonotonicAt, record.monotonic);
  Put(slot + kTimeAt, record.time);
  Seal(slot, salt, first, out);
}

SlotState CheckSlot(const char* slot, uint32_t salt, uint64_t index) {
  static constexpr char kZeros[kSlotBytes] = {};
  if (std::memcmp(slot, kZeros, kSlotBytes) == 0) return SlotState::kEmpty;
  if (Get<uint32_t>(slot) != SlotChecksum(slot, salt, index)) return SlotState::kBad;
  const auto kind = static_cast<uint8_t>(slot[kKindAt]);
  if (kind == kMoreKind) return SlotState::kMore;
  return kind != 0 && SlotsFrom(slot) <= kMaxSlots ? SlotState::kEvent : SlotState::kBad;
}

size_t SlotsFrom(const char* slot) { return size_t{1} + static_cast<uint8_t>(slot[kMoreAt]); }

bool DecodeRecord(std::string_view slots, uint32_t salt, uint64_t first, Event& event,
                  bool& text_cut) {
  const char* const head = slots.data();
  const uint64_t sequence = GetForty(head + kSequenceAt), step = GetForty(head + kStepAt);
  const auto kind = static_cast<uint8_t>(head[kKindAt]);
  event.kind = kind < static_cast<uint8_t>(EventKind::kCount) ? static_cast<EventKind>(kind)
                                                              : EventKind::kNone;
  event.time = Get<int64_t>(head + kTimeAt);
  event.monotonic = Get<int64_t>(head + kMonotonicAt);
  event.received = kUnknown;
  event.sequence = static_cast<int64_t>(sequence);
  event.step = step == kNoStep ? kUnknown : static_cast<int64_t>(step);
  std::ranges::fill(event.counts, kUnknown);
  event.text.clear();
  event.checkpoint = {};
  text_cut = false;

  std::array<char, kMaxSlots * kPayloadBytes> payload;
  size_t size = 0;
  for (size_t k = 1; k < slots.size() / kSlotBytes; ++k) {
    const char* const slot = head + k * kSlotBytes;
    if (CheckSlot(slot, salt, first + k) != SlotState::kMore ||
        static_cast<uint8_t>(slot[kMoreAt]) != k || GetForty(slot + kSequenceAt) != sequence) {
      return false;
    }
    std::memcpy(&payload[size], slot + kPayloadAt, kPayloadBytes);
    size += kPayloadBytes;
  }
  return DecodePayload({payload.data(), size}, event, text_cut);
}

}  // namespace stepscope::goodput
