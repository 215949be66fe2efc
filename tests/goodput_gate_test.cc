// Checks on the wire whom `goodput collect` answers, and what it makes of hostile requests.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/goodput_server.h"
#include "tests/scratch.h"

namespace stepscope::testing::goodput_gate_test {
namespace {

class GoodputGateTest : public ::testing::Test {
 protected:
  // The status of a request with this Host; %p stands for the port.
  static std::string StatusAs(int port, std::string host, const std::string& headers = "",
                              const std::string& path = "/metrics") {
    if (const size_t at = host.find("%p"); at != host.npos) {
      host.replace(at, 2, std::to_string(port));
    }
    const std::string answer =
        Exchange(port, fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\n\r\n",
                                   path, host, headers));
    return answer.substr(9, 3);
  }

  static std::string Post(int port, const std::string& body, const std::string& headers) {
    return Exchange(port, fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\n{}"
                                      "Connection: close\r\n\r\n{}",
                                      headers, body));
  }

  const ScratchFolder folder_;
};

TEST_F(GoodputGateTest, OnlyOwnNamesAreAnswered) {
  const ServerProcess server(folder_.path(), 0);
  ASSERT_GT(server.port(), 0);
  for (const char* host :
       {"127.0.0.1:%p", "localhost:%p", "LOCALHOST:%p", "LocalHost:%p", "[::1]:%p"}) {
    EXPECT_EQ(StatusAs(server.port(), host), "200") << host;
  }
  for (const char* host : {"evil.example:%p", "evil.example", "127.0.0.1.evil.example:%p",
                           "10.0.0.1:%p", "localhost:1", "localhost.evil:%p", "[::2]:%p"}) {
    EXPECT_EQ(StatusAs(server.port(), host), "403") << host;
    EXPECT_EQ(StatusAs(server.port(), host, "", "/healthz"), "403") << host;
  }
}

TEST_F(GoodputGateTest, NamesCanBeAdded) {
  const ServerProcess server(folder_.path(), 0,
                             {"--allow-host", "goodput.monitoring.svc", "--allow-host", "Proxy"});
  ASSERT_GT(server.port(), 0);
  for (const char* host :
       {"goodput.monitoring.svc", "Goodput.Monitoring.svc:9461", "proxy", "localhost:%p"}) {
    EXPECT_EQ(StatusAs(server.port(), host), "200") << host;
  }
  EXPECT_EQ(StatusAs(server.port(), "monitoring.svc"), "403");
}

// No page of another name has it.
TEST_F(GoodputGateTest, ATokenIsEnough) {
  const ServerProcess server(folder_.path(), 0, {"--token", "secret"});
  ASSERT_GT(server.port(), 0);
  EXPECT_EQ(StatusAs(server.port(), "any.name"), "403");
  EXPECT_EQ(StatusAs(server.port(), "any.name", "Authorization: Bearer wrong\r\n"), "403");
  EXPECT_EQ(StatusAs(server.port(), "any.name", "Authorization: Bearer secret\r\n"), "200");
}

TEST_F(GoodputGateTest, PagesOfOtherSitesAreTurnedAway) {
  const ServerProcess server(folder_.path(), 0);
  ASSERT_GT(server.port(), 0);
  const auto status = [&](const std::string& header) {
    return StatusAs(server.port(), "localhost:%p", header + "\r\n");
  };
  EXPECT_EQ(status("Origin: http://evil.example"), "403");
  EXPECT_EQ(status("Origin: null"), "403");
  EXPECT_EQ(status("Sec-Fetch-Site: cross-site"), "403");
  EXPECT_EQ(status("Sec-Fetch-Site: none"), "200");
}

TEST_F(GoodputGateTest, AmbiguousHeadsAreRefused) {
  const ServerProcess server(folder_.path(), 0);
  ASSERT_GT(server.port(), 0);
  const std::string chunked = "Transfer-Encoding: chunked\r\n", length = "Content-Length: 5\r\n";
  for (const std::string& headers :
       {chunked + length, length + chunked, length + length, std::string("Host: localhost\r\n")}) {
    EXPECT_TRUE(Post(server.port(), "0\r\n\r\n", headers).starts_with("HTTP/1.1 400")) << headers;
  }
}

TEST_F(GoodputGateTest, AMillionBracketsAreOneUnreadableRecord) {
  const ServerProcess server(folder_.path(), 0);
  ASSERT_GT(server.port(), 0);
  std::string open(1'000'000, '['), nested;
  for (int k = 0; k < 200'000; ++k) nested += R"({"a":)";
  for (const std::string& body : {open, nested, "[" + nested}) {
    const std::string answer =
        Post(server.port(), body, fmt::format("Content-Length: {}\r\n", body.size()));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
    EXPECT_TRUE(answer.contains("\"unreadable\": 1,")) << answer;
  }
}

// Red cannot make events of Blue count as duplicates of its own, over a restart and through relays
// neither; what is the same of the same team is one.
TEST_F(GoodputGateTest, ATeamsWritersAreItsOwn) {
  const std::string tokens = folder_.Write("tokens", "red w one\nblue w two\n* rw three\n"),
                    all = folder_.Write("all", "three\n");
  const std::string there = folder_.path() + "/central";
  auto central =
      std::make_unique<ServerProcess>(there, 0, std::vector<std::string>{"--tokens", tokens});
  const ServerProcess relay(folder_.path() + "/relay", 0,
                            {"--tokens", tokens, "--to", central->url(), "--to-token-file", all});
  const auto post = [&](int port, const std::string& token, const std::string& job) {
    std::string lines;
    for (int k = 0; k < 3; ++k) {
      lines += fmt::format(R"({{"job_name": "{}", "event": "step_start", "time": {}, "step": {}, )"
                           R"("writer": "w/0/0/1", "sequence": {}}})"
                           "\n",
                           job, 1'780'000'000 + k, k, k);
    }
    return Post(
        port, lines,
        fmt::format("Authorization: Bearer {}\r\nContent-Length: {}\r\n", token, lines.size()));
  };
  const char* const stored = "\"stored\": 3, \"duplicates\": 0";
  const char* const known = "\"stored\": 0, \"duplicates\": 3";
  EXPECT_TRUE(post(relay.port(), "one", "a").contains(stored));
  EXPECT_TRUE(post(relay.port(), "two", "b").contains(stored));
  EXPECT_TRUE(post(relay.port(), "one", "a").contains(known));
  // The central one has both: what is posted to it directly is known.
  const auto has_all = [&] {
    return Exchange(central->port(),
                    "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    "Authorization: Bearer three\r\n\r\n")
        .contains("ingest_events_total{result=\"stored\"} 6");
  };
  for (int tries = 0; tries < 300 && !has_all(); ++tries) usleep(100'000);
  EXPECT_TRUE(post(central->port(), "two", "b").contains(known));
  EXPECT_TRUE(post(central->port(), "one", "a").contains(known));
  EXPECT_TRUE(post(central->port(), "three", "blue/b").contains(known));
  central->End(SIGTERM);
  central = std::make_unique<ServerProcess>(there, 0, std::vector<std::string>{"--tokens", tokens});
  EXPECT_TRUE(post(central->port(), "two", "b").contains(known));
  EXPECT_TRUE(post(central->port(), "three", "green/c").contains(stored));
  EXPECT_TRUE(post(central->port(), "one", "green/c").contains(known));  // red's, of that name
}

}  // namespace
}  // namespace stepscope::testing::goodput_gate_test
