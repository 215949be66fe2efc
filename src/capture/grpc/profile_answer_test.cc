// Tests the reader of profiles in answers, on answers in parts and on damaged ones.
#include "capture/grpc/profile_answer.h"

#include <gtest/gtest.h>

#include "base/proto.h"

namespace stepscope::capture::profile_answer_test {
namespace {

struct Read {
  bool good = false, whole = false, empty = false;
  int64_t tools = 0;
  std::string profile;
  friend bool operator==(const Read&, const Read&) = default;
};

// In chunks of this size.
Read ReadIn(size_t chunk, std::string_view bytes) {
  Read read;
  ProfileAnswer answer([&](std::string_view part) {
    read.profile += part;
    return true;
  });
  read.good = true;
  for (; read.good && !bytes.empty(); bytes.remove_prefix(std::min(chunk, bytes.size())))
    read.good = answer.Add(bytes.substr(0, chunk));
  read.whole = answer.whole();
  read.empty = answer.empty_trace();
  read.tools = answer.tool_data();
  return read;
}

TEST(ProfileAnswer, HandsOnTheProfileWhateverTheChunks) {
  std::string bytes;
  protozero::pbf_writer answer(bytes);
  answer.add_string(6, "old tool's data");
  answer.add_bool(7, true);
  answer.add_message(8, std::string(300, 'p'));
  answer.add_fixed64(9, 1);
  answer.add_fixed32(10, 1);
  answer.add_string(8, "q");
  const Read whole{.good = true,
                   .whole = true,
                   .empty = true,
                   .tools = 1,
                   .profile = std::string(300, 'p') + "q"};
  for (const size_t chunk : {1u, 2u, 3u, 7u, 100u, 1000u}) EXPECT_EQ(ReadIn(chunk, bytes), whole);
  EXPECT_FALSE(ReadIn(50, std::string_view(bytes).substr(0, 100)).whole);
}

TEST(ProfileAnswer, RefusesWhatIsNoMessage) {
  for (const std::string_view bytes :
       {std::string_view("\0", 1), std::string_view("\x03"), std::string_view("\x07"),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")})
    EXPECT_FALSE(ReadIn(1, bytes).good) << bytes;
}

TEST(ProfileAnswer, WaitsForLengthsThatNeverCome) {
  // Field 8 of 2^40 bytes.
  const Read read = ReadIn(100, "\x42\x80\x80\x80\x80\x80\x20profile");
  EXPECT_TRUE(read.good);
  EXPECT_FALSE(read.whole);
  EXPECT_EQ(read.profile, "profile");
}

}  // namespace
}  // namespace stepscope::capture::profile_answer_test
