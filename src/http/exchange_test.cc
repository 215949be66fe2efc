// Tests requests with one deadline, against servers that misbehave.
#include "http/exchange.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tests/scratch.h"

namespace stepscope::http::exchange_test {
namespace {

// Answers one connection over a Unix socket with these bytes, one part every 50 ms, and leaves.
Reply Answered(const std::vector<std::string>& parts, Limits limits = {}) {
  const testing::ScratchFolder scratch;
  const std::string path = scratch.path() + "/socket";
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  std::memcpy(name.sun_path, path.data(), path.size());
  bind(file, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  listen(file, 1);
  std::jthread server([&] {
    const int peer = accept(file, nullptr, nullptr);
    char request[1024];
    recv(peer, request, sizeof request, 0);
    for (const std::string& part : parts) {
      send(peer, part.data(), part.size(), MSG_NOSIGNAL);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    close(peer);
  });
  Reply reply = Exchange({.host = path}, "POST", "/x", limits);
  server.join();
  close(file);
  return reply;
}

TEST(Exchange, ReadsAnAnswerInParts) {
  const Reply reply = Answered({"HTTP/1.1 200 OK\r\nConte", "nt-Length: 5\r\n\r\nhe", "llo"});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "hello");
  EXPECT_EQ(Answered({"HTTP/1.1 200 OK\r\n\r\nto the end"}).body, "to the end");
  EXPECT_EQ(Answered({"HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nwhy"}).status, 500);
}

TEST(Exchange, SaysWhatWentWrong) {
  EXPECT_EQ(Answered({}).failure, Failure::kBroken);
  EXPECT_EQ(Answered({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"}).failure, Failure::kBroken);
  EXPECT_EQ(Answered({"\x16\x03\x01 no HTTP\r\n\r\n"}).failure, Failure::kBroken);
  EXPECT_EQ(Answered({"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhe"}, {.most = 100}).failure,
            Failure::kTooLarge);
  EXPECT_EQ(Answered({"HTTP/1.1 200 OK\r\n" + std::string(1 << 20, 'x')}).failure,
            Failure::kBroken);
  EXPECT_EQ(Exchange({.host = "/no/such/socket"}, "GET", "/", {}).failure, Failure::kRefused);
  EXPECT_EQ(Exchange({.host = "no-such-host.invalid", .port = 1}, "GET", "/", {}).failure,
            Failure::kNoHost);
}

TEST(Exchange, EndsAtItsDeadlineWhateverTrickles) {
  const std::vector<std::string> slow(20, "x");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(Answered(slow, {.deadline = 200'000'000}).failure, Failure::kTimeout);
  EXPECT_EQ(Answered(slow, {.cancelled = [] { return true; }}).failure, Failure::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(8));
}

}  // namespace
}  // namespace stepscope::http::exchange_test
