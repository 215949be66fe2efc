// Checks that segments round-trip and that damage loses only what it hits.
#include "goodput/recorder/segment.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "tests/scratch.h"

namespace stepscope::goodput::segment_test {
namespace {

const SegmentHeader kHeader{.salt = 0x5EED1234,
                            .index = 3,
                            .slots = 1 << 20,
                            .time = 1'780'000'000'000'000'001,
                            .monotonic = 5,
                            .job = "llm-7b",
                            .attempt = "attempt-2",
                            .writer = "node7/0/0badcafe/4711/00112233"};

std::string HeaderBytes(const SegmentHeader& header = kHeader) {
  std::string bytes(kSlotsBegin, 'x');
  EncodeHeader(header, std::span<char, kSlotsBegin>(bytes.data(), kSlotsBegin));
  return bytes;
}

void Append(std::string& segment, const Record& record, uint32_t salt = kHeader.salt) {
  const uint64_t first = (segment.size() - kSlotsBegin) / kSlotBytes;
  const size_t slots = SlotsOf(record);
  segment.resize(segment.size() + slots * kSlotBytes);
  EncodeRecord(record, slots, salt, first, &segment[kSlotsBegin + first * kSlotBytes]);
}

struct ReadBack {
  std::vector<Event> events;
  Notes note_counts;
};

ReadBack Read(const std::string& bytes) {
  const testing::ScratchFolder scratch;
  ReadBack back;
  const auto read = ReadSegments(scratch.Write("a.goodput", bytes), back.note_counts,
                                 [&](const Event& event) { back.events.push_back(event); });
  EXPECT_TRUE(read);
  return back;
}

const CheckpointTimes kTimes{.manager = {100, 50},
                             .checkpointer = {101, 20},
                             .wait_for_prev = {kUnknown, 7},
                             .get_old_steps = {104, kUnknown},
                             .broadcast = {-1, 0}};

// A small segment with an event of each shape.
std::string SmallSegment() {
  std::string segment = HeaderBytes();
  Append(segment, {.kind = EventKind::kJobStart, .time = 1, .monotonic = 2, .sequence = 0});
  Append(segment, {.kind = EventKind::kStepStart, .time = 3, .sequence = 1, .step = 0});
  Append(segment, {.kind = EventKind::kCustomBegin, .time = 4, .sequence = 2, .text = "eval"});
  Append(segment, {.kind = EventKind::kCheckpointSave,
                   .time = 5,
                   .sequence = 3,
                   .step = 12,
                   .text = "gs://bucket/a/long/enough/path",
                   .checkpoint = &kTimes});
  Append(segment,
         {.kind = EventKind::kElasticSlices, .time = 6, .sequence = 4, .counts = {7, 8, kUnknown}});
  Append(segment, {.kind = EventKind::kStepStart, .time = 7, .sequence = 5, .step = 1});
  return segment;
}

TEST(Segment, APipeOfThatNameIsNoneAndNobodyWaitsForIt) {
  const testing::ScratchFolder scratch;
  const std::string pipe = scratch.path() + "/a.goodput";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(SegmentReader::Open(pipe));
}

TEST(Segment, RoundTrips) {
  const auto back = Read(SmallSegment());
  ASSERT_EQ(back.events.size(), 6u);
  EXPECT_TRUE(back.note_counts.List().empty());
  Event expected{.kind = EventKind::kCheckpointSave,
                 .time = 5,
                 .job = kHeader.job,
                 .attempt = kHeader.attempt,
                 .writer = kHeader.writer,
                 .sequence = 3,
                 .step = 12,
                 .text = "gs://bucket/a/long/enough/path",
                 .checkpoint = kTimes};
  EXPECT_EQ(back.events[3], expected);
  expected = {.kind = EventKind::kJobStart,
              .time = 1,
              .monotonic = 2,
              .job = kHeader.job,
              .attempt = kHeader.attempt,
              .writer = kHeader.writer,
              .sequence = 0};
  EXPECT_EQ(back.events[0], expected);
  EXPECT_EQ(back.events[4].counts[1], 8);
  EXPECT_EQ(back.events[4].counts[2], kUnknown);
  EXPECT_EQ(back.events[5].step, 1);
}

TEST(Segment, StepTakes32Bytes) {
  EXPECT_EQ(SlotsOf({.kind = EventKind::kStepStart, .step = 1'000'000}), 1u);
  EXPECT_EQ(SlotsOf({.kind = EventKind::kCustomBegin, .text = "eval"}), 2u);
}

TEST(Segment, KeepsNumbersOfAnySize) {
  std::string segment = HeaderBytes();
  const int64_t steps[] = {
      0, -1, (int64_t{1} << 40) - 2, (int64_t{1} << 40) - 1, int64_t{1} << 40, INT64_MAX, kUnknown};
  int64_t sequence = (int64_t{1} << 40) - 8;
  for (const int64_t step : steps) {
    Append(segment, {.kind = EventKind::kStepEnd,
                     .time = step / -2,
                     .monotonic = INT64_MAX,
                     .sequence = sequence++,
                     .step = step});
  }
  const auto back = Read(segment);
  ASSERT_EQ(back.events.size(), std::size(steps));
  for (size_t k = 0; k < std::size(steps); ++k) {
    EXPECT_EQ(back.events[k].step, steps[k]);
    EXPECT_EQ(back.events[k].sequence, (int64_t{1} << 40) - 8 + static_cast<int64_t>(k));
    EXPECT_EQ(back.events[k].monotonic, INT64_MAX);
  }
}

TEST(Segment, CutsLongTextsBetweenCharacters) {
  std::string segment = HeaderBytes();
  const std::string fits(kMaxText, 'x'), long_text = std::string(kMaxText - 1, 'x') + "é";
  Append(segment, {.kind = EventKind::kSpareSwap, .sequence = 0, .text = fits});
  Append(segment, {.kind = EventKind::kSpareSwap, .sequence = 1, .text = long_text});
  const auto back = Read(segment);
  ASSERT_EQ(back.events.size(), 2u);
  EXPECT_EQ(back.events[0].text, fits);
  EXPECT_EQ(back.events[1].text, fits.substr(1));
  EXPECT_EQ(back.note_counts.Count(NoteKind::kCutText), 1);
}

TEST(Segment, TheLargestEventFits) {
  const CheckpointTimes times{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}};
  const std::string text(kMaxText + 100, 'd'), name(kMaxName + 1, 'n');
  const Record record{.kind = EventKind::kCheckpointSave,
                      .step = INT64_MIN + 1,
                      .counts = {1, 2, 3},
                      .text = text,
                      .checkpoint = &times,
                      .attempt = name,
                      .writer = name};
  EXPECT_EQ(SlotsOf(record), kMaxSlots);
  std::string segment = HeaderBytes();
  Append(segment, record);
  const auto back = Read(segment);
  ASSERT_EQ(back.events.size(), 1u);
  EXPECT_EQ(back.events[0].checkpoint, times);
  EXPECT_EQ(back.events[0].text.size(), kMaxText);
  EXPECT_EQ(back.events[0].attempt, name.substr(1));
  EXPECT_EQ(back.events[0].writer, name.substr(1));
}

// A writer named by an event applies to that event only; an empty one differs from the header's.
TEST(Segment, EventsOfSeveralWriters) {
  std::string segment = HeaderBytes();
  Append(segment, {.kind = EventKind::kHeartbeat, .sequence = 0});
  Append(segment, {.kind = EventKind::kHeartbeat, .sequence = 7, .attempt = "", .writer = "other"});
  Append(segment, {.kind = EventKind::kHeartbeat, .sequence = 1});
  const auto back = Read(segment);
  ASSERT_EQ(back.events.size(), 3u);
  EXPECT_EQ(back.events[1].attempt, "");
  EXPECT_EQ(back.events[1].writer, "other");
  for (const size_t k : {0u, 2u}) {
    EXPECT_EQ(back.events[k].attempt, kHeader.attempt);
    EXPECT_EQ(back.events[k].writer, kHeader.writer);
  }
}

TEST(Segment, CutsNamesThatAreTooLong) {
  SegmentHeader header = kHeader;
  header.job = std::string(5000, 'j');
  const auto back = DecodeHeader(HeaderBytes(header));
  header.job.resize(kMaxName);
  EXPECT_EQ(back, header);
}

// Whether `events` are those of `good` in their order, with at most one left out.
bool LackAtMostOne(const std::vector<Event>& events, const std::vector<Event>& good) {
  size_t at = 0, missing = 0;
  for (const Event& event : good) {
    if (at < events.size() && events[at] == event) {
      ++at;
    } else {
      ++missing;
    }
  }
  return at == events.size() && missing <= 1;
}

void Poke(const std::string& path, size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at)).put(byte);
}

