// Checks on the wire whom `goodput collect` answers, and what it makes of hostile requests.
#include <fmt/format.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stepscope::testing::goodput_gate_test
