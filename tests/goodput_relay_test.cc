// Checks collectors that pass events on to another: chains, circles, kills, a next one that is
// gone, refuses or cuts the connection.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "tests/goodput_server.h"
#include "tests/scratch.h"

namespace stepscope::goodput_relay_test {
namespace {

using goodput::Event;
using goodput::Notes;
using testing::Exchange;
using testing::Get;
using testing::ServerProcess;

std::string UrlOf(int port) { return fmt::format("http://127.0.0.1:{}", port); }

std::string Lines(int64_t first, int64_t last) {
  std::string lines;
  for (int64_t k = first; k < last; ++k) {
    lines +=
        fmt::format(R"({{"job_name": "relayed", "event": "step_start", "time_ns": {}, "step": {}, )"
                    R"("writer": "w", "sequence": {}}})"
                    "\n",
                    1'780'000'000'000'000'000 + k * 1'000'000, k, k);
  }
  return lines;
}

// Whether the server has confirmed all.
bool Post(int port, const std::string& body) {
  const std::string answer =
      Exchange(port, fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                 "Content-Length: {}\r\n\r\n{}",
                                 body.size(), body));
  return answer.starts_with("HTTP/1.1 200") && answer.contains("\"no_room\": 0");
}

// How many steps are there; none may be there twice.
size_t Steps(const std::string& folder) {
  std::set<int64_t> steps;
  Notes note_counts;
  const auto read = goodput::ReadSegments(folder, note_counts, [&](const Event& event) {
    EXPECT_TRUE(steps.insert(event.step).second) << "twice: " << event.step;
  });
  return read ? steps.size() : 0;
}

// Until it holds; false after a minute.
bool Eventually(const std::function<bool()>& holds) {
  for (int tries = 0; tries < 600; ++tries) {
    if (holds()) return true;
    usleep(100'000);
  }
  return false;
}

// A metric, labels and all; -1: there is none.
double MetricOf(int port, const std::string& name) {
  const std::string metrics = Get(port, "/metrics"), key = "\nstepscope_goodput_" + name + " ";
  const size_t at = metrics.find(key);
  return at == metrics.npos ? -1 : std::atof(metrics.c_str() + at + key.size());
}

bool HasSentAll(int port) { return MetricOf(port, "relay_lag_bytes{}") == 0; }

TEST(GoodputRelay, AChainOfThreePassesAllOnOnce) {
  const testing::ScratchFolder scratch;
  const std::string last = scratch.path() + "/c";
  ServerProcess c(last, 0);
  ServerProcess b(scratch.path() + "/b", 0, {"--to", UrlOf(c.port())});
  ServerProcess a(scratch.path() + "/a", 0, {"--to", UrlOf(b.port())});
  ASSERT_TRUE(Post(a.port(), Lines(0, 3000)));
  EXPECT_TRUE(Eventually([&] { return Steps(last) == 3000; }));
  EXPECT_TRUE(Eventually([&] { return HasSentAll(a.port()); }));
  EXPECT_EQ(MetricOf(a.port(), "relay_events_total{result=\"stored\"}"), 3000);
  EXPECT_GT(MetricOf(a.port(), "relay_confirmed_timestamp_seconds{}"), 1.7e9);
  EXPECT_EQ(MetricOf(c.port(), "relay_lag_bytes{}"), -1);  // it passes nothing on
}

TEST(GoodputRelay, ACircleEndsWhereEventsAreKnown) {
  const testing::ScratchFolder scratch;
  const std::string first = scratch.path() + "/a", second = scratch.path() + "/b";
  auto b = std::make_unique<ServerProcess>(second, 0);
  const int port = b->port();
  ServerProcess a(first, 0, {"--to", UrlOf(port)});
  b->End(SIGTERM);
  b = std::make_unique<ServerProcess>(second, port,
                                      std::vector<std::string>{"--to", UrlOf(a.port())});
  ASSERT_TRUE(Post(a.port(), Lines(0, 500)));
  ASSERT_TRUE(Post(port, Lines(500, 900)));
  const auto duplicates = [&](int at) {
    return MetricOf(at, "ingest_events_total{result=\"duplicate\"}");
  };
  EXPECT_TRUE(Eventually([&] { return duplicates(a.port()) == 500 && duplicates(port) == 400; }));
  sleep(3);  // a circle that did not end would go on meanwhile
  EXPECT_EQ(duplicates(a.port()), 500);
  EXPECT_EQ(duplicates(port), 400);
  EXPECT_EQ(Steps(first), 900u);
  EXPECT_EQ(Steps(second), 900u);
}

TEST(GoodputRelay, TwoOfTheSameEventsCountOnce) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/c";
  ServerProcess c(there, 0);
  ServerProcess a(scratch.path() + "/a", 0, {"--to", UrlOf(c.port())});
  ServerProcess b(scratch.path() + "/b", 0, {"--to", UrlOf(c.port())});
  ASSERT_TRUE(Post(a.port(), Lines(0, 700)));
  ASSERT_TRUE(Post(b.port(), Lines(300, 1000)));
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 1000; }));
}

