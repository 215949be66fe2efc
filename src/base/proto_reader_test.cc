// The wire format, read back from what is written and from what is damaged.
#include "base/proto_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/proto_writer.h"

namespace stepscope {
namespace {

using std::string_view_literals::operator""sv;

// As a varint of every length; at the end of the bytes, and with others behind it.
TEST(TakeVarint, TakesNumbersOfEveryLength) {
  for (int bits = 0; bits <= 64; ++bits) {
    for (const uint64_t number :
         {bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits), bits == 0 ? 0 : uint64_t{1} << (bits - 1),
          bits == 0 ? 0 : 0xa5c3'9617'2b4d'8e0f >> (64 - bits)}) {
      for (const std::string_view behind :
           {""sv, "\x81"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv}) {
        std::string bytes;
        ProtoWriter(bytes).Varint(1, number);
        bytes += behind;
        std::string_view rest = std::string_view(bytes).substr(1);  // behind the tag
        uint64_t taken = 0;
        EXPECT_TRUE(TakeVarint(rest, taken));
        EXPECT_EQ(taken, number);
        EXPECT_EQ(rest, behind);
      }
    }
  }
}

TEST(TakeVarint, TakesNoneThatDoesNotEnd) {
  for (const std::string_view bytes : {""sv, "\x80"sv, "\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                                       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv}) {
    std::string_view rest = bytes;
    uint64_t taken = 0;
    EXPECT_FALSE(TakeVarint(rest, taken));
  }
}

TEST(ProtoReader, ReadsEveryTypeOfField) {
  std::string bytes;
  ProtoWriter writer(bytes);
  writer.Varint(1, 300);
  writer.Varint(2, static_cast<uint64_t>(int64_t{-5}));
  writer.Double(3, 0.25);
  writer.Float(4, 1.5F);
  writer.Text(536'870'911, "text\0with zero"sv);
  writer.Message(6, [&] { writer.Varint(1, 1); });
  ProtoReader fields(bytes);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.field(), 1u);
  EXPECT_EQ(fields.Unsigned(), 300u);
  EXPECT_EQ(fields.Double(), 0);
  EXPECT_TRUE(fields.Bytes().empty());
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.Signed(), -5);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.Double(), 0.25);
  EXPECT_EQ(fields.Unsigned(), 0u) << "of another type";
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.type(), WireType::kFixed32);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.field(), 536'870'911u);
  EXPECT_EQ(fields.Bytes(), "text\0with zero"sv);
  ASSERT_TRUE(fields.Next());
  ProtoReader inner(fields.Bytes());
  EXPECT_TRUE(inner.Next());
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

TEST(ProtoReader, VarintsAreTenBytesAtMost) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63,
                               std::numeric_limits<uint64_t>::max()}) {
    std::string bytes;
    ProtoWriter(bytes).Varint(1, value);
    ProtoReader fields(bytes);
    ASSERT_TRUE(fields.Next());
    EXPECT_EQ(fields.Unsigned(), value);
  }
  const std::string too_long = "\x08" + std::string(10, '\xff') + '\x01';
  ProtoReader fields(too_long);
  EXPECT_FALSE(fields.Next());
  EXPECT_FALSE(fields.ok());
}

TEST(ProtoReader, WhatIsNoMessageStopsIt) {
  for (const std::string_view bytes : {
           "\x00\x01"sv,                                      // field 0
           "\x0b"sv,                                          // a group
           "\x0f"sv,                                          // no type at all
           "\x08"sv,                                          // a number is missing
           "\x09\x01\x02"sv,                                  // 8 bytes are
           "\x0d\x01\x02"sv,                                  // 4 bytes are
           "\x0a\x05whol"sv,                                  // one is
           "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,  // a length of 2^64
           "\x80"sv,                                          // half a tag
       }) {
    ProtoReader fields(bytes);
    EXPECT_FALSE(fields.Next());
    EXPECT_FALSE(fields.ok());
    EXPECT_FALSE(fields.Next()) << "and for good";
  }
  ProtoReader nothing("");
  EXPECT_FALSE(nothing.Next());
  EXPECT_TRUE(nothing.ok());
}

}  // namespace
}  // namespace stepscope
