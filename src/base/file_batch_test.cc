// Tests that files of a batch appear together and that few descriptors suffice.
#include "base/file_batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "tests/scratch.h"

namespace stepscope::file_batch_test {
namespace {

namespace fs = std::filesystem;

using testing::Content;

auto FilesIn(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

Result<void> AddNumbers(FileBatch& batch, const std::string& folder, int count) {
  for (int k = 0; k < count; ++k) {
    auto added = batch.Add(fmt::format("{}/{}", folder, k), std::to_string(k));
    if (!added) return added;
  }
  return {};
}

TEST(FileBatch, FilesAppearWithTheCommit) {
  const testing::ScratchFolder folder;
  FileBatch batch(folder.path(), Sharing::kOwner);
  ASSERT_TRUE(AddNumbers(batch, folder.path(), 20));
  EXPECT_EQ(FilesIn(folder.path()), 0);
  ASSERT_TRUE(batch.Commit());
  EXPECT_EQ(FilesIn(folder.path()), 20);
  EXPECT_EQ(Content(folder.path() + "/7"), "7");
  struct stat state{};
  ASSERT_EQ(stat((folder.path() + "/7").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 07777, 0600u);
}

TEST(FileBatch, NothingIsLeftWithoutACommit) {
  const testing::ScratchFolder folder;
  {
    FileBatch batch(folder.path(), Sharing::kOwner);
    ASSERT_TRUE(AddNumbers(batch, folder.path(), 20));
  }
  EXPECT_EQ(FilesIn(folder.path()), 0);
}

TEST(FileBatch, ReplacesFilesAndReachesFoldersBelow) {
  const testing::ScratchFolder folder;
  const std::string old = folder.Write("old", "before"), below = folder.Write("x/y", "before");
  FileBatch batch(folder.path(), Sharing::kOwner);
  ASSERT_TRUE(AddNumbers(batch, folder.path(), 8));
  ASSERT_TRUE(batch.Add(old, "after"));
  ASSERT_TRUE(batch.Add(below, "after"));
  EXPECT_EQ(Content(old), "before");
  ASSERT_TRUE(batch.Commit());
  EXPECT_EQ(Content(old), "after");
  EXPECT_EQ(Content(below), "after");
}

TEST(FileBatch, FewDescriptorsSuffice) {
  const testing::ScratchFolder folder;
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{static_cast<rlim_t>(FilesIn("/proc/self/fd")) + 8, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  FileBatch batch(folder.path(), Sharing::kOwner);
  const auto added = AddNumbers(batch, folder.path(), 100);
  const auto done = batch.Commit();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(added) << added.error().what;
  EXPECT_TRUE(done);
  EXPECT_EQ(FilesIn(folder.path()), 100);
}

TEST(FileBatch, SaysWhatItCannotWrite) {
  const testing::ScratchFolder folder;
  FileBatch batch(folder.path(), Sharing::kOwner);
  ASSERT_TRUE(batch.Add(folder.path() + "/good", "x"));
  const auto bad = batch.Add(folder.path() + "/no/such/folder", "x");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, folder.path() + "/no/such/folder");
}

}  // namespace
}  // namespace stepscope::file_batch_test
