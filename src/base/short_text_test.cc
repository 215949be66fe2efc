// Tests short texts against the standard library's answer, for every size and every place of a
// difference.
#include "base/short_text.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::short_text_test {
namespace {

TEST(ShortText, LoadsWhatThereIs) {
  EXPECT_EQ(LoadEight(""), 0u);
  EXPECT_EQ(LoadEight("a"), 0x61u);
  EXPECT_EQ(LoadEight("ab"), 0x6261u);
  EXPECT_EQ(LoadEight("abc"), 0x636261u);
  EXPECT_EQ(LoadEight("abcde"), 0x6564636261u);
  EXPECT_EQ(LoadEight("abcdefgh"), 0x6867666564636261u);
  EXPECT_EQ(LoadEight("abcdefghij"), 0x6867666564636261u);
}

TEST(ShortText, TellsTextsApartThatDifferInOneByte) {
  for (size_t size = 0; size < 70; ++size) {
    const std::string text(size, 'x');
    EXPECT_TRUE(SameText(text, std::string(text))) << size;
    EXPECT_FALSE(SameText(text, text + 'x')) << size;
    for (size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      EXPECT_FALSE(SameText(text, other)) << size << " " << at;
    }
  }
}

}  // namespace
}  // namespace stepscope::short_text_test
