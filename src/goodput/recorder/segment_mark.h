// Defines the mark of a segment: how much of it is on disk, and how it ended.
//
// A mark lies at the end of each copy of the header and is rewritten in turn, so that a torn one
// leaves the other. It never says more than what is on disk: it is stored after the sync of what it
// covers. Segments of version 0.1 have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "goodput/events/event.h"
#include "goodput/recorder/segment.h"

namespace stepscope::goodput {

inline constexpr size_t kMarkBytes = 64;
inline constexpr size_t kMarkAt = kHeaderBytes - 2 * kMarkBytes;  // in each copy of the header

struct SegmentMark {
  bool closed = false;                        // nothing follows: this is the closing record
  uint64_t slots = 0;                         // of events that are on disk, from the first one
  int64_t events = -1;                        // of a closed segment; -1: unknown
  int64_t first = kUnknown, last = kUnknown;  // times of these events, ns since 1970
  uint32_t checksum = 0;                      // of these slots; 0: unknown

  friend bool operator==(const SegmentMark&, const SegmentMark&) = default;
};

// Writes the mark: kMarkBytes, with a checksum that begins with the segment's salt.
void EncodeMark(const SegmentMark& mark, uint32_t salt, char* out);

// Reads the mark that says most in the two copies of a header. Nothing: there is no whole one.
std::optional<SegmentMark> DecodeMark(std::string_view header, uint32_t salt);

// The closing record of a segment that holds these slots, whole.
SegmentMark ClosingMark(std::string_view slots);

// The least sequence number of events in these slots, and the one after the largest; zeros: there
// are none.
std::pair<int64_t, int64_t> NumbersOf(std::string_view slots);

// Puts a mark into both copies of a header.
void PutMark(const SegmentMark& mark, uint32_t salt, std::span<char, kSlotsBegin> header);

// Writes another header of the same segment and keeps its mark.
void ReplaceHeader(const SegmentHeader& header, std::span<char, kSlotsBegin> bytes);

}  // namespace stepscope::goodput
