// Files are there whole or not at all, and failures leave no crumbs.
#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/scratch.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

size_t FilesIn(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(WriteFileAtomically, WritesAndReplaces) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path() + "/report.json";
  ASSERT_TRUE(WriteFileAtomically(path, "first, and longer"));
  EXPECT_EQ(Content(path), "first, and longer");
  ASSERT_TRUE(WriteFileAtomically(path, std::string("sec\0nd", 6)));
  EXPECT_EQ(Content(path), std::string("sec\0nd", 6));
  ASSERT_TRUE(WriteFileAtomically(path, ""));
  EXPECT_EQ(Content(path), "");
  EXPECT_EQ(FilesIn(folder.path()), 1u);
}

TEST(WriteFileAtomically, ARelativePathIsInTheCurrentFolder) {
  const testing::ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_TRUE(WriteFileAtomically("report.txt", "x"));
  fs::current_path(before);
  EXPECT_EQ(Content(folder.path() + "/report.txt"), "x");
}

// A link stays one, though what it leads to is not there yet.
TEST(WriteFileAtomically, WritesBehindLinks) {
  const testing::ScratchFolder folder;
  fs::create_directories(folder.path() + "/else");
  fs::create_symlink("else/real", folder.path() + "/link");
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(WriteFileAtomically(folder.path() + "/link", text));
    EXPECT_TRUE(fs::is_symlink(folder.path() + "/link"));
    EXPECT_EQ(Content(folder.path() + "/else/real"), text);
  }
}

TEST(WriteFileAtomically, FailsWithTheReasonAndLeavesNothing) {
  const testing::ScratchFolder folder;
  for (const std::string& path :
       {folder.path() + "/no/such/folder/x", folder.path(), std::string("/proc/x"),
        folder.path() + "/" + std::string(300, 'n'), std::string()}) {
    const auto written = WriteFileAtomically(path, "text");
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().where, path);
    EXPECT_TRUE(written.error().what.starts_with("cannot write the file: "));
    EXPECT_NE(written.error().hint, "");
  }
  EXPECT_EQ(FilesIn(folder.path()), 0u);
}

TEST(WriteFileAtomically, KeepsTheModeOfAFileAndHeedsTheMaskForANewOne) {
  const testing::ScratchFolder folder;
  const std::string path = folder.Write("old", "x");
  chmod(path.c_str(), 0640);
  ASSERT_TRUE(WriteFileAtomically(path, "y"));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);

  const mode_t mask = umask(027);
  ASSERT_TRUE(WriteFileAtomically(folder.path() + "/new", "y"));
  umask(mask);
  ASSERT_EQ(stat((folder.path() + "/new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(WriteFileAtomically, ALinkStaysALink) {
  const testing::ScratchFolder folder;
  const std::string target = folder.Write("real/file", "old");
  const std::string link = folder.path() + "/link";
  fs::create_symlink(target, link);
  ASSERT_TRUE(WriteFileAtomically(link, "new"));
  EXPECT_EQ(Content(link), "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(Content(target), "new");
}

TEST(WriteFileAtomically, DevicesAndPipesAreWrittenTo) {
  EXPECT_TRUE(WriteFileAtomically("/dev/null", "gone"));
  EXPECT_FALSE(WriteFileAtomically("/dev/full", "no space"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  const testing::ScratchFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Content(pipe); });
  EXPECT_TRUE(WriteFileAtomically(pipe, "through"));
  reader.join();
  EXPECT_EQ(read, "through");
}

}  // namespace
}  // namespace stepscope
