// Fuzzes the reader of recorders' segments: whatever the bytes, reading ends, gives each event once
// at most, and in parts the same as in one go.
//
// Checksums keep random bytes out, so an input is also taken as the plan of a good segment and of
// the damage done to it.
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "tests/fuzz/require.h"

namespace stepscope::goodput {
namespace {

const std::string& Path() {
  static const std::string path = "/tmp/segment-fuzz-" + std::to_string(getpid());
  return path;
}

void WriteFile(std::string_view bytes) {
  std::ofstream(Path(), std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::vector<Event> Read(std::string_view bytes, Notes& note_counts, bool follow_first) {
  WriteFile(bytes);
  std::vector<Event> events;
  const auto keep = [&](const Event& event) { events.push_back(event); };
  auto reader = SegmentReader::Open(Path());
  if (!reader) return events;
  if (follow_first) reader->Follow(note_counts, keep);
  reader->Finish(note_counts, keep);
  return events;
}

void ReadBothWays(std::string_view bytes) {
  Notes once, twice;
  const auto events = Read(bytes, once, false);
  Require(events == Read(bytes, twice, true));
  Require(once.Count(NoteKind::kBadRecord) == twice.Count(NoteKind::kBadRecord));
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

void Fuzz(std::string_view plan) {
  ReadBothWays(plan);
  std::set<int64_t> steps;
  std::string bytes = Segment(plan, steps);
  for (size_t k = plan.size() / 2; k + 2 < plan.size(); k += 3) {
    const size_t at = static_cast<uint8_t>(plan[k]) * 256u + static_cast<uint8_t>(plan[k + 1]);
    if (kSlotsBegin + at < bytes.size()) bytes[kSlotsBegin + at] = plan[k + 2];
  }
  Notes note_counts;
  for (const Event& event : Read(bytes, note_counts, false)) {
    Require(event.job == "j" && event.kind == EventKind::kCustomBegin);
    Require(event.step == event.sequence && steps.erase(event.step) == 1);
  }
  ReadBothWays(bytes);
}

}  // namespace
}  // namespace stepscope::goodput

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::goodput::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