TEST(Segment, FlippedBitLosesAtMostOneEvent) {
  const std::string good = SmallSegment();
  const auto all = Read(good).events;
  const testing::ScratchFolder scratch;
  const std::string path = scratch.Write("a.goodput", good);
  size_t lost = 0;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    // Most of a header is padding, of which a sample will do.
    const size_t byte = bit / 8;
    if (byte < kSlotsBegin && byte % kHeaderBytes > 200 && bit % 997 != 0) continue;
    Poke(path, byte, static_cast<char>(good[byte] ^ (1 << (bit % 8))));
    std::vector<Event> events;
    Notes note_counts;
    ASSERT_TRUE(ReadSegments(path, note_counts, [&](const Event& e) { events.push_back(e); }));
    Poke(path, byte, good[byte]);
    ASSERT_TRUE(LackAtMostOne(events, all)) << "bit " << bit;
    ASSERT_EQ(note_counts.Count(NoteKind::kBadRecord), events.size() < all.size() ? 1 : 0) << bit;
    lost += all.size() - events.size();
  }
  EXPECT_EQ(lost, (good.size() - kSlotsBegin) * 8) << "every bit of every slot is checked";
}

TEST(Segment, GarbageLosesOnlyCoveredEvents) {
  std::mt19937 random(1);
  std::string good = HeaderBytes();
  for (int64_t k = 0; k < 3000; ++k) {
    Append(good, {.kind = EventKind::kStepStart, .time = k, .sequence = k, .step = k});
  }
  for (int round = 0; round < 50; ++round) {
    std::string bad = good;
    const size_t at = kSlotsBegin + random() % (good.size() - kSlotsBegin - 1000);
    for (size_t k = 0; k < 1000; ++k) bad[at + k] = static_cast<char>(random());
    const size_t covered = (at + 999) / kSlotBytes - at / kSlotBytes + 1;
    const auto back = Read(bad);
    ASSERT_EQ(back.events.size(), 3000 - covered);
    ASSERT_EQ(back.note_counts.Count(NoteKind::kBadRecord), static_cast<int64_t>(covered));
    for (const Event& event : back.events) ASSERT_EQ(event.step, event.sequence);
  }
}

