// Tests datagrams, as seen on the wire and hostile.
#include "capture/torch/fabric.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "capture/torch/fabric_socket.h"
#include "tests/scratch.h"

namespace stepscope::capture::fabric_test {
namespace {

std::string Of(uint64_t size, std::string_view type, std::string_view payload) {
  std::string bytes(40, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  std::memcpy(bytes.data() + 8, type.data(), type.size());
  return bytes.append(payload);
}

std::string Payload(std::initializer_list<int32_t> words) {
  std::string bytes;
  for (const int32_t word : words) bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  return bytes;
}

TEST(TorchFabric, ReadsAPoll) {
  const auto message = ParseMessage(Of(24, "req", Payload({2, 2, 42, 0, 111, 1})));
  ASSERT_TRUE(message.has_value());
  const auto& poll = std::get<Poll>(*message);
  EXPECT_EQ(poll.type, 2);
  EXPECT_EQ(poll.job, 42);
  EXPECT_EQ(poll.pids, (std::vector<int32_t>{111, 1}));
  EXPECT_TRUE(ParseMessage(Of(16, "ctxt", Payload({0, 111, 42, 0}))).has_value());
}

TEST(TorchFabric, RefusesWrongSizesTypesAndCounts) {
  const std::string good = Payload({2, 1, 0, 0, 111});
  for (const std::string& bytes :
       {std::string(), std::string(39, 'x'), Of(21, "req", good), Of(19, "req", good),
        Of(uint64_t{1} << 40, "req", good), Of(20, "requ", good),
        Of(20, std::string(32, 'r'), good), Of(20, "req", Payload({2, 2, 0, 0, 111})),
        Of(20, "req", Payload({2, -1, 0, 0, 111})),
        Of(20, "req", Payload({2, 2'000'000'000, 0, 0, 111})), Of(16, "req", Payload({2, 0, 0, 0})),
        Of(0, "req", ""), Of(8, "ctxt", Payload({0, 1}))}) {
    EXPECT_FALSE(ParseMessage(bytes).has_value());
  }
}

TEST(TorchFabric, AnswersAreDatagramsToo) {
  EXPECT_EQ(PollAnswer("A=1\n"), Of(4, "req", "A=1\n"));
  EXPECT_EQ(PollAnswer(""), Of(0, "req", ""));
  EXPECT_EQ(ContextAnswer(), Of(4, "ctxt", Payload({1})));
}

TEST(TorchFabric, ASocketHasOneProgram) {
  const testing::ScratchFolder scratch;
  const auto first = FabricSocket::Bind(scratch.path());
  ASSERT_TRUE(first.has_value());
  const auto second = FabricSocket::Bind(scratch.path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().what, "another program answers libkineto's requests");
  EXPECT_FALSE(FabricSocket::Bind("/tmp/" + std::string(60, 'x')).has_value());
}

TEST(TorchFabric, AStaleSocketIsReplaced) {
  const testing::ScratchFolder scratch;
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = scratch.path() + "/dynolog";
  std::memcpy(name.sun_path, path.data(), path.size());
  const int file = socket(AF_UNIX, SOCK_DGRAM, 0);
  ASSERT_EQ(bind(file, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  close(file);
  EXPECT_TRUE(FabricSocket::Bind(scratch.path()).has_value());
}

TEST(TorchFabric, AnswersNoAddressOfAnotherKind) {
  const testing::ScratchFolder scratch;
  auto socket = FabricSocket::Bind(scratch.path());
  EXPECT_FALSE(socket->Answer(std::string("\0dynoconfigclient1\0", 19), ""));
  EXPECT_FALSE(socket->Answer(scratch.path() + "/dynoconfigclient/../x", ""));
  EXPECT_FALSE(socket->Answer(scratch.path() + "/other", ""));
  EXPECT_FALSE(socket->Answer("", ""));
}

}  // namespace
}  // namespace stepscope::capture::fabric_test
