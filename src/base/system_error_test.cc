// Tests errors of the system.
#include "base/system_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace stepscope::system_error_test {
namespace {

TEST(SystemError, SaysWhatWhereAndWhatToTry) {
  const Error error = SystemError("cannot read the directory", ENOENT, "/nope");
  EXPECT_EQ(error.what, "cannot read the directory: No such file or directory");
  EXPECT_EQ(error.where, "/nope");
  EXPECT_TRUE(error.hint.contains("spelling"));
  for (const int number : {EACCES, ENOTDIR, EISDIR, EMFILE, ENFILE, ENOMEM, EIO, ENOSPC, EROFS}) {
    EXPECT_NE(SystemError("cannot open", number, "x").hint, "") << number;
  }
  EXPECT_EQ(SystemError("cannot open", ELOOP, "x").hint, "");
}

}  // namespace
}  // namespace stepscope::system_error_test
