// Fuzzes the reader of recorders' segments: whatever the bytes, reading ends, gives each event once
// at most, and in parts the same as in one go.
//
// Checksums keep random bytes out, so an input is also taken as the plan of a good segment and of
// the damage done to it.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::goodput::segment_fuzz {
namespace {

std::vector<Event> Read(std::string_view bytes, Notes& note_counts, bool follow_first) {
  const auto copy = [bytes](char* out, size_t size, uint64_t offset) -> Result<size_t> {
    return offset < bytes.size() ? bytes.copy(out, size, offset) : 0;
  };
  std::vector<Event> events;
  const auto keep = [&](const Event& event) { events.push_back(event); };
  auto reader = SegmentReader::Open(copy, "segment");
  if (!reader) return events;
  if (follow_first) reader->Follow(note_counts, keep);
  reader->Finish(note_counts, keep);
  return events;
}

std::vector<Event> ReadBothWays(std::string_view bytes) {
  Notes once, twice;
  auto events = Read(bytes, once, false);
  Require(events == Read(bytes, twice, true));
  Require(once.Count(NoteKind::kBadRecord) == twice.Count(NoteKind::kBadRecord));
  return events;
}

// Bytes of the input say what is recorded, then where a byte is changed and to what.
std::string Segment(std::string_view plan, std::set<int64_t>& steps) {
  std::string bytes(kSlotsBegin, '\0');
  EncodeHeader({.salt = 7, .slots = 1 << 20, .job = "j", .attempt = "a", .writer = "w"},
               std::span<char, kSlotsBegin>(bytes.data(), kSlotsBegin));
  uint64_t slot = 0;
  int64_t sequence = 0;
  for (const char byte : plan.substr(0, plan.size() / 2)) {
    const std::string text(static_cast<uint8_t>(byte), byte);
    const Record record{.kind = EventKind::kCustomBegin,
                        .time = sequence,
                        .sequence = sequence,
                        .step = sequence,
                        .text = text};
    const size_t slots = SlotsOf(record);
    bytes.resize(bytes.size() + slots * kSlotBytes);
    EncodeRecord(record, slots, 7, slot, &bytes[kSlotsBegin + slot * kSlotBytes]);
    steps.insert(sequence++);
    slot += slots;
  }
  return bytes;
}

// A plan for few hundred slots, for speed.
void ReadPlanned(std::string_view plan) {
  std::set<int64_t> steps;
  std::string bytes = Segment(plan, steps);
  for (size_t k = plan.size() / 2; k + 2 < plan.size(); k += 3) {
    const size_t at = static_cast<uint8_t>(plan[k]) * 256u + static_cast<uint8_t>(plan[k + 1]);
    if (steps.empty()) break;
    bytes[kSlotsBegin + at % (bytes.size() - kSlotsBegin)] = plan[k + 2];
  }
  for (const Event& event : ReadBothWays(bytes)) {
    Require(event.job == "j" && event.kind == EventKind::kCustomBegin);
    Require(event.step == event.sequence && steps.erase(event.step) == 1);
  }
}

void Fuzz(std::string_view bytes) {
  ReadBothWays(bytes);
  if (bytes.size() < kSlotsBegin) ReadPlanned(bytes.substr(0, 96));
}

const fuzz::Register kTarget({.name = "segment", .run = &Fuzz, .form = fuzz::Form::kSegment});

}  // namespace
}  // namespace stepscope::goodput::segment_fuzz
