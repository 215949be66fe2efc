// Tests that the checksum is zlib's, in one call or in parts.
#include "base/crc32.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace stepscope::crc32_test {
namespace {

uint32_t Of(std::string_view bytes, uint32_t before = 0) {
  return Crc32(bytes.data(), bytes.size(), before);
}

// Values of Python's zlib.crc32.
TEST(Crc32, IsTheOneOfZlib) {
  EXPECT_EQ(Of(""), 0u);
  EXPECT_EQ(Of("a"), 0xE8B7BE43u);
  EXPECT_EQ(Of("123456789"), 0xCBF43926u);
  EXPECT_EQ(Of("The quick brown fox jumps over the lazy dog"), 0x414FA339u);
  EXPECT_EQ(Of("123456789", 0x12345678u), 0x01F4807Bu);
}

TEST(Crc32, ContinuesWhereItStopped) {
  const std::string text = "twenty-eight bytes and a few more of them";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Of(text.substr(cut), Of(text.substr(0, cut))), Of(text)) << cut;
  }
}

}  // namespace
}  // namespace stepscope::crc32_test
