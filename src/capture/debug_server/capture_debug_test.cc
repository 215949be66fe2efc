// Tests captures over PyTorch's debug server against small servers that behave and misbehave as
// real ones do.
#include "stepscope/capture_debug.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "capture/debug_server/answers.h"
#include "capture/debug_server/store.h"
#include "tests/scratch.h"

namespace stepscope::capture::capture_debug_test {
namespace {

using testing::Content;
using testing::ScratchFolder;

// Accepts connections on loopback and hands each to `serve`, until it is destroyed.
class Server {
 public:
  explicit Server(std::function<void(int)> serve) : serve_(std::move(serve)) {
    file_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    bind(file_, reinterpret_cast<sockaddr*>(&name), size);
    listen(file_, 16);
    getsockname(file_, reinterpret_cast<sockaddr*>(&name), &size);
    port_ = ntohs(name.sin_port);
    thread_ = std::jthread([this] {
      for (int peer = 0; (peer = accept(file_, nullptr, nullptr)) >= 0;) {
        serve_(peer);
        close(peer);
      }
    });
  }
  ~Server() {
    shutdown(file_, SHUT_RDWR);
    thread_.join();
    close(file_);
  }

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  std::function<void(int)> serve_;
  int file_ = -1, port_ = 0;
  std::jthread thread_;
};

void Say(int peer, const std::string& bytes) {
  send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string Heard(int peer) {
  std::string bytes(4096, '\0');
  const ssize_t got = recv(peer, bytes.data(), bytes.size(), 0);
  return bytes.substr(0, static_cast<size_t>(std::max<ssize_t>(0, got)));
}

void Http(int peer, int status, const std::string& body) {
  Say(peer, "HTTP/1.1 " + std::to_string(status) +
                " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

const std::string kTrace =
    R"({"distributedInfo": {"backend": "gloo", "rank": 3, "world_size": 4}, )"
    R"("traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]})";

// As a rank of PyTorch 2.15 answers.
void Rank(int peer) {
  const std::string request = Heard(peer);
  if (!request.starts_with("POST ")) return Http(peer, 404, "");
  if (request.contains("/handler/ping ")) return Http(peer, 200, "pong");
  if (request.contains("/handler/torch_profile?duration=0.")) return Http(peer, 200, kTrace);
  if (request.contains("/handler/fr_trace_json ")) return Http(peer, 200, R"({"version": "2.10"})");
  if (request.contains("/handler/dump_traceback ")) return Http(peer, 200, "Thread 1");
  Http(peer, 404, "unknown");
}

DebugCaptureOptions Asking(const std::string& address, const ScratchFolder& scratch) {
  return {.capture = {.window = {.duration = 100'000'000}, .folder = scratch.path() + "/run"},
          .addresses = {address}};
}

TEST(DebugCapture, TakesTraceStacksAndFlightRecorder) {
  const ScratchFolder scratch;
  const Server server(Rank);
  const auto result = CaptureDebug(Asking(server.address(), scratch));
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(TracesOf(*result), 1u) << result->outcomes[0].reason;
  EXPECT_EQ(result->outcomes[0].target.rank, 3);
  const std::string run = scratch.path() + "/run/";
  EXPECT_EQ(Content(run + result->outcomes[0].file), kTrace);
  for (const char* folder : {"stacks", "flight_recorder"})
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run + folder), {}), 1) << folder;
}

TEST(DebugCapture, SaysWhatAServerIs) {
  const auto reason = [](std::function<void(int)> serve) {
    const ScratchFolder scratch;
    const Server server(std::move(serve));
    const auto result = CaptureDebug(Asking(server.address(), scratch));
    return result ? result->outcomes.at(0).reason : result.error().what;
  };
  EXPECT_EQ(reason([](int peer) { Http(peer, 200, "hello"); }),
            "it is not a debug server of PyTorch");
  EXPECT_EQ(reason([](int peer) { Http(peer, 404, ""); }),
            "it has no such handler: this PyTorch is too old");
  EXPECT_EQ(reason([](int) {}), "the connection broke");
  EXPECT_EQ(reason([](int peer) { Say(peer, "\x16\x03garbage\r\n\r\n"); }), "the connection broke");
  EXPECT_EQ(reason([](int peer) {
              Say(peer, "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n");
            }),
            "its answer is too large");
}

TEST(DebugCapture, NobodyListensThere) {
  const ScratchFolder scratch;
  const auto result = CaptureDebug(Asking("127.0.0.1:1", scratch));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outcomes[0].reason, "nobody listens there");
}

