// Tests that one process has one capture at a time, also after a capture that did not answer.
#include "capture/common/lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/scratch.h"

namespace stepscope::capture::lock_test {
namespace {

constexpr int64_t kNow = 1'000'000'000'000;

struct Locks {
  testing::ScratchFolder scratch;
  std::string folder = scratch.path() + "/locks";
  Result<Lock> Take(const std::string& key, int64_t now = kNow) const {
    return Lock::Take(folder, key, "pid 7", now);
  }
};

TEST(CaptureLock, IsHeldByOne) {
  const Locks locks;
  auto first = locks.Take("a");
  ASSERT_TRUE(first.has_value());
  const auto second = locks.Take("a");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().what, "another capture of this process is running");
  EXPECT_EQ(second.error().where, "pid 7");
  EXPECT_TRUE(locks.Take("b").has_value());
}

TEST(CaptureLock, LeavesNothingBehind) {
  const Locks locks;
  {
    const auto lock = locks.Take("a");
  }
  EXPECT_TRUE(std::filesystem::is_empty(locks.folder));
  EXPECT_TRUE(locks.Take("a").has_value());
}

TEST(CaptureLock, RefusesUntilAnUncertainCaptureIsOver) {
  const Locks locks;
  {
    auto lock = locks.Take("a");
    ASSERT_TRUE(lock->Uncertain(kNow + 90'000'000'000, "no answer in time").has_value());
  }
  const auto early = locks.Take("a");
  ASSERT_FALSE(early.has_value());
  EXPECT_EQ(early.error().what,
            "an earlier capture may still run, for 91 s more: no answer in time");
  EXPECT_EQ(early.error().hint, "try again in 91 s");
  EXPECT_TRUE(locks.Take("a", kNow + 90'000'000'000).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(locks.folder));
}

TEST(CaptureLock, IsFreeOnceTheCaptureAnswered) {
  const Locks locks;
  {
    auto lock = locks.Take("a");
    ASSERT_TRUE(lock->Uncertain(kWhileItLives, "no answer").has_value());
    lock->Over();
  }
  EXPECT_TRUE(locks.Take("a").has_value());
}

TEST(CaptureLock, RefusesWhereTheRecordCannotBeRead) {
  const Locks locks;
  {
    const auto lock = locks.Take("a");
  }
  locks.scratch.Write("locks/a.lock", "garbage");
  chmod((locks.folder + "/a.lock").c_str(), 0600);
  EXPECT_FALSE(locks.Take("a").has_value());
}

TEST(CaptureLock, RefusesFoldersAndFilesOfOthers) {
  const Locks locks;
  {
    const auto lock = locks.Take("a");
  }
  chmod(locks.folder.c_str(), 0755);
  EXPECT_EQ(locks.Take("a").error().what, "the directory is not private to this user");
  chmod(locks.folder.c_str(), 0700);
  ASSERT_EQ(symlink("/etc/passwd", (locks.folder + "/a.lock").c_str()), 0);
  EXPECT_FALSE(locks.Take("a").has_value());
}

TEST(CaptureLock, NamesOneStartOfAProcess) {
  const Process first{.pid = 7, .start_ticks = 100}, later{.pid = 7, .start_ticks = 200};
  EXPECT_NE(LockKey(first), LockKey(later));
  EXPECT_EQ(LockKey("host:1/../x").find('/'), std::string::npos);
}

}  // namespace
}  // namespace stepscope::capture::lock_test
