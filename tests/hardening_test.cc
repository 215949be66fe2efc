// Looks at the program that was built: what it loads and what of it stays writable.
#include <gtest/gtest.h>

#include "tests/paths.h"
#include "tests/sanitized.h"
#include "tests/shell.h"

namespace stepscope::testing::hardening_test {
namespace {

TEST(Hardening, NothingIsLoadedFromTheCurrentDirectoryAndTablesAreReadOnly) {
  if (kSanitized) GTEST_SKIP() << "not of a release";
  const Outcome read = Shell("readelf -hldW '" + Binary() + "'");
  if (read.code == 127) GTEST_SKIP() << "no readelf here";
  ASSERT_EQ(read.code, 0) << read.err;
  EXPECT_TRUE(read.out.contains("Position-Independent Executable")) << read.out;
  EXPECT_TRUE(read.out.contains("GNU_RELRO")) << read.out;
  EXPECT_TRUE(read.out.contains("BIND_NOW")) << read.out;
  // An empty entry stands for the current directory.
  EXPECT_FALSE(read.out.contains("[:") || read.out.contains("::") || read.out.contains(":]"))
      << read.out;
}

}  // namespace
}  // namespace stepscope::testing::hardening_test
