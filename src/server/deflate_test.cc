// Tests that another library inflates what was packed.
#include "server/deflate.h"

#include <gtest/gtest.h>

#include "tests/gzip.h"

namespace stepscope::deflate_test {
namespace {

std::string Deflate(std::string_view bytes) {
  RawDeflater deflater;
  deflater.Add(bytes);
  return std::move(deflater).Finish();
}

TEST(Deflate, GivesBackWhatItTook) {
  std::string noise;
  for (uint32_t k = 0, x = 1; k < 100'000; ++k) {
    x = x * 1664525 + 1013904223;
    noise += static_cast<char>(x >> 24);
  }
  const std::string same(1'000'000, 'x');
  for (const std::string& text : {std::string(), std::string("a"), noise, same, same + noise}) {
    const std::string packed = Deflate(text);
    EXPECT_EQ(testing::InflateRaw(packed), text);
    EXPECT_LE(packed.size(), text.size() + text.size() / 1000 + 16);
  }
  EXPECT_LT(Deflate(same).size(), 2000u);
}

TEST(Deflate, OfPiecesIsOneStreamWhoseSizeIsKnownOnTheWay) {
  RawDeflater deflater;
  std::string whole;
  size_t before = 0;
  for (int k = 0; k < 50; ++k) {
    const std::string piece(static_cast<size_t>(k) * 100, static_cast<char>('a' + k % 26));
    deflater.Add(piece);
    whole += piece;
    if (k % 10 != 9) continue;
    const size_t size = deflater.Flush();
    EXPECT_GT(size, before);
    before = size;
  }
  const std::string packed = std::move(deflater).Finish();
  EXPECT_EQ(testing::InflateRaw(packed), whole);
  EXPECT_LE(packed.size(), before + 8);
}

}  // namespace
}  // namespace stepscope::deflate_test
