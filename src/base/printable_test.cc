// Tests what is shown of names with control characters and invalid UTF-8.
#include "base/printable.h"

#include <gtest/gtest.h>

#include "base/rune.h"

namespace stepscope::printable_test {
namespace {

TEST(Printable, OrdinaryTextPasses) {
  EXPECT_EQ(Printable("void gemm<float>(Params)"), "void gemm<float>(Params)");
  EXPECT_EQ(Printable("größe 数据 🚀"), "größe 数据 🚀");
}

TEST(Printable, EscapeSequencesLoseTheirPower) {
  EXPECT_EQ(Printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(Printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(Printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(Printable("\u009b31m"), "\\u009b31m");     // a CSI in one code point
  EXPECT_EQ(Printable("a\U000E0041b"), "a\\ue0041b");  // a tag, which is invisible
  EXPECT_EQ(Printable("x\u202Egpj"), "x\\u202egpj");   // text shown right to left
  EXPECT_EQ(Printable("a\u2028b\uFEFF"), "a\\u2028b\\ufeff");
}

TEST(Printable, BytesThatAreNoUtf8AreShownAsBytes) {
  EXPECT_EQ(Printable("a\xff"
                      "b"),
            "a\\xffb");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable("cut \xe6\x95"), "cut \\xe6\\x95");
}

TEST(Printable, ACutSequenceIsOneInvalidRune) {
  const Rune rune = DecodeRune("\xe6\x95z", 0);
  EXPECT_FALSE(rune.valid);
  EXPECT_EQ(rune.length, 2u);
}

}  // namespace
}  // namespace stepscope::printable_test
