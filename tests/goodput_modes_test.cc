// Checks whom the files and directories of ledgers and recorders are for.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "goodput/live/ingest.h"
#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_ledger.h"
#include "tests/goodput_lines.h"
#include "tests/scratch.h"

namespace stepscope::testing::goodput_modes_test {
namespace {

namespace fs = std::filesystem;
using goodput::EventKind;
using goodput::Ingest;
using goodput::Recorder;

class GoodputModesTest : public ::testing::Test {
 protected:
  GoodputModesTest() : before_(umask(022)) {}
  ~GoodputModesTest() override { umask(before_); }

  static mode_t ModeOf(const std::string& path) {
    struct stat state{};
    return stat(path.c_str(), &state) == 0 ? state.st_mode & 07777 : 0;
  }

  void ExpectModes(mode_t folder, mode_t file) const {
    EXPECT_EQ(ModeOf(store_), folder);
    int files = 0;
    for (const auto& entry : fs::directory_iterator(store_)) {
      EXPECT_EQ(ModeOf(entry.path()), file) << entry.path();
      ++files;
    }
    EXPECT_GE(files, 2);  // a segment and a manifest at least
  }

  void Record(bool group) const {
    Recorder recorder(
        {.directory = store_, .job = "j", .background = false, .group_readable = group});
    goodput::Record record{.kind = EventKind::kJobStart};
    ASSERT_TRUE(recorder.Write(record));
    recorder.Close();
  }

  void Collect(Sharing sharing) const {
    auto ingest = Ingest::Open(store_, sharing);
    ASSERT_TRUE(ingest);
    const std::string line =
        R"({"job_name":"j","event":"job_start","time":1780000000,"writer":"w","sequence":0})";
    ASSERT_EQ((*ingest)->Take(line).stored, 1);
  }

  void Import(bool group) const {
    const std::string file = folder_.Write("events.jsonl", Entry(At("job_start_time", 0)));
    ASSERT_TRUE(GoodputImport(store_, {file}, group));
    ASSERT_TRUE(GoodputJobs(store_));
  }

  const ScratchFolder folder_;
  const std::string store_ = folder_.path() + "/a/ledger";

 private:
  mode_t before_;
};

TEST_F(GoodputModesTest, AreForTheOwner) {
  Record(false);
  ExpectModes(0700, 0600);
  fs::remove_all(store_);
  Collect(Sharing::kOwner);
  ExpectModes(0700, 0600);
  fs::remove_all(store_);
  Import(false);
  ExpectModes(0700, 0600);
}

TEST_F(GoodputModesTest, AreForTheGroupIfAskedWhateverTheUmask) {
  umask(077);
  Record(true);
  ExpectModes(0750, 0640);
  fs::remove_all(store_);
  Collect(Sharing::kGroup);
  ExpectModes(0750, 0640);
  fs::remove_all(store_);
  Import(true);
  ExpectModes(0750, 0640);
}

// What an import adds is as readable as what is there.
TEST_F(GoodputModesTest, ALedgerOfAGroupStaysOne) {
  Record(true);
  Import(false);
  ExpectModes(0750, 0640);
}

TEST_F(GoodputModesTest, ExistingDirectoriesStay) {
  fs::create_directories(store_);
  chmod(store_.c_str(), 02775);
  Record(false);
  ExpectModes(02775, 0600);
  Import(false);
  Collect(Sharing::kOwner);
  ExpectModes(02775, 0600);
}

}  // namespace
}  // namespace stepscope::testing::goodput_modes_test
