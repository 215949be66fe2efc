// Defines the bytes of a segment, which recorders write and the ledger keeps.
// docs/formats/goodput-segments.md is the contract; this code implements both directions.
//
// A segment is two copies of a header, then slots of 32 bytes. An event takes one slot, and further
// ones if it carries more than a step number. Every slot has its own checksum and
// starts at a multiple of its size, so damage never shifts later slots.
//
// Encoding allocates nothing and never fails, as it runs in the training thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "goodput/events/event.h"

namespace stepscope::goodput {

inline constexpr size_t kSlotBytes = 32;
inline constexpr size_t kHeaderBytes = 4096;             // of one copy
inline constexpr size_t kSlotsBegin = 2 * kHeaderBytes;  // two copies, on pages of their own
inline constexpr size_t kMaxText = 2048;                 // bytes of a text; the rest is cut off
inline constexpr size_t kMaxName = 1000;                 // bytes of job, attempt and writer each
inline constexpr size_t kMaxSlots = 201;                 // of one event
inline constexpr uint64_t kMaxSegmentSlots = uint64_t{1} << 25;  // 1 GB
inline constexpr std::string_view kSegmentSuffix = ".goodput";

// What all events of a segment share.
struct SegmentHeader {
  uint32_t salt = 0;   // starts every checksum, so that blocks of other files are not valid slots
  uint32_t index = 0;  // 0, 1, ... by writer
  uint64_t slots = 0;  // capacity at creation; the file may have been cut since
  int64_t time = 0;    // time of creation
  int64_t monotonic = 0;  // the same by the monotonic clock
  std::string job;
  std::string attempt;
  std::string writer;

  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

// An event to be stored: that of event.h without the fields of the header.
struct Record {
  EventKind kind = EventKind::kNone;
  int64_t time = kUnknown;
  int64_t monotonic = kUnknown;
  int64_t received = kUnknown;
  int64_t sequence = 0;
  int64_t step = kUnknown;
  int64_t counts[3] = {kUnknown, kUnknown, kUnknown};
  std::string_view text;
  const CheckpointTimes* checkpoint = nullptr;
  // Writer, if it differs from the header's: in a ledger's own segments, which keep the order of
  // events of several writers. At most kMaxName bytes count.
  std::optional<std::string_view> attempt, writer;
};

// Writes both copies of the header: kSlotsBegin bytes. Names beyond kMaxName are cut.
void EncodeHeader(const SegmentHeader& header, std::span<char, kSlotsBegin> out);

// Cuts `text` to at most `most` bytes, between characters.
std::string_view Kept(std::string_view text, size_t most);

// Reads the header of a segment that begins with `bytes`, from an undamaged copy.
std::optional<SegmentHeader> DecodeHeader(std::string_view bytes);

// Slots that the event takes: 1 to kMaxSlots.
size_t SlotsOf(const Record& record);

// Writes the event into the `slots` slots at `out`, SlotsOf(record), which are number `first` and
// on.
void EncodeRecord(const Record& record, size_t slots, uint32_t salt, uint64_t first, char* out);

enum class SlotState : uint8_t {
  kEmpty,  // all zero: not written, or not yet
  kBad,    // torn or damaged
  kEvent,  // an event begins
  kMore,   // continues an event
};

// `slot` holds kSlotBytes; `index` is its number.
SlotState CheckSlot(const char* slot, uint32_t salt, uint64_t index);

// The number of slots of the event that begins with this slot, itself included.
size_t SlotsFrom(const char* slot);

// Reads the event in `slots`, whose first has number `first` and state kEvent. REQUIRES: `slots`
// are as many as the first one states. False if another slot is damaged or the fields are invalid.
// Changes attempt and writer only if the event has its own, never the job. Sets `text_cut` if the
// text was too long.
bool DecodeRecord(std::string_view slots, uint32_t salt, uint64_t first, Event& event,
                  bool& text_cut);

}  // namespace stepscope::goodput
