// Tests exported memory timelines: what is kept of an entry, and the effect of damage.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/trace_reader.h"

namespace stepscope::memory_changes_test {
namespace {

Result<Trace> Read(std::string_view json, const ReadOptions& options = {}) {
  return ReadTrace(ByteSource::FromMemory(json), options);
}

std::vector<MemoryChange> ChangesOf(const Trace& trace) {
  const auto changes = trace.memory.view();
  return {changes.begin(), changes.end()};
}

TEST(MemoryChanges, KeepsWhatAnEntrySays) {
  const auto t = Read(R"([[-1, 1, 37888, 7], [1696966047096061874,2,4000,4],
    [1696966047096061875, 3, -4000, 4], [1696966047096061875, "DESTROY", "-8", "OPTIMIZER_STATE"],
    [5, 2, 1, null]])");
  ASSERT_TRUE(t);
  EXPECT_TRUE(t->meta.memory_only);
  EXPECT_EQ(ChangesOf(*t),
            (std::vector<MemoryChange>{
                {.time = -1, .bytes = 37888, .use = MemoryUse::kUnknown, .before = true},
                {1696966047096061874, 4000, MemoryUse::kActivation},
                {1696966047096061875, -4000, MemoryUse::kActivation},
                {1696966047096061875, -8, MemoryUse::kOptimizerState},
                {5, 1, MemoryUse::kUnknown}}));
  EXPECT_EQ(t->events_in_file, 5);
  EXPECT_EQ(t->size(), 0u);
  EXPECT_EQ(t->notes.Count(NoteKind::kUnreadableEvent), 0);
}

TEST(MemoryChanges, AreOnlyCountedWhereNobodyAsks) {
  const auto t = Read("[[1, 2, 3, 4]]", {.keep = kDeviceActivity});
  ASSERT_TRUE(t);
  EXPECT_TRUE(t->memory.empty());
  EXPECT_TRUE(t->meta.memory_only);
  EXPECT_EQ(t->events_in_file, 1);
}

TEST(MemoryChanges, CutAnywhereKeepWhatWasWhole) {
  const std::string whole = "[[-1, 1, 100, 0], [10, 2, 200, 4] ,[20, 4, -200, 4]]";
  size_t before = 0;
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    const auto t = Read(whole.substr(0, cut));
    if (!t) {
      EXPECT_EQ(before, 0u) << cut;
      continue;
    }
    EXPECT_GE(t->memory.size(), before) << cut;
    EXPECT_EQ(t->notes.Count(NoteKind::kTruncated), 1) << cut;
    EXPECT_EQ(t->notes.Count(NoteKind::kUnreadableEvent), 0) << cut;
    before = t->memory.size();
  }
  EXPECT_EQ(before, 3u);
  EXPECT_EQ(Read(whole)->notes.Count(NoteKind::kTruncated), 0);
}

struct Damaged {
  const char* json;
  size_t kept;
  NoteKind note;
  int64_t count;
};

TEST(MemoryChanges, DamageCostsTheEntryItIsIn) {
  for (const Damaged& c : std::vector<Damaged>{
           {"[[1,2,3,4],[1,2,3],[1,2,3,4]]", 2, NoteKind::kUnreadableEvent, 1},
           {"[[1,2,3,4],[1,2,3,4,5],[1,2,3,4]]", 2, NoteKind::kUnreadableEvent, 1},
           {"[[1,2,3,4],[],[1,2,3,4]]", 2, NoteKind::kUnreadableEvent, 1},
           {"[[1,2,3,4],[x,2,3,4],[1,5,3,4],[1,2,1e99,4]]", 1, NoteKind::kUnreadableEvent, 3},
           {"[[9223372036854775807,2,3,4],[1,2,3,4]]", 1, NoteKind::kUnreadableEvent, 1},
           {"[[1,2,3,4],null,7,[1,2,3,4]]", 2, NoteKind::kUnreadableEvent, 2},
           {"[[1,2,3,4],[1,2,[1,2,3,4]]", 2, NoteKind::kMalformed, 1},
           {"[[1,2,3,4]],[1,2,3,4]]", 2, NoteKind::kMalformed, 1},
           {"[[1,2,3,4] [1,2,3,4]]", 2, NoteKind::kTruncated, 0},
           {"[[1,2,3,4],[1,2,3,9]]", 2, NoteKind::kUnknownMemoryUse, 1},
           {"[[1,2,3,4]] x", 1, NoteKind::kTrailingBytes, 1},
           {"[[1,2,3,4],[1,2,3,\"[\"],[1,2,3,4]]", 2, NoteKind::kMalformed, 1},
       }) {
    const auto t = Read(c.json);
    ASSERT_TRUE(t) << c.json;
    EXPECT_EQ(t->memory.size(), c.kept) << c.json;
    EXPECT_EQ(t->notes.Count(c.note), c.count) << c.json;
  }
}

TEST(MemoryChanges, OtherListsOfListsAreNoTimeline) {
  // The second is what PyTorch exports as .json: times, and the sizes at each.
  for (const char* json : {"[[]]", "[[1, 2, 3], [[0, 0, 0, 0, 0, 0, 0, 0, 9]]]", "[[\"a\"]]"}) {
    const auto t = Read(json);
    ASSERT_FALSE(t) << json;
    EXPECT_TRUE(t.error().hint.contains("raw.json.gz")) << json;
  }
}

// Windows are 128 KB: an entry at their border is read once, and a text without brackets does not
// pile up.
TEST(MemoryChanges, BordersOfWindowsDoNotMatter) {
  std::string json = "[";
  int64_t sum = 0;
  for (int64_t i = 0; i < 20'000; ++i) {
    json += "[" + std::to_string(i) + ", 2, " + std::to_string(i * 7) + ", 4],\n ";
    sum += i * 7;
  }
  const std::string junk(size_t{1} << 20, '1');
  const auto t = Read(json + "[" + junk + "],[1,4,-7,4]]");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->memory.size(), 20'001u);
  for (const MemoryChange& change : t->memory.view()) sum -= change.bytes;
  EXPECT_EQ(sum, 7);
  EXPECT_GE(t->notes.Count(NoteKind::kMalformed), 1);
}

}  // namespace
}  // namespace stepscope::memory_changes_test