TEST(GoodputRelay, KeepsWhatTheNextOneCannotTakeAndSaysSo) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/b", errors = scratch.path() + "/errors";
  auto next = std::make_unique<ServerProcess>(there, 0);
  const int port = next->port();
  next->End(SIGKILL);
  auto relay = std::make_unique<ServerProcess>(
      std::vector<std::string>{"goodput", "collect", scratch.path() + "/a", "--port", "0", "--to",
                               UrlOf(port)},
      std::vector<std::string>{}, errors);
  ASSERT_TRUE(Post(relay->port(), Lines(0, 1000)));  // the answer does not wait for the next one
  EXPECT_TRUE(Eventually([&] { return testing::Content(errors).contains("cannot connect"); }));
  EXPECT_TRUE(Eventually([&] { return MetricOf(relay->port(), "relay_lag_seconds{}") > 1.5; }));
  EXPECT_TRUE(Eventually([&] { return MetricOf(relay->port(), "relay_lag_bytes{}") == 32'000; }));
  relay->End(SIGKILL);
  relay = std::make_unique<ServerProcess>(scratch.path() + "/a", 0,
                                          std::vector<std::string>{"--to", UrlOf(port)});
  next = std::make_unique<ServerProcess>(there, port);
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 1000; }));
  EXPECT_TRUE(Eventually([&] { return HasSentAll(relay->port()); }));
}

TEST(GoodputRelay, KillsOfBothLoseAndRepeatNothing) {
  constexpr int kKills = 8;
  constexpr int64_t kBatch = 200;
  const testing::ScratchFolder scratch;
  const std::string here = scratch.path() + "/a", there = scratch.path() + "/b";
  auto next = std::make_unique<ServerProcess>(there, 0);
  const int next_port = next->port();
  const std::vector<std::string> words = {"--to", UrlOf(next_port)};
  auto relay = std::make_unique<ServerProcess>(here, 0, words);
  const int port = relay->port();
  ASSERT_GT(port, 0);
  std::atomic<bool> stop = false;
  std::atomic<int64_t> confirmed = 0;
  std::thread client([&] {
    while (!stop.load()) {
      const int64_t from = confirmed.load();
      if (Post(port, Lines(from, from + kBatch))) confirmed = from + kBatch;
      usleep(2000);
    }
  });
  std::mt19937 random(4711);
  for (int k = 0; k < kKills; ++k) {
    usleep(static_cast<useconds_t>(50'000 + random() % 400'000));
    if (k % 2 == 0) {
      next->End(SIGKILL);
      next = std::make_unique<ServerProcess>(there, next_port);
    } else {
      relay->End(SIGKILL);
      relay = std::make_unique<ServerProcess>(here, port, words);
      ASSERT_EQ(relay->port(), port);
    }
  }
  stop.store(true);
  client.join();
  // Of a batch without an answer all, some or none may be there.
  EXPECT_GT(confirmed.load(), 0);
  EXPECT_TRUE(Eventually([&] { return HasSentAll(port) && Steps(there) == Steps(here); }));
  EXPECT_GE(Steps(there), static_cast<size_t>(confirmed.load()));
}

// A next one that answers each connection as it is told to, then passes on to a real one.
class FaultyProxy {
 public:
  FaultyProxy(int to, std::vector<std::string> faults) : to_(to), faults_(std::move(faults)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    listen(listener_, 16);
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }
  ~FaultyProxy() {
    thread_.request_stop();
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }
  size_t left() const { return faults_.size() - next_; }

