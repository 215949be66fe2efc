// Tests the layer that cuts the power: what was synced in whatever way stays, and only that.
#include "tests/power_loss.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/scratch.h"

namespace stepscope::testing::power_loss_test {
namespace {

// A file without a name that gets one after `sync` was called with it and its folder.
std::string LeftOf(const std::function<void(int file, int folder)>& sync) {
  const ScratchFolder folder;
  const std::string store = folder.path() + "/store", left = folder.path() + "/left";
  std::filesystem::create_directories(store);
  PowerLoss power(store);
  const int where = open(store.c_str(), O_RDONLY | O_DIRECTORY);
  const int file = open(store.c_str(), O_TMPFILE | O_RDWR, 0600);
  EXPECT_EQ(write(file, "bytes", 5), 5);
  sync(file, where);
  const std::string itself = fmt::format("/proc/self/fd/{}", file);
  EXPECT_EQ(linkat(AT_FDCWD, itself.c_str(), where, "name", AT_SYMLINK_FOLLOW), 0);
  EXPECT_EQ(fsync(where), 0);
  close(file);
  close(where);
  power.Promise(1);
  std::mt19937 random(1);
  WriteState(power.Stop().back(), 0, random, left);
  EXPECT_TRUE(std::filesystem::exists(left + "/name"));
  return Content(left + "/name");
}

TEST(PowerLoss, KeepsWhatWasSynced) {
  EXPECT_EQ(LeftOf([](int file, int) { fsync(file); }), "bytes");
  EXPECT_EQ(LeftOf([](int file, int) { fdatasync(file); }), "bytes");
  EXPECT_EQ(LeftOf([](int, int folder) { syncfs(folder); }), "bytes");
}

TEST(PowerLoss, LosesWhatWasNot) {
  EXPECT_EQ(LeftOf([](int, int) {}), "");
  EXPECT_EQ(LeftOf([](int, int folder) { fsync(folder); }), "");
}

TEST(PowerLoss, ASyncOfAllKeepsNamesToo) {
  const ScratchFolder folder;
  const std::string store = folder.path() + "/store", left = folder.path() + "/left";
  std::filesystem::create_directories(store);
  PowerLoss power(store);
  std::ofstream(store + "/file") << "bytes";
  const int where = open(store.c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(syncfs(where), 0);
  close(where);
  power.Promise(1);
  std::mt19937 random(1);
  const auto moments = power.Stop();
  WriteState(moments.front(), 0, random, left);
  EXPECT_FALSE(std::filesystem::exists(left + "/file"));
  WriteState(moments.back(), 0, random, left);
  EXPECT_EQ(Content(left + "/file"), "bytes");
}

}  // namespace
}  // namespace stepscope::testing::power_loss_test
