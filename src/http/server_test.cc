// Tests responses, and clients that are slow, large, gone or not clients.
#include "http/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/goodput_server.h"

namespace stepscope::http::server_test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Connect;
using testing::Exchange;

Response Echo(const Request& request) {
  return PlainText(200, request.method + " " + request.target + " " + request.body);
}

std::unique_ptr<Server> Serving(ServerOptions options, Handler handler = &Echo) {
  auto server = Server::Listen("127.0.0.1", 0, std::move(options));
  if (!server) throw std::runtime_error(server.error().what);
  (*server)->Serve(std::move(handler));
  return std::move(*server);
}

std::string PostOf(const std::string& body, const std::string& headers = "") {
  return fmt::format(
      "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{}Content-Length: {}\r\n\r\n{}", headers,
      body.size(), body);
}

constexpr const char* kGet = "GET /a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

void Send(int fd, std::string_view bytes) {
  ASSERT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

bool Soon(const std::function<bool()>& happens) {
  for (int k = 0; k < 400 && !happens(); ++k) usleep(25'000);
  return happens();
}

TEST(HttpServer, AnswersRequests) {
  const auto server = Serving({.most_body = 10, .headers = {{"X-A", "b"}}});
  const std::string got = Exchange(server->port(), kGet);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
  EXPECT_TRUE(got.contains("\r\nX-A: b\r\n")) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\nGET /a?b \n")) << got;
  EXPECT_TRUE(Exchange(server->port(), PostOf("0123456789")).ends_with("POST /a 0123456789\n"));
  EXPECT_TRUE(Exchange(server->port(),
                       "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: "
                       "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                  .ends_with("POST / abcde\n"));
  EXPECT_TRUE(Exchange(server->port(), "GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200"));
  const std::string head = Exchange(server->port(), "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(head.contains("Content-Length: 8\r\n") && head.ends_with("\r\n\r\n")) << head;
}

TEST(HttpServer, RefusesWhatIsTooLargeOrNoRequest) {
  const auto server = Serving({.most_body = 10});
  const auto start = [&](const std::string& request) {
    return Exchange(server->port(), request).substr(0, 12);
  };
  EXPECT_EQ(start(PostOf("0123456789a")), "HTTP/1.1 413");
  // The refusal can be read though the client is still sending.
  EXPECT_EQ(start(PostOf(std::string(4 << 20, 'x'))), "HTTP/1.1 413");
  EXPECT_EQ(
      start("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n"),
      "HTTP/1.1 413");
  EXPECT_EQ(start("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 414");
  EXPECT_EQ(start("GET / HTTP/1.1\r\nX: " + std::string(40'000, 'a') + "\r\n\r\n"), "HTTP/1.1 431");
  for (const char* odd :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"}) {
    EXPECT_EQ(start(odd), "HTTP/1.1 400") << odd;
  }
}

TEST(HttpServer, RefusesBeforeTheBodyIsRead) {
  std::atomic<int> handled = 0;
  const auto server = Serving({.most_body = 8 << 20,
                               .refuse = [](const Request& request) -> std::optional<Response> {
                                 if (request.HasHeader("x-good")) return std::nullopt;
                                 return PlainText(401, "no");
                               }},
                              [&](const Request& request) {
                                ++handled;
                                return Echo(request);
                              });
  const std::string large(4 << 20, 'x');
  EXPECT_TRUE(Exchange(server->port(), PostOf(large)).ends_with("\r\n\r\nno\n"));
  EXPECT_EQ(handled, 0);
  EXPECT_TRUE(Exchange(server->port(), PostOf("a", "X-Good: 1\r\n")).ends_with("POST /a a\n"));
}

TEST(HttpServer, AsksForABodyThatWaitsToBeAskedFor) {
  const auto server = Serving({.most_body = 10});
  const std::string got = Exchange(server->port(), PostOf("abc", "Expect: 100-continue\r\n"));
  EXPECT_TRUE(got.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")) << got;
}

TEST(HttpServer, ManySilentConnectionsGiveWay) {
  const auto server = Serving({.connections = 4});
  std::vector<int> silent;
  for (int k = 0; k < 8; ++k) {
    silent.push_back(Connect(server->port()));
    Send(silent.back(), "GET / HT");
  }
  const auto since = steady_clock::now();
  EXPECT_TRUE(Exchange(server->port(), kGet).starts_with("HTTP/1.1 200"));
  EXPECT_LT(steady_clock::now() - since, seconds(15));
  for (const int fd : silent) close(fd);
}

TEST(HttpServer, HandlersSeeThatTheClientIsGone) {
  std::atomic<bool> begun = false, gone = false;
  const auto server = Serving({}, [&](const Request& request) {
    EXPECT_FALSE(request.gone());
    begun = true;
    gone = Soon(request.gone);
    return Echo(request);
  });
  const int fd = Connect(server->port());
  Send(fd, kGet);
  EXPECT_TRUE(Soon([&] { return begun.load(); }));
  close(fd);
  EXPECT_TRUE(Soon([&] { return gone.load(); }));
}

TEST(HttpServer, HandlersSeeThatTheServerEnds) {
  std::atomic<bool> begun = false, gone = false;
  auto server = Serving({}, [&](const Request& request) {
    begun = true;
    gone = Soon(request.gone);
    return Echo(request);
  });
  const int fd = Connect(server->port());
  Send(fd, kGet);
  EXPECT_TRUE(Soon([&] { return begun.load(); }));
  server.reset();
  EXPECT_TRUE(gone.load());
  close(fd);
}

TEST(HttpServer, AnExceptionIsOneAnswer) {
  const auto server =
      Serving({}, [](const Request&) -> Response { throw std::runtime_error("broken"); });
  for (int k = 0; k < 2; ++k) {
    const std::string got = Exchange(server->port(), kGet);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 500") && got.ends_with("broken\n")) << got;
  }
}

TEST(HttpServer, EndsWithTheAnswersThatAreBeingMade) {
  std::atomic<bool> begun = false;
  auto server = Serving({}, [&](const Request& request) {
    begun = true;
    usleep(300'000);
    return Echo(request);
  });
  const int idle = Connect(server->port());
  std::string got;
  std::jthread client([&, port = server->port()] { got = Exchange(port, kGet); });
  EXPECT_TRUE(Soon([&] { return begun.load(); }));
  const auto since = steady_clock::now();
  server.reset();
  EXPECT_LT(steady_clock::now() - since, seconds(2));
  client.join();
  EXPECT_TRUE(got.ends_with("GET /a?b \n")) << got;
  close(idle);
}

}  // namespace
}  // namespace stepscope::http::server_test