TEST(Segment, ReadsGarbageToTheEnd) {
  std::mt19937 random(2);
  std::string bad = HeaderBytes();
  while (bad.size() < kSlotsBegin + 50'000 * kSlotBytes) bad += static_cast<char>(random() | 1);
  const auto back = Read(bad);
  EXPECT_TRUE(back.events.empty());
  EXPECT_EQ(back.note_counts.Count(NoteKind::kBadRecord), 50'000);
}

TEST(Segment, ReadsTruncatedFiles) {
  const std::string good = SmallSegment();
  const auto all = Read(good).events;
  for (size_t size = kSlotsBegin; size <= good.size(); ++size) {
    const auto back = Read(good.substr(0, size));
    ASSERT_LE(back.events.size(), all.size());
    for (size_t k = 0; k < back.events.size(); ++k) ASSERT_EQ(back.events[k], all[k]);
  }
  EXPECT_EQ(Read(good.substr(0, good.size() - 1)).events.size(), all.size() - 1);
}

TEST(Segment, RejectsSlotsOfOtherFilesAndPositions) {
  std::string segment = SmallSegment();
  Append(segment, {.kind = EventKind::kJobEnd, .sequence = 9}, kHeader.salt + 1);
  segment += segment.substr(kSlotsBegin, kSlotBytes);  // a copy of the first slot
  const auto back = Read(segment);
  EXPECT_EQ(back.events.size(), 6u);
  EXPECT_EQ(back.note_counts.Count(NoteKind::kBadRecord), 2);
}

// A text may hold anything, also what looks like an event.
TEST(Segment, TextIsNotAnEvent) {
  std::string fake = HeaderBytes();
  for (int k = 0; k < 40; ++k) Append(fake, {.kind = EventKind::kJobEnd, .sequence = k});
  std::string segment = HeaderBytes();
  Append(segment, {.kind = EventKind::kCustomBegin, .text = fake.substr(kSlotsBegin)});
  segment[kSlotsBegin] ^= 1;  // the slot that says that text follows
  EXPECT_TRUE(Read(segment).events.empty());
}

TEST(Segment, SkipsUnknownKinds) {
  std::string segment = HeaderBytes();
  Append(segment, {.kind = static_cast<EventKind>(200), .sequence = 0, .text = "of the future"});
  Append(segment, {.kind = EventKind::kJobStart, .sequence = 1});
  const auto back = Read(segment);
  ASSERT_EQ(back.events.size(), 1u);
  EXPECT_EQ(back.note_counts.Count(NoteKind::kUnknownKind), 1);
}

TEST(Segment, WaitsForUnfinishedEvents) {
  const testing::ScratchFolder scratch;
  const std::string good = SmallSegment() + std::string(100 * kSlotBytes, '\0');
  const auto all = Read(good).events;
  // The text of the third event is not there yet, nor is the second event at all.
  std::string early = good;
  early.replace(kSlotsBegin + 1 * kSlotBytes, kSlotBytes, kSlotBytes, '\0');
  early.replace(kSlotsBegin + 3 * kSlotBytes, kSlotBytes, kSlotBytes, '\0');
  const std::string path = scratch.Write("a.goodput", early);
  auto reader = SegmentReader::Open(path);
  ASSERT_TRUE(reader);
  std::vector<Event> events;
  Notes note_counts;
  const auto keep = [&](const Event& event) { events.push_back(event); };
  reader->Follow(note_counts, keep);
  EXPECT_EQ(events.size(), all.size() - 2);
  scratch.Write("a.goodput", good);
  reader->Follow(note_counts, keep);
  ASSERT_EQ(events.size(), all.size());
  reader->Finish(note_counts, keep);
  EXPECT_EQ(events.size(), all.size());
  std::ranges::sort(events, {}, &Event::sequence);
  EXPECT_EQ(events, all);
  EXPECT_TRUE(note_counts.List().empty());
}

TEST(Segment, FollowReadsEachEventOnce) {
  const testing::ScratchFolder scratch;
  std::string segment = HeaderBytes();
  const std::string path = scratch.Write("a.goodput", segment);
  auto reader = SegmentReader::Open(path);
  ASSERT_TRUE(reader);
  std::vector<Event> events;
  Notes note_counts;
  for (int64_t k = 0; k < 5000; ++k) {
    Append(segment, {.kind = EventKind::kCustomBegin,
                     .sequence = k,
                     .text = std::string_view("0123456789012345678901234567890")
                                 .substr(0, static_cast<size_t>(k) % 31)});
    if (k % 700 != 0) continue;
    scratch.Write("a.goodput", segment + std::string(3000 * kSlotBytes, '\0'));
    reader->Follow(note_counts, [&](const Event& event) { events.push_back(event); });
    ASSERT_EQ(events.size(), static_cast<size_t>(k + 1));
    ASSERT_EQ(events.back().sequence, k);
  }
}

TEST(Segment, StopsAtTheLastSlot) {
  SegmentHeader header = kHeader;
  header.slots = 1;
  std::string segment = HeaderBytes(header);
  Append(segment, {.kind = EventKind::kJobStart, .sequence = 0});
  Append(segment, {.kind = EventKind::kJobEnd, .sequence = 1});
  EXPECT_EQ(Read(segment).events.size(), 1u);
  header.slots = UINT64_MAX;
  EXPECT_FALSE(DecodeHeader(HeaderBytes(header)));
}

TEST(Segment, CountsInvalidFiles) {
  const testing::ScratchFolder scratch;
  scratch.Write("a.goodput", "");
  scratch.Write("b.goodput", std::string(20000, '\0'));
  scratch.Write("c.goodput", "something else");
  scratch.Write("d.goodput", SmallSegment());
  scratch.Write("e.txt", "of no interest");
  Notes note_counts;
  size_t events = 0;
  ASSERT_TRUE(ReadSegments(scratch.path(), note_counts, [&](const Event&) { ++events; }));
  EXPECT_EQ(events, 6u);
  EXPECT_EQ(note_counts.Count(NoteKind::kBadSegment), 1);
  EXPECT_FALSE(ReadSegments(scratch.path() + "/nothing", note_counts, [](const Event&) {}));
}

}  // namespace
}  // namespace stepscope::goodput::segment_test
