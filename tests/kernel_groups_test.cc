// Tests a user's own groups of kernels, from the file to the tables.
#include "stepscope/kernel_groups.h"

#include <gtest/gtest.h>

#include "tests/answer.h"
#include "tests/front_door.h"

namespace stepscope::testing::kernel_groups_test {
namespace {

// "name: pattern pattern; ...", or the error.
std::string Read(std::string_view toml) {
  const auto groups = ParseKernelGroups(toml);
  if (!groups) return groups.error().what;
  std::string text;
  for (const KernelGroup& group : *groups) {
    text += (text.empty() ? "" : "; ") + group.name + ":";
    for (const std::string& pattern : group.patterns) text += " " + pattern;
  }
  return text;
}

// The parser read beyond the end of this one.
TEST(KernelGroups, ThatAreNotUtf8AreRefused) {
  const auto groups = ParseKernelGroups("'\xa4'\xa4");
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().what, "the file is not TOML: it is not UTF-8");
}

TEST(KernelGroups, KeepTheOrderOfTheFile) {
  EXPECT_EQ(Read("[groups]\nz = [\"*z*\", '*y*'] # why not\n\na = \"*\"\n"), "z: *z* *y*; a: *");
}

TEST(KernelGroups, WhatIsNoFileOfGroupsSaysWhy) {
  EXPECT_EQ(Read(""), "missing table [groups]");
  EXPECT_EQ(Read("groups = 1"), "missing table [groups]");
  EXPECT_EQ(Read("[groups]"), "[groups] is empty");
  EXPECT_EQ(Read("[groups]\na = 1"), "group 'a' is neither a pattern nor a list of patterns");
  EXPECT_EQ(Read("[groups]\na = []"), "group 'a' has no pattern");
  EXPECT_EQ(Read("[groups]\na = [1]"), "a pattern of group 'a' is not a text");
  EXPECT_TRUE(Read("[groups\n").starts_with("the file is not TOML: "));
  EXPECT_TRUE(Read(std::string("\0\xff{]", 4)).starts_with("the file is not TOML: "));
  EXPECT_EQ(Read("a = " + std::string(100'000, '[')), "the file has more than a thousand brackets");
  EXPECT_EQ(Read("a = 0b" + std::string(80, '1')),
            "the file is not TOML: a number has more than 64 bits");
  EXPECT_EQ(Read("[groups]\na = 0b11"), "group 'a' is neither a pattern nor a list of patterns");
  std::string many = "[groups]\n";
  for (int i = 0; i < 33; ++i) many += "g" + std::to_string(i) + " = \"*\"\n";
  EXPECT_EQ(Read(many), "there are more than 32 groups");
}

// Rows of a table as "group time time; ...".
std::string Rows(const ReportSet& answer, std::string_view table,
                 std::initializer_list<std::string_view> columns) {
  std::string text;
  for (const Row& row : RowsOf(answer, "kernel_groups", table)) {
    text += (text.empty() ? "" : "; ") + row.Text("group");
    for (const std::string_view column : columns) text += " " + std::to_string(row.Int(column));
  }
  return text;
}

TEST(KernelGroups, TimeAloneAndBesideOthers) {
  const ScratchFolder folder;
  // all_to_all 0..10 and 5..20 us, gemm 8..12, all_reduce 30..40 beside something 35..50.
  const std::string path = folder.Write(
      "t.json", Document({Kernel("ncclDevKernel_AllToAll", 0, 10, 20),
                          Kernel("ncclDevKernel_AllToAll", 5, 15, 21), Kernel("gemm", 8, 4),
                          Kernel("ncclDevKernel_AllReduce", 30, 10, 20), Kernel("x", 35, 15)}));
  const auto groups = ParseKernelGroups("[groups]\na2a = \"*AllToAll*\"\nar = \"*AllReduce*\"\n");
  ASSERT_TRUE(groups);
  const auto answer = Ask({path}, {.groups = *groups});
  ASSERT_TRUE(answer);
  EXPECT_EQ(Rows(*answer, "groups", {"count", "sum", "busy", "alone"}),
            "a2a 2 25000 20000 16000; ar 1 10000 10000 5000; other compute 2 19000 19000 10000");
  EXPECT_EQ(Rows(*answer, "overlaps", {"time"}),
            "a2a 4000; ar 5000; other compute 4000; other compute 5000");
}

TEST(KernelGroups, WithoutAFileThereIsNoAnswer) {
  const auto answer = AskAbout(Document({Kernel("gemm", 0, 5)}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(ReportOf(*answer, "kernel_groups").why, "set `groups` to a TOML file of patterns");
}

}  // namespace
}  // namespace stepscope::testing::kernel_groups_test
