// Tests how much of a directory is looked at for what a stuck job left behind.
#include "session/stuck_job.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/flight/flight_reader.h"
#include "tests/scratch.h"

namespace stepscope::testing::stuck_job_test {
namespace {

TEST(StuckJob, LooksAtTheBeginningOfSomeFiles) {
  const ScratchFolder folder;
  folder.Write("a_rank_0", R"({"version": "2.10", "pg_config": {}, "entries": []})");
  for (int i = 0; i < 300; ++i)
    folder.Write("checkpoint_" + std::to_string(i), std::string(3 * kHangSniff, 'x'));
  std::vector<Note> notes;
  const LookedAt looked = NoteStuckJob(std::vector{folder.path()}, {}, Places(), notes);
  EXPECT_EQ(looked.files, kMostNoted);
  EXPECT_LE(looked.bytes, kMostNoted * static_cast<int64_t>(kHangSniff));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].count, 1);
}

TEST(StuckJob, PassesOverTraces) {
  const ScratchFolder folder;
  folder.Write("a_rank_0", R"({"version": "2.10", "pg_config": {}, "entries": []})");
  FoundTraces traces;
  traces.files = {folder.path() + "/a_rank_0"};
  std::vector<Note> notes;
  EXPECT_EQ(NoteStuckJob(std::vector{folder.path()}, traces, Places(), notes).files, 0);
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace stepscope::testing::stuck_job_test
