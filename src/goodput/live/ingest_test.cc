// Checks that batches are stored once, also across processes on the same directory.
#include "goodput/live/ingest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "goodput/recorder/segment_reader.h"
#include "tests/scratch.h"
#include "tests/support/files_limit.h"

namespace stepscope::goodput::ingest_test {
namespace {

std::string Line(std::string_view writer, int64_t sequence, std::string_view job = "j") {
  return fmt::format(
      R"({{"job_name": "{}", "event": "step_start", "time_ns": {}, "step": {}, "attempt": "a", )"
      R"("writer": "{}", "sequence": {}, "text": "said"}})"
      "\n",
      job, 1'780'000'000'000'000'000 + sequence, sequence, writer, sequence);
}

std::set<std::pair<std::string, int64_t>> ReadBack(const std::string& folder) {
  std::set<std::pair<std::string, int64_t>> events;
  Notes note_counts;
  EXPECT_TRUE(ReadSegments(folder, note_counts, [&](const Event& event) {
    EXPECT_TRUE(events.insert({event.writer, event.sequence}).second) << event.sequence;
    EXPECT_EQ(event.step, event.sequence);
    EXPECT_EQ(event.text, "said");
    EXPECT_EQ(event.attempt, "a");
  }));
  EXPECT_EQ(note_counts.List().size(), 0u);
  return events;
}

TEST(Ingest, StoresOnceAcrossProcesses) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path() + "/made";
  const std::string batch = Line("w", 0) + Line("w", 1) + Line("v", 7) + Line("w", 2, "k");
  {
    auto ingest = Ingest::Open(folder);
    ASSERT_TRUE(ingest);
    EXPECT_EQ((*ingest)->Take(batch), IngestCounts{.stored = 4});
    EXPECT_EQ((*ingest)->Take(batch), IngestCounts{.duplicates = 4});
    EXPECT_FALSE(Ingest::Open(folder)) << "one process at a time";
    EXPECT_TRUE((*ingest)->Tick(0));
  }
  auto ingest = Ingest::Open(folder);
  ASSERT_TRUE(ingest);
  EXPECT_EQ((*ingest)->Take(batch + Line("w", 3)), (IngestCounts{.stored = 1, .duplicates = 4}));
  EXPECT_EQ((*ingest)->counts(), (IngestCounts{.stored = 1, .duplicates = 4}));
  EXPECT_EQ(ReadBack(folder).size(), 5u);
}

TEST(Ingest, CountsSkippedEvents) {
  const testing::ScratchFolder scratch;
  auto ingest = Ingest::Open(scratch.path());
  ASSERT_TRUE(ingest);
  const std::string batch =
      "no json\n"
      "{\"event\": \"no_such_kind\", \"time\": 1, \"writer\": \"w\", \"sequence\": 1}\n"
      "{\"event\": \"heartbeat\", \"time\": 1e300, \"writer\": \"w\", \"sequence\": 2}\n"
      "{\"event\": \"heartbeat\", \"time\": 5}\n"
      "{\"event\": \"heartbeat\", \"time\": 5, \"writer\": \"w\", \"sequence\": -1}\n"
      "{\"event\": \"heartbeat\", \"time\": 5, \"writer\": \"w\", \"sequence\": 1099511627776}\n" +
      Line(std::string(1001, 'w'), 3) + Line("w", 4);
  EXPECT_EQ((*ingest)->Take(batch), (IngestCounts{.stored = 1, .unnumbered = 3, .unreadable = 4}));
  EXPECT_EQ((*ingest)->Take(""), IngestCounts{});
  EXPECT_EQ((*ingest)->Take(std::string_view("\0\0\n{{{", 6)), IngestCounts{.unreadable = 2});
}

// Several threads send the same batches of several writers: segments fill up and follow each other.
TEST(Ingest, ConcurrentSendersStoreOnce) {
  const testing::ScratchFolder scratch;
  constexpr int64_t kEvents = 20'000;
  IngestCounts sum;
  {
    auto ingest = Ingest::Open(scratch.path());
    ASSERT_TRUE(ingest);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int64_t first = 0; first < kEvents; first += 500) {
          std::string batch;
          for (int64_t k = first; k < first + 500; ++k) batch += Line(k % 2 == 0 ? "a" : "b", k);
          (*ingest)->Take(batch);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    sum = (*ingest)->counts();
  }
  EXPECT_EQ(sum, (IngestCounts{.stored = kEvents, .duplicates = 3 * kEvents}));
  EXPECT_EQ(ReadBack(scratch.path()).size(), static_cast<size_t>(kEvents));
}

TEST(Ingest, ReportsNoRoom) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path() + "/gone";
  auto ingest = Ingest::Open(folder);
  ASSERT_TRUE(ingest);
  std::filesystem::remove_all(folder);
  EXPECT_EQ((*ingest)->Take(Line("w", 0) + Line("w", 1)), IngestCounts{.no_room = 2});
  EXPECT_EQ((*ingest)->Take(Line("v", 0)), IngestCounts{.no_room = 1});
  std::filesystem::create_directories(folder);
  EXPECT_EQ((*ingest)->Take(Line("w", 0)), IngestCounts{.stored = 1});
}

TEST(Ingest, TakesAsManyWritersAtOnceAsFilesMayBeOpen) {
  const testing::ScratchFolder scratch;
  const testing::FilesLimit limit(400);
  auto ingest = Ingest::Open(scratch.path());
  ASSERT_TRUE(ingest);
  int64_t stored = 0;
  for (int w = 0; w < 201; ++w) stored += (*ingest)->Take(Line("w" + std::to_string(w), 0)).stored;
  EXPECT_EQ(stored, 200);
  EXPECT_TRUE((*ingest)->IsCrowded());
}

}  // namespace
}  // namespace stepscope::goodput::ingest_test