// The other request is of this test's process, too: a process has one capture at a time.
TEST(DebugCapture, ARankIsProfiledOnceAtATime) {
  const ScratchFolder first, second;
  std::atomic<int> profiles = 0;
  const Server server([&](int peer) {
    const std::string request = Heard(peer);
    if (request.contains("torch_profile")) {
      ++profiles;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return Http(peer, 200, kTrace);
    }
    Http(peer, 200, request.contains("ping") ? "pong" : "x");
  });
  Result<CaptureResult> one;
  {
    const std::jthread other([&] { one = CaptureDebug(Asking(server.address(), first)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto two = CaptureDebug(Asking(server.address(), second));
    EXPECT_EQ(two->outcomes[0].reason,
              "another capture of this process is running; its stacks are in stacks/");
    EXPECT_TRUE(std::filesystem::exists(second.path() + "/run/stacks"));
  }
  EXPECT_EQ(TracesOf(*one), 1u);
  EXPECT_EQ(profiles, 1);
}

TEST(DebugCapture, ADryRunAsksNobody) {
  DebugCaptureOptions options{.addresses = {"127.0.0.1:1"}};
  options.capture.dry_run = true;
  EXPECT_EQ(CaptureDebug(options)->outcomes.size(), 1u);
}

TEST(DebugAddresses, AreReadAsUsersWriteThem) {
  EXPECT_EQ(EndpointOf("node0:41234")->port, 41234);
  EXPECT_EQ(EndpointOf("http://[::1]:80")->host, "::1");
  EXPECT_EQ(EndpointOf(" unix:///run/w.sock ")->host, "/run/w.sock");
  EXPECT_EQ(EndpointOf("/run/w.sock")->host, "/run/w.sock");
  for (const char* bad : {"", "node0", "https://node0:1", "node0:x", "node0:99999", "[::1]"})
    EXPECT_FALSE(EndpointOf(bad).has_value()) << bad;
}

TEST(DebugAnswers, HoldWhatTheySay) {
  EXPECT_EQ(RankIn(kTrace), 3);
  EXPECT_EQ(RankIn(R"({"rank": 3})"), std::nullopt);
  EXPECT_TRUE(HasEvents(kTrace));
  EXPECT_FALSE(HasEvents(kTrace.substr(0, kTrace.size() - 1)));
  EXPECT_FALSE(HasEvents(R"({"traceEvents": []})"));
  EXPECT_FALSE(HasEvents(""));
}

template <class T>
std::string Bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A TCPStore with ranks 0 and 2.
void Store(int peer) {
  std::string greeting;
  while (greeting.size() < 10) {
    const std::string more = Heard(peer);
    if (more.empty()) return;
    greeting += more;
  }
  Say(peer, greeting.substr(6, 4));
  for (std::string question = Heard(peer); !question.empty(); question = Heard(peer)) {
    const bool known = question.ends_with("/rank0") || question.ends_with("/rank2");
    const std::string address = "http://node:1" + question.substr(question.size() - 1);
    if (question[0] == 5)
      Say(peer, known ? std::string(1, '\0') : std::string(1, '\1'));
    else
      Say(peer, Bytes<uint64_t>(address.size()) + address);
  }
}

TEST(DebugStore, HasTheAddressesOfAllRanks) {
  const Server server(Store);
  const auto ranks = RanksInStore({.host = "127.0.0.1", .port = server.port()}, {});
  ASSERT_TRUE(ranks.has_value()) << ranks.error().what;
  ASSERT_EQ(ranks->size(), 3u);
  EXPECT_EQ((*ranks)[0].address, "http://node:10");
  EXPECT_EQ((*ranks)[1].address, "");
  EXPECT_EQ((*ranks)[2].address, "http://node:12");
}

TEST(DebugStore, IsToldFromOtherServers) {
  for (const std::string& answer :
       {std::string(), std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string("abc")}) {
    const Server server([&](int peer) {
      Heard(peer);
      Say(peer, answer);
    });
    EXPECT_FALSE(RanksInStore({.host = "127.0.0.1", .port = server.port()}, {}).has_value());
  }
}

TEST(DebugStore, RefusesAnEndlessValue) {
  const Server server([](int peer) {
    const std::string greeting = Heard(peer);
    Say(peer, greeting.substr(greeting.size() - 4));
    Heard(peer);
    Say(peer, std::string(1, '\0'));
    Heard(peer);
    Say(peer, Bytes<uint64_t>(uint64_t{1} << 40));
  });
  EXPECT_FALSE(RanksInStore({.host = "127.0.0.1", .port = server.port()}, {}).has_value());
}

}  // namespace
}  // namespace stepscope::capture::capture_debug_test
