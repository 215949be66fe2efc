// Has a shell read words as they were.
#include "base/shell_word.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/shell.h"

namespace stepscope::shell_word_test {
namespace {

TEST(ShellWord, IsQuotedOnlyWhereItNeedsIt) {
  EXPECT_EQ(ShellWord("/data/job-1/rank_0.json.gz"), "/data/job-1/rank_0.json.gz");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ShellWord, IsReadAsItWas) {
  const std::vector<std::string> words = {
      "a b", "$HOME `date` \"x\"", "it's", "", "~", "a\nb", "\\", "*", "\u00e9", "!x;&|<>#"};
  std::string lines;
  for (const std::string& word : words) lines += word + "|";
  EXPECT_EQ(testing::Shell("printf '%s|' " + ShellWords(words)).out, lines);
}

}  // namespace
}  // namespace stepscope::shell_word_test
