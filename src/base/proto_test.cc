// Tests that messages are read back as written, and that damaged ones end the reading.
#include "base/proto.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::proto_test {
namespace {

using std::string_view_literals::operator""sv;

TEST(TakeVarint, TakesNumbersOfEveryLength) {
  for (int bits = 0; bits <= 64; ++bits) {
    for (const uint64_t number :
         {bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits), bits == 0 ? 0 : uint64_t{1} << (bits - 1),
          bits == 0 ? 0 : 0xa5c3'9617'2b4d'8e0f >> (64 - bits)}) {
      for (const std::string_view behind :
           {""sv, "\x81"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv}) {
        std::string bytes;
        pbf_writer(bytes).add_uint64(1, number);
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

// Whether all of `message` can be passed over.
bool IsMessage(std::string_view message) {
  return ReadFields(message, [](pbf_reader& field) { field.skip(); });
}

TEST(ReadFields, TakesEveryTypeOfField) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_uint64(1, 300);
  writer.add_double(2, 0.25);
  writer.add_float(3, 1.5F);
  writer.add_string(536'870'911, "text\0with zero"sv);
  std::string text;
  uint64_t number = 0;
  double real = 0;
  int others = 0;
  EXPECT_TRUE(ReadFields(bytes, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(1):
        number = field.get_uint64();
        break;
      case DoubleField(2):
        real = field.get_double();
        break;
      case BytesField(536'870'911):
        text = field.get_view();
        break;
      default:
        ++others;
        field.skip();
    }
  }));
  EXPECT_EQ(number, 300u);
  EXPECT_EQ(real, 0.25);
  EXPECT_EQ(text, "text\0with zero"sv);
  EXPECT_EQ(others, 1);
  EXPECT_TRUE(IsMessage(""));
}

TEST(ReadFields, WhatIsNotAMessageStopsItWithoutAnException) {
  for (const std::string_view bytes : {
           "\x00\x01"sv,                                          // field 0
           "\xc2\xa3\x09\x00"sv,                                  // field 19000, which is reserved
           "\xfa\xe1\x09\x00"sv,                                  // field 19999
           "\x0b"sv,                                              // a group
           "\x0c"sv,                                              // the end of one
           "\x0f"sv,                                              // an unknown type
           "\x08"sv,                                              // a number is missing
           "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,  // one of more than 64 bits
           "\x09\x01\x02"sv,                                      // 8 bytes are
           "\x0d\x01\x02"sv,                                      // 4 bytes are
           "\x0a\x05whol"sv,                                      // one is
           "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,      // a length of 2^64
           "\x80"sv,                                              // half a tag
       }) {
    const std::string message = "\x08\x05" + std::string(bytes);
    int taken = 0;
    EXPECT_FALSE(ReadFields(message, [&](pbf_reader& field) {
      if (field.tag_and_type() == VarintField(1) && taken == 0) {
        EXPECT_EQ(field.get_uint64(), 5u);
        ++taken;
      } else {
        field.skip();
      }
    }));
    EXPECT_EQ(taken, 1) << "what stands before the damage";
  }
}

}  // namespace
}  // namespace stepscope::proto_test
