// Tests that a run in a storage is found and answered as one in a directory.
#include "stepscope/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <utility>

#include "stepscope/demo.h"
#include "stepscope/find_runs.h"
#include "stepscope/partials.h"
#include "stepscope/session.h"
#include "tests/scratch.h"

namespace stepscope::storage_test {
namespace {

namespace fs = std::filesystem;
using Kind = StoredItem::Kind;

// The files of a directory of this machine under other names.
struct Bucket {
  std::map<std::string, std::string> files;
  mutable std::atomic<size_t> sent = 0;  // bytes
  bool backwards = false;                // how folders are listed
  size_t sends = SIZE_MAX;               // bytes, before reading fails

  explicit Bucket(const std::string& folder, const std::string& under) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      files[under + "/" + entry.path().lexically_relative(folder).string()] =
          testing::Content(entry.path());
    }
  }

  StoredItem Find(const std::string& path) const {
    const auto file = files.find(path);
    if (file != files.end())
      return {.path = path, .kind = Kind::kFile, .bytes = std::ssize(file->second)};
    const auto below = files.lower_bound(path + "/");
    const bool folder = below != files.end() && below->first.starts_with(path + "/");
    return {.path = path, .kind = folder ? Kind::kFolder : Kind::kNone};
  }
  std::vector<StoredItem> List(const std::string& folder) const {
    std::map<std::string, StoredItem> items;
    for (const auto& [path, text] : files) {
      if (!path.starts_with(folder + "/")) continue;
      const std::string child = path.substr(0, path.find('/', folder.size() + 1));
      items[child] = Find(child);
    }
    std::vector<StoredItem> list;
    for (const auto& [path, item] : items) list.push_back(item);
    if (backwards) std::ranges::reverse(list);
    return list;
  }
  StorageRef storage() const {
    return std::make_shared<const Storage>(
        Storage{.holds = [](std::string_view path) { return path.starts_with("s3://"); },
                .find = [this](const std::string& path, auto done) { done(Find(path)); },
                .list = [this](const std::string& path, auto done) { done(List(path)); },
                .read =
                    [this](const std::string& path, uint64_t offset, size_t size, auto done) {
                      std::string part = files.at(path).substr(offset, size);
                      sent += part.size();
                      if (sent > sends) return done(std::unexpected(Error{"503", path, "again"}));
                      done(std::move(part));
                    }});
  }
};

TEST(Storage, ARunInABucketIsAnsweredAsOneInADirectory) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", {}));
  const Bucket bucket(folder.path() + "/job", "s3://b/job");
  const std::vector<std::string> here = {folder.path() + "/job"}, there = {"s3://b/job"};
  auto local = Session::Open(here);
  auto stored = Session::Open(there, {.storage = bucket.storage()});
  ASSERT_TRUE(local && stored);
  EXPECT_EQ(stored->run().name, "s3://b/job");
  EXPECT_EQ(stored->run().ranks, local->run().ranks);
  const auto a = local->Analyze(), b = stored->Analyze();
  ASSERT_TRUE(a && b);
  for (size_t r = 0; r < a->reports.size(); ++r) {
    ASSERT_EQ(a->reports[r].tables.size(), b->reports[r].tables.size());
    for (size_t t = 0; t < a->reports[r].tables.size(); ++t)
      EXPECT_EQ(a->reports[r].tables[t].rows, b->reports[r].tables[t].rows);
  }
  EXPECT_EQ(stored->ReadEvents(1)->size(), local->ReadEvents(1)->size());
  EXPECT_FALSE(FindRuns("s3://b", bucket.storage()).empty());
}

// Partials of 10,000 ranks are one file.
TEST(Storage, AFileOfManyRanksIsReadOnceForTheirClocks) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", {.ranks = 8, .steps = 2}));
  const std::vector<std::string> traces = {folder.path() + "/job"}, there = {"s3://b/part"};
  ASSERT_TRUE(MapRanks(traces, {.folder = folder.path() + "/part"}));
  const Bucket bucket(folder.path() + "/part", "s3://b/part");
  ASSERT_EQ(bucket.files.size(), 1u);
  const auto run = Session::Open(there, {.storage = bucket.storage()});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->run().ranks, 8);
  const size_t before = bucket.sent;
  (void)run->StepsOnClock();
  EXPECT_GT(bucket.sent, before);
  EXPECT_LE(bucket.sent - before, bucket.files.begin()->second.size());
}