 private:
  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waits{.fd = listener_, .events = POLLIN, .revents = 0};
      if (poll(&waits, 1, 50) != 1) continue;
      const int client = accept(listener_, nullptr, nullptr);
      const std::string request = ReadRequest(client);
      const std::string answer = Answer(request);
      if (!answer.empty()) send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      close(client);
    }
  }
  // "": the connection is cut before any answer. "late cut": the real one gets all before.
  std::string Answer(std::string request) {
    const std::string fault = next_ < faults_.size() ? faults_[next_++] : "none";
    if (fault == "cut") return "";
    if (fault.starts_with("HTTP")) return fault;
    // One request on each connection, in the real one's name.
    const size_t host = request.find("Host: ");
    if (host == request.npos) return "";
    request.replace(host, request.find("\r\n", host) - host, "Connection: close\r\nHost: x");
    const std::string answer = Exchange(to_, request);
    return fault == "late cut" ? "" : answer;
  }
  std::string ReadRequest(int client) {
    std::string request;
    char bytes[65536];
    size_t whole = std::string::npos;
    while (request.size() < whole) {
      const ssize_t got = read(client, bytes, sizeof bytes);
      if (got <= 0) break;
      request.append(bytes, static_cast<size_t>(got));
      const size_t end = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
      if (end != request.npos && length != request.npos)
        whole = end + 4 + std::strtoul(&request[length + 16], nullptr, 10);
    }
    return request;
  }

  int to_;
  std::vector<std::string> faults_;
  std::atomic<size_t> next_ = 0;
  int listener_ = -1, port_ = 0;
  std::jthread thread_;
};

TEST(GoodputRelay, OutlivesRefusalsAndCuts) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/b";
  ServerProcess next(there, 0);
  FaultyProxy proxy(
      next.port(), {"cut",  // of the question which store answers
                    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
                    "cut", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
                    "late cut", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"stored\": ",
                    "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"});
  ServerProcess relay(scratch.path() + "/a", 0, {"--to", UrlOf(proxy.port())});
  ASSERT_TRUE(Post(relay.port(), Lines(0, 1000)));
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 1000; }));
  EXPECT_TRUE(Eventually([&] { return HasSentAll(relay.port()); }));
  EXPECT_EQ(proxy.left(), 0u);
}

// As a disk that is replaced.
TEST(GoodputRelay, ANextOneThatLostItsStoreGetsAllAgain) {
  const testing::ScratchFolder scratch;
  const std::string here = scratch.path() + "/a", there = scratch.path() + "/b";
  const std::string errors = scratch.path() + "/errors";
  auto next = std::make_unique<ServerProcess>(there, 0);
  const int port = next->port();
  const auto start = [&] {
    return std::make_unique<ServerProcess>(
        std::vector<std::string>{"goodput", "collect", here, "--port", "0", "--to", UrlOf(port)},
        std::vector<std::string>{}, errors);
  };
  const auto lose = [&] {
    next->End(SIGTERM);
    std::filesystem::remove_all(there);
    next = std::make_unique<ServerProcess>(there, port);
  };
  auto relay = start();
  ASSERT_TRUE(Post(relay->port(), Lines(0, 1000)));
  ASSERT_TRUE(Eventually([&] { return Steps(there) == 1000 && HasSentAll(relay->port()); }));
  // Both start again with the same stores: nothing is sent again.
  relay->End(SIGTERM);
  next->End(SIGTERM);
  next = std::make_unique<ServerProcess>(there, port);
  relay = start();
  sleep(3);
  EXPECT_EQ(MetricOf(port, "ingest_events_total{result=\"duplicate\"}"), 0);
  // While the relay is away, and while it waits with nothing to send.
  relay->End(SIGTERM);
  lose();
  relay = start();
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 1000; }));
  EXPECT_TRUE(Eventually([&] { return HasSentAll(relay->port()); }));
  lose();
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 1000; }));
  EXPECT_TRUE(Eventually([&] { return MetricOf(relay->port(), "relay_restarts_total{}") == 2; }));
  EXPECT_TRUE(Eventually([&] { return testing::Content(errors).contains("another store"); }));
  ASSERT_TRUE(Post(relay->port(), Lines(1000, 1500)));
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 1500; }));
}

TEST(GoodputRelay, ATokenThatIsMendedIsEnough) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/b", errors = scratch.path() + "/errors";
  const std::string right = scratch.Write("right", "secret\n"), wrong = scratch.Write("w", "x\n");
  ServerProcess next(there, 0, {"--token-file", right});
  const auto start = [&](const std::string& token) {
    return std::make_unique<ServerProcess>(
        std::vector<std::string>{"goodput", "collect", scratch.path() + "/a", "--port", "0", "--to",
                                 UrlOf(next.port()), "--to-token-file", token},
        std::vector<std::string>{}, errors);
  };
  auto relay = start(wrong);
  ASSERT_TRUE(Post(relay->port(), Lines(0, 10)));
  EXPECT_TRUE(Eventually([&] { return testing::Content(errors).contains("rejected the token"); }));
  relay->End(SIGTERM);
  relay = start(right);
  EXPECT_TRUE(Eventually([&] { return Steps(there) == 10; }));
}

}  // namespace
}  // namespace stepscope::goodput_relay_test
