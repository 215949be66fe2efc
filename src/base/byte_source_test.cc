// Tests bytes of files and of memory, plain and gzip, complete and cut short.
#include "base/byte_source.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/gzip.h"

namespace stepscope::byte_source_test {
namespace {

// All bytes, read in small pieces, and how they ended.
std::pair<std::string, InputEnd> ReadAll(std::string_view input) {
  ByteSource source = ByteSource::FromMemory(input);
  std::string all, piece(7, '\0');
  size_t got = 0;
  do {
    got = source.Read(piece);
    all.append(piece, 0, got);
  } while (got == piece.size());
  return {all, source.end()};
}

TEST(ByteSource, GzipIsToldByItsBytes) {
  const std::string text = "one line\nanother line\n";
  EXPECT_EQ(ReadAll(text), std::pair(text, InputEnd::kClean));
  EXPECT_EQ(ReadAll(testing::Gzip(text)), std::pair(text, InputEnd::kClean));
  EXPECT_EQ(ReadAll(""), std::pair(std::string(), InputEnd::kClean));
}

TEST(ByteSource, WhatWasPeekedAtIsReadHoweverOftenAndFar) {
  const std::string text = "0123456789";
  ByteSource source = ByteSource::FromMemory(text);
  EXPECT_EQ(source.Peek(8), "01234567");
  EXPECT_EQ(source.Peek(3), "012");
  EXPECT_EQ(source.Peek(20), text);
  std::string read(20, '\0');
  read.resize(source.Read(read));
  EXPECT_EQ(read, text);
}

TEST(ByteSource, WhatIsLeftIsReadUpToALimit) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i);
  for (const std::string& bytes : {text, testing::Gzip(text)}) {
    for (const size_t most : {size_t{0}, size_t{1}, size_t{16} << 10, text.size() - 1, text.size(),
                              text.size() + 1, size_t{1} << 40}) {
      ByteSource source = ByteSource::FromMemory(bytes);
      EXPECT_EQ(ReadUpTo(source, most), text.substr(0, most));
      EXPECT_EQ(source.end(), most > text.size() ? InputEnd::kClean : source.end());
    }
  }
}

TEST(ByteSource, FilesJoinedWithCatAreOne) {
  EXPECT_EQ(ReadAll(testing::Gzip("a\n") + testing::Gzip("b\n")),
            std::pair(std::string("a\nb\n"), InputEnd::kClean));
}

TEST(ByteSource, WhatIsCutSaysSo) {
  const std::string whole = testing::Gzip(std::string(1000, 'x') + "end");
  EXPECT_EQ(ReadAll(whole.substr(0, whole.size() - 9)).second, InputEnd::kTruncated);
  EXPECT_EQ(ReadAll(whole + "?").second, InputEnd::kTrailingBytes);
}

// Twenty characters in one block, and a block of a type that does not exist: in pieces of seven,
// the inflater meets the damage before all characters were taken from it.
TEST(ByteSource, WhatIsInFrontOfDamageIsRead) {
  const std::string text = "in front of damage 1";
  const std::string head("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const std::string block = std::string("\0\x14\0\xeb\xff", 5) + text;
  EXPECT_EQ(ReadAll(head + block + "\x07"), std::pair(text, InputEnd::kCorrupt));
}

TEST(ByteSource, AFolderOrNothingIsAnError) {
  EXPECT_FALSE(ByteSource::Open("/"));
  EXPECT_FALSE(ByteSource::Open("/no/such/file"));
}

}  // namespace
}  // namespace stepscope::byte_source_test
