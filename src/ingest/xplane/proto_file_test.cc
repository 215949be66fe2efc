// Tests fields of messages larger than the window.
#include "ingest/xplane/proto_file.h"

#include <gtest/gtest.h>

#include <string>

#include "base/proto.h"
#include "tests/scratch.h"

namespace stepscope::proto_file_test {
namespace {

// Texts of many lengths, some longer than a window, behind one another.
std::string Texts() {
  std::string bytes;
  pbf_writer writer(bytes);
  uint32_t number = 0;
  for (const size_t length :
       {0u, 1u, 127u, 128u, 16'383u, 16'384u, 2'000'000u, 5u, 1'048'576u, 3'000'001u}) {
    ++number;
    writer.add_string(number, std::string(length, static_cast<char>('a' + number)));
    writer.add_uint64(100, length);
    writer.add_fixed64(101, length);
  }
  return bytes;
}

void Check(ProtoFile file) {
  ByteRange all{0, file.size()};
  uint32_t number = 0;
  while (const auto text = file.Next(all)) {
    EXPECT_EQ(text->number, ++number);
    const auto bytes = file.View(text->bytes);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, std::string(text->bytes.size(), static_cast<char>('a' + number)));
    const auto length = file.Next(all);
    ASSERT_TRUE(length);
    EXPECT_EQ(length->value, text->bytes.size());
    ASSERT_TRUE(file.Next(all));
  }
  EXPECT_EQ(number, 10u);
  EXPECT_EQ(all.size(), 0u);
}

TEST(ProtoFile, ReadsFilesThroughAWindow) {
  const testing::ScratchFolder folder;
  auto source = ByteSource::Open(folder.Write("a.pb", Texts()));
  ASSERT_TRUE(source);
  Check(ProtoFile(SeekableBytes(std::move(*source))));
}

TEST(ProtoFile, ReadsMemoryTheSameWay) {
  const std::string bytes = Texts();
  Check(ProtoFile(SeekableBytes(ByteSource::FromMemory(bytes))));
}

TEST(ProtoFile, WhatIsCutShortLeavesItsRest) {
  const std::string bytes = Texts().substr(0, 100'000);
  ProtoFile file(SeekableBytes(ByteSource::FromMemory(bytes)));
  ByteRange all{0, file.size()};
  int fields = 0;
  while (file.Next(all)) ++fields;
  EXPECT_EQ(fields, 18);
  EXPECT_GT(all.size(), 0u);
  EXPECT_FALSE(file.View({0, bytes.size() + 1}));
  EXPECT_FALSE(file.View({bytes.size() + 7, bytes.size() + 9}));
  EXPECT_TRUE(file.View({0, 0}));
}

}  // namespace
}  // namespace stepscope::proto_file_test
