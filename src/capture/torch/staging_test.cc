// Tests private folders that processes write to.
#include "capture/torch/staging.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace stepscope::capture::staging_test {
namespace {

namespace fs = std::filesystem;

Process WritingTo(const std::string& folder) {
  return {.pid = getpid(), .environment = {{"KINETO_ONDEMAND_TRACE_DIR", folder + "/"}}};
}

TEST(TorchStaging, IsPrivateAndGoesAgain) {
  const testing::ScratchFolder scratch;
  {
    const auto staging = Staging::Make(WritingTo(scratch.path()));
    ASSERT_TRUE(staging.has_value());
    EXPECT_TRUE(staging->FileForProcess().starts_with(scratch.path() + "/stepscope-capture-"));
    struct stat facts{};
    stat(staging->path().c_str(), &facts);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  EXPECT_FALSE(Staging::Make(WritingTo("/no/such/folder")).has_value());
  EXPECT_EQ(TraceFolderOf(Process{}), "/tmp");
}

TEST(TorchStaging, TellsATraceFromOneThatIsWritten) {
  const testing::ScratchFolder scratch;
  auto staging = Staging::Make(WritingTo(scratch.path()));
  std::ofstream(staging->path() + "/trace_7.json.tmp") << "{";
  EXPECT_EQ(staging->Look().file, "");
  EXPECT_TRUE(staging->Look().begun);
  EXPECT_EQ(staging->Look().written, 1);
  fs::rename(staging->path() + "/trace_7.json.tmp", staging->path() + "/trace_7.json");
  EXPECT_EQ(staging->Look().file, staging->path() + "/trace_7.json");
  const std::string kept = staging->Keep();
  EXPECT_TRUE(kept.starts_with(scratch.path() + "/stepscope-kept-"));
  EXPECT_TRUE(fs::exists(kept + "/trace_7.json"));
}

TEST(TorchStaging, RemovesWhatKilledCapturesLeft) {
  const testing::ScratchFolder scratch;
  for (const char* name : {"stepscope-capture-999999999-1-abc", "stepscope-kept-999999999-1-abc",
                           "stepscope-capture-x", "other"}) {
    fs::create_directory(scratch.path() + "/" + name);
    fs::last_write_time(scratch.path() + "/" + name,
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  {
    const auto staging = Staging::Make(WritingTo(scratch.path()));
  }
  EXPECT_FALSE(fs::exists(scratch.path() + "/stepscope-capture-999999999-1-abc"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 3);
}

}  // namespace
}  // namespace stepscope::capture::staging_test
