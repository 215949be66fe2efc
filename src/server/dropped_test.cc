// Tests what is kept of dropped files, and where; tests/page_server_test.cc has them over HTTP.
#include "server/dropped.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stepscope::server::dropped_test {
namespace {

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Dropped, KeepsPartsOfFilesUntilItEnds) {
  std::string folder;
  {
    Dropped dropped;
    ASSERT_TRUE(dropped.Append(7, "rank0.json", 0, "ab").has_value());
    ASSERT_TRUE(dropped.Append(7, "rank0.json", 2, "cd").has_value());
    ASSERT_TRUE(dropped.Append(7, "dir/rank1.json", 0, "x").has_value());
    folder = dropped.Finish(7).value();
    EXPECT_EQ(TextOf(folder + "/rank0.json"), "abcd");
    EXPECT_EQ(TextOf(folder + "/rank1.json"), "x");
    const auto mode = std::filesystem::status(folder).permissions();
    EXPECT_EQ(mode & std::filesystem::perms::others_all, std::filesystem::perms::none);
    EXPECT_FALSE(dropped.Append(7, "rank2.json", 0, "x").has_value());  // it is complete
    ASSERT_TRUE(dropped.Append(8, "one.json", 0, "y").has_value());
    EXPECT_TRUE(dropped.Finish(8).value().ends_with("/8/one.json"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Dropped, NoNameLeadsAnywhereElse) {
  EXPECT_EQ(SafeName("../../etc/passwd"), "passwd");
  EXPECT_EQ(SafeName("C:\\a\\b c.json.gz"), "b_c.json.gz");
  EXPECT_EQ(SafeName(std::string_view("a\0b\n;$.json", 11)), "a_b___.json");
  EXPECT_EQ(SafeName(".."), "");
  EXPECT_EQ(SafeName(".hidden"), "hidden");
  EXPECT_EQ(SafeName("a/"), "");
  EXPECT_EQ(SafeName(std::string(1000, 'a')).size(), 200u);
  Dropped dropped;
  EXPECT_FALSE(dropped.Append(1, "..", 0, "x").has_value());
}

TEST(Dropped, LostPartsAndTooMuchAreTold) {
  Dropped dropped({.bytes = 10, .files = 2});
  ASSERT_TRUE(dropped.Append(1, "a", 0, "12345").has_value());
  EXPECT_FALSE(dropped.Append(1, "a", 3, "1").has_value());
  EXPECT_FALSE(dropped.Append(1, "a", 0, "1").has_value());
  EXPECT_FALSE(dropped.Append(1, "a", 5, "123456").has_value());
  ASSERT_TRUE(dropped.Append(1, "b", 0, "12345").has_value());
  EXPECT_FALSE(dropped.Append(2, "c", 0, "").has_value());
  EXPECT_FALSE(dropped.Finish(9).has_value());
}

}  // namespace
}  // namespace stepscope::server::dropped_test
