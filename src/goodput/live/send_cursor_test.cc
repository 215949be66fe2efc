// Checks that a cursor round-trips and that a damaged one is ignored.
#include "goodput/live/send_cursor.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/scratch.h"

namespace stepscope::goodput::send_cursor_test {
namespace {

constexpr SendPosition kHalf{.at = 77}, kDone{.at = 5, .done = true, .mark = 1ULL << 63};

TEST(SendCursor, RoundTrips) {
  const testing::ScratchFolder scratch;
  const std::string path = scratch.path() + "/cursor";
  SendCursor cursor(path);
  cursor.Load();  // there is none yet
  cursor.Set("a b.goodput", kHalf);
  cursor.Set("folder/c.goodput", kDone);
  cursor.Set("no\nline", kDone);
  ASSERT_TRUE(cursor.Save());
  SendCursor again(path);
  again.Load();
  EXPECT_EQ(again.At("a b.goodput"), kHalf);
  EXPECT_EQ(again.At("folder/c.goodput"), kDone);
  EXPECT_EQ(again.At("no\nline"), SendPosition{});
  EXPECT_EQ(again.At("other"), SendPosition{});
  again.Prune([](const std::string& name) { return name.starts_with("a"); });
  ASSERT_TRUE(again.Save());
  cursor = SendCursor(path);
  cursor.Load();
  EXPECT_EQ(cursor.At("a b.goodput"), kHalf);
  EXPECT_EQ(cursor.At("folder/c.goodput"), SendPosition{});
}

// Rather all once more than a position that was never reached.
TEST(SendCursor, DamagedFileIsIgnored) {
  const testing::ScratchFolder scratch;
  const std::string path = scratch.path() + "/cursor";
  SendCursor cursor(path);
  cursor.Set("a", kHalf);
  ASSERT_TRUE(cursor.Save());
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (size_t k = 0; k < whole.size(); ++k) {
    for (const std::string& damaged :
         {whole.substr(0, k),
          whole.substr(0, k) + static_cast<char>(whole[k] ^ 1) + whole.substr(k + 1)}) {
      scratch.Write("cursor", damaged);
      SendCursor read(path);
      read.Load();
      EXPECT_EQ(read.At("a"), SendPosition{}) << damaged;
    }
  }
}

}  // namespace
}  // namespace stepscope::goodput::send_cursor_test
