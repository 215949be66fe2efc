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

TEST(ByteSource, LookingAheadTakesNothingHoweverFarOneLooked) {
  ByteSource source = ByteSource::FromMemory("0123456789");
  EXPECT_EQ(source.Peek(4), "0123");
  EXPECT_EQ(source.Peek(20), "0123456789");
  EXPECT_EQ(source.Peek(2), "01");
  std::string all(20, ' ');
  all.resize(source.Read(all));
  EXPECT_EQ(all, "0123456789");
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

TEST(ByteSource, AFolderOrNothingIsAnError) {
  EXPECT_FALSE(ByteSource::Open("/"));
  EXPECT_FALSE(ByteSource::Open("/no/such/file"));
}

}  // namespace
}  // namespace stepscope::byte_source_test
