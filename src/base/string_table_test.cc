// Tests interning: one id per distinct text, and views that stay valid.
#include "base/string_table.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stepscope::string_table_test {
namespace {

TEST(StringTable, CountsUpFromZeroInOrderOfArrival) {
  StringTable table;
  EXPECT_EQ(table.Intern("gemm"), 0u);
  EXPECT_EQ(table.Intern("relu"), 1u);
  EXPECT_EQ(table.Intern("gemm"), 0u);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1], "relu");
}

TEST(StringTable, FindsWithoutAdding) {
  StringTable table;
  table.Intern("gemm");
  EXPECT_EQ(table.Find("gemm"), 0u);
  EXPECT_EQ(table.Find("relu"), kNoString);
  EXPECT_EQ(table.Find(""), kNoString);
  EXPECT_EQ(table.size(), 1u);
}

TEST(StringTable, AnyBytesAreText) {
  StringTable table;
  const std::string zero("a\0b", 3);
  const std::string large(200'000, 'x');  // larger than the chunks that text is kept in
  EXPECT_EQ(table.Intern(""), 0u);
  EXPECT_EQ(table.Intern(zero), 1u);
  EXPECT_EQ(table.Intern("a"), 2u);
  EXPECT_EQ(table.Intern(large), 3u);
  EXPECT_EQ(table.Intern("after"), 4u);
  EXPECT_EQ(table[0], "");
  EXPECT_EQ(table[1], zero);
  EXPECT_EQ(table[3], large);
  EXPECT_EQ(table[4], "after");
}

TEST(StringTable, GrowsWithoutMovingText) {
  StringTable table;
  std::vector<const char*> places;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(table.Intern("kernel_" + std::to_string(i)), static_cast<StringId>(i));
    places.push_back(table[static_cast<StringId>(i)].data());
  }
  for (int i = 0; i < 100'000; ++i) {
    const auto id = static_cast<StringId>(i);
    ASSERT_EQ(table[id], "kernel_" + std::to_string(i));
    ASSERT_EQ(table[id].data(), places[id]);
    ASSERT_EQ(table.Find("kernel_" + std::to_string(i)), id);
  }
}

TEST(StringTable, ViewsOutliveAMove) {
  StringTable table;
  table.Intern("gemm");
  const std::string_view view = table[0];
  const StringTable moved = std::move(table);
  EXPECT_EQ(moved[0].data(), view.data());
  EXPECT_EQ(moved.Find("gemm"), 0u);
}

}  // namespace
}  // namespace stepscope::string_table_test
