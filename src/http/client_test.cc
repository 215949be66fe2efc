// Tests growing pauses, statuses to retry, and servers that do not answer.
#include "http/client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace stepscope::http::client_test {
namespace {

TEST(Backoff, GrowsToItsMost) {
  Backoff backoff(100, 1000);
  for (const int64_t most : {100, 200, 400, 800, 1000, 1000}) {
    const int64_t wait = backoff.Next();
    EXPECT_LE(wait, most);
    EXPECT_GE(wait, most - most / 4);
  }
  backoff.Reset();
  EXPECT_LE(backoff.Next(), 100);
}

TEST(Answer, TellsWhatMayFareBetterLater) {
  for (const int status : {0, 408, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(Answer{.status = status}.MayRetry()) << status;
  }
  for (const int status : {200, 301, 400, 401, 403, 404, 413, 501}) {
    EXPECT_FALSE(Answer{.status = status}.MayRetry()) << status;
  }
}

TEST(Poster, SaysWhenNobodyIsThere) {
  // A port that nothing can listen on.
  Poster poster({.host = "127.0.0.1", .port = 1}, "");
  const Answer answer = poster.Post("/v1/events", "{}", "application/json");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.body, "cannot connect");
}

// Listens on a port of loopback and answers the first request with `answer`, then hangs up.
class HangsUp {
 public:
  explicit HangsUp(std::string answer) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::jthread([this, answer = std::move(answer)] {
      const int client = accept(listener_, nullptr, nullptr);
      char request[4096];
      EXPECT_GT(read(client, request, sizeof request), 0);
      EXPECT_EQ(write(client, answer.data(), answer.size()), ssize_t(answer.size()));
      close(client);
      close(listener_);
    });
  }
  int port() const { return port_; }

 private:
  int listener_, port_ = 0;
  std::jthread thread_;
};

TEST(Poster, SaysThatNoAnswerCame) {
  const std::string begun = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{";
  for (const std::string& answer : {std::string(), begun.substr(0, 7), begun}) {
    const HangsUp server(answer);
    Poster poster({.host = "127.0.0.1", .port = server.port()}, "");
    const Answer got = poster.Post("/v1/events", "{}", "application/json");
    EXPECT_EQ(got.status, 0) << answer;
    EXPECT_EQ(got.body, "no answer") << answer;
  }
}

}  // namespace
}  // namespace stepscope::http::client_test
