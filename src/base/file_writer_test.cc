// Tests that files appear complete or not at all, and that failures leave nothing behind.
#include "base/file_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "tests/scratch.h"

namespace stepscope::file_writer_test {
namespace {

namespace fs = std::filesystem;

using testing::Content;

size_t FilesIn(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(WriteFile, WritesAndReplaces) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path() + "/report.json";
  ASSERT_TRUE(WriteFile(path, "first, and longer"));
  EXPECT_EQ(Content(path), "first, and longer");
  ASSERT_TRUE(WriteFile(path, std::string("sec\0nd", 6)));
  EXPECT_EQ(Content(path), std::string("sec\0nd", 6));
  ASSERT_TRUE(WriteFile(path, ""));
  EXPECT_EQ(Content(path), "");
  EXPECT_EQ(FilesIn(folder.path()), 1u);
}

TEST(WriteFile, ARelativePathIsInTheCurrentFolder) {
  const testing::ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_TRUE(WriteFile("report.txt", "x"));
  fs::current_path(before);
  EXPECT_EQ(Content(folder.path() + "/report.txt"), "x");
}

// A link stays one, though what it leads to is not there yet.
TEST(WriteFile, WritesBehindLinks) {
  const testing::ScratchFolder folder;
  fs::create_directories(folder.path() + "/else");
  fs::create_symlink("else/real", folder.path() + "/link");
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(WriteFile(folder.path() + "/link", text));
    EXPECT_TRUE(fs::is_symlink(folder.path() + "/link"));
    EXPECT_EQ(Content(folder.path() + "/else/real"), text);
  }
}

TEST(WriteFile, FailsWithTheReasonAndLeavesNothing) {
  const testing::ScratchFolder folder;
  for (const std::string& path :
       {folder.path() + "/no/such/folder/x", folder.path(), std::string("/proc/x"),
        folder.path() + "/" + std::string(300, 'n'), std::string()}) {
    const auto written = WriteFile(path, "text");
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().where, path);
    EXPECT_TRUE(written.error().what.starts_with("cannot write the file: "));
    EXPECT_NE(written.error().hint, "");
  }
  EXPECT_EQ(FilesIn(folder.path()), 0u);
}

TEST(WriteFile, KeepsTheModeOfAFileAndHeedsTheMaskForANewOne) {
  const testing::ScratchFolder folder;
  const std::string path = folder.Write("old", "x");
  chmod(path.c_str(), 0640);
  ASSERT_TRUE(WriteFile(path, "y"));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);

  const mode_t mask = umask(027);
  ASSERT_TRUE(WriteFile(folder.path() + "/new", "y"));
  umask(mask);
  ASSERT_EQ(stat((folder.path() + "/new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(WriteFile, ALinkStaysALink) {
  const testing::ScratchFolder folder;
  const std::string target = folder.Write("real/file", "old");
  const std::string link = folder.path() + "/link";
  fs::create_symlink(target, link);
  ASSERT_TRUE(WriteFile(link, "new"));
  EXPECT_EQ(Content(link), "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(Content(target), "new");
}

TEST(WriteFile, DevicesAndPipesAreWrittenTo) {
  EXPECT_TRUE(WriteFile("/dev/null", "gone"));
  EXPECT_FALSE(WriteFile("/dev/full", "no space"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  const testing::ScratchFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Content(pipe); });
  EXPECT_TRUE(WriteFile(pipe, "through"));
  reader.join();
  EXPECT_EQ(read, "through");
}

TEST(FileWriter, AFileOfPiecesAppearsWhenItIsCommitted) {
  for (const auto temporary : {FileWriter::Temporary::kUnnamed, FileWriter::Temporary::kNamed}) {
    const testing::ScratchFolder folder;
    const std::string path = folder.Write("events.json.gz", "old");
    GzipCompressor gzip;
    FileWriter file(path, &gzip, temporary);
    ASSERT_TRUE(file.Create());
    for (const char* piece : {"first, ", "", "second"}) ASSERT_TRUE(file.Append(piece));
    ASSERT_TRUE(file.Finish());
    EXPECT_EQ(Content(path), "old");
    ASSERT_TRUE(file.Commit());
    EXPECT_EQ(Gunzip(Content(path)), "first, second");
    EXPECT_EQ(file.raw_bytes(), 13);
    EXPECT_EQ(FilesIn(folder.path()), 1u);
  }
}

TEST(FileWriter, LeavesNothingOfWhatIsNotCommitted) {
  for (const auto temporary : {FileWriter::Temporary::kUnnamed, FileWriter::Temporary::kNamed}) {
    const testing::ScratchFolder folder;
    const std::string path = folder.Write("report.json", "old");
    {
      FileWriter file(path, nullptr, temporary);
      ASSERT_TRUE(file.Create());
      ASSERT_TRUE(file.Append("new"));
      FileWriter moved(std::move(file));
      ASSERT_TRUE(moved.Finish());
    }
    EXPECT_EQ(Content(path), "old");
    EXPECT_EQ(FilesIn(folder.path()), 1u);
  }
}

// The job's ranks are written side by side, and there may be more of them than descriptors.
TEST(FileWriter, NamedTemporariesHoldNoDescriptors) {
  const testing::ScratchFolder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<FileWriter> files;
  bool good = true;
  for (int k = 0; k < 100; ++k) {
    files.emplace_back(folder.path() + "/" + std::to_string(k), nullptr,
                       FileWriter::Temporary::kNamed);
    good = good && files.back().Create() && files.back().Append("x");
  }
  for (FileWriter& file : files) good = good && file.Finish() && file.Commit();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(good);
  EXPECT_EQ(FilesIn(folder.path()), 100u);
}

TEST(FileWriter, AppendsToAFileThatGrows) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path() + "/log";
  ASSERT_TRUE(AppendToFile(path, "one "));
  ASSERT_TRUE(AppendToFile(path, "two"));
  EXPECT_EQ(Content(path), "one two");
  const auto failed = AppendToFile(folder.path() + "/none/log", "x");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().where, folder.path() + "/none/log");
  EXPECT_EQ(failed.error().what, "cannot write the file: No such file or directory");
}

TEST(FileWriter, StreamsIntoADevice) {
  FileWriter file("/dev/null");
  ASSERT_TRUE(file.Create());
  ASSERT_TRUE(file.Append("gone"));
  ASSERT_TRUE(file.Finish());
  ASSERT_TRUE(file.CommitAndSync());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace stepscope::file_writer_test