std::string MapInto(const std::string& folder, const Bucket& bucket, const std::string& path) {
  const auto mapped =
      MapRanks(std::vector{path}, {.folder = folder, .shard = {1, 3}, .storage = bucket.storage()});
  return mapped ? std::string(mapped->reports.front().headline) : mapped.error().what;
}

TEST(Storage, ShardsAreTheSameInAnyOrderOfAListing) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", {.ranks = 12, .steps = 2}));
  Bucket bucket(folder.path() + "/job", "s3://b/job");
  MapInto(folder.path() + "/a", bucket, "s3://b/job");
  bucket.backwards = true;
  MapInto(folder.path() + "/b", bucket, "s3://b/job");
  const std::string file = ShardFileName({1, 3});
  EXPECT_EQ(testing::Content(folder.path() + "/a/" + file),
            testing::Content(folder.path() + "/b/" + file));
}

TEST(Storage, PartialsAreWrittenToADirectoryAlone) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", {.ranks = 4, .steps = 2}));
  const Bucket bucket(folder.path() + "/job", "s3://b/job");
  EXPECT_EQ(MapInto("s3://b/part", bucket, "s3://b/job"),
            "partials are written to a directory, not to a URL");
  EXPECT_FALSE(std::filesystem::exists("s3:"));
  EXPECT_FALSE(MergePartials(std::vector{folder.path() + "/job"}, "s3://b/all.ranks.parquet"));
}

TEST(Storage, TheTraceOfABucketIsAskedByItsOwnCommand) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", {.ranks = 4, .steps = 2}));
  const Bucket bucket(folder.path() + "/job", "s3://b/job");
  ASSERT_TRUE(MapRanks(std::vector<std::string>{"s3://b/job"},
                       {.folder = folder.path() + "/part", .storage = bucket.storage()}));
  const auto run = Session::Open(std::vector{folder.path() + "/part"}, {.keep_events = true});
  const auto events = run->ReadEvents(1);
  ASSERT_FALSE(events.has_value());
  EXPECT_TRUE(events.error().hint.starts_with("open the trace: python3 -m stepscope analyze s3://"))
      << events.error().hint;
}

// One range of 4 MB comes, the second does not.
TEST(Storage, NoPartialIsMadeOfAFileThatIsCutShort) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(
      WriteDemo(folder.path() + "/job",
                {.ranks = 1, .slow_rank = -1, .compress = false, .min_raw_bytes = 9'000'000}));
  Bucket bucket(folder.path() + "/job", "s3://b/job");
  auto& [name, trace] = *std::ranges::find_if(
      bucket.files, [](const auto& file) { return file.first.contains("rank"); });
  const std::string path = name;
  bucket.sends = size_t{5} << 20;
  const MapOptions options{.folder = folder.path() + "/part", .storage = bucket.storage()};
  const auto failed = MapRanks(std::vector{path}, options);
  ASSERT_FALSE(failed) << trace.size();
  EXPECT_EQ(failed.error().what, "503");
  EXPECT_FALSE(fs::exists(folder.path() + "/part/" + ShardFileName({})));
  bucket.sends = SIZE_MAX;
  EXPECT_TRUE(MapRanks(std::vector{path}, options));
}

TEST(Storage, WhatIsNotThereIsAnError) {
  const testing::ScratchFolder folder;
  folder.Write("rank0.txt", "");
  const Bucket bucket(folder.path(), "s3://b/job");
  for (const char* path : {"s3://b/job", "s3://b/nothing"}) {
    const auto run = Session::Open(std::vector<std::string>{path}, {.storage = bucket.storage()});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().where, path);
  }
}

}  // namespace
}  // namespace stepscope::storage_test
