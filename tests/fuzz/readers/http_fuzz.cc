// Fuzzes what serves a connection: heads, bodies with a length or in chunks, several requests in a
// row. Whatever comes in, what goes out is answers, and it ends with the input.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/connection.h"
#include "http/url.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::http::http_fuzz {
namespace {

constexpr size_t kMostBody = 1000;

// Says what it was given, in a line.
Response Answer(const Request& request) {
  Require(!request.method.empty() && request.target.size() <= 8192);
  Require(request.body.size() <= kMostBody);
  if (const auto url = ParseUrl(request.target)) url->Numbers("tracks", 10);
  return PlainText(200, request.method);
}

Serving& Served() {
  static const ServerOptions options{
      .threads = 1, .most_body = kMostBody, .headers = {}, .refuse = {}};
  static Serving serving{.options = options, .handler = &Answer, .workers = Workers(1)};
  return serving;
}

std::string ReadAll(int file) {
  std::string all;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = read(file, part.data(), part.size())) > 0;)
    all.append(part.data(), static_cast<size_t>(got));
  return all;
}

void Fuzz(std::string_view bytes) {
  bytes = bytes.substr(0, 1 << 14);  // fits into the buffers of a socket, and so do the answers
  std::array<int, 2> ends{};
  Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const auto [client, server] = std::pair(ends[0], ends[1]);
  Require(write(client, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  shutdown(client, SHUT_WR);
  {
    static boost::asio::io_context io(1);
    boost::asio::ip::tcp::socket socket(io);
    socket.assign(boost::asio::ip::tcp::v4(), server);
    const auto connection = std::make_shared<Connection>(std::move(socket), Served());
    boost::asio::co_spawn(io, connection->Serve(), boost::asio::detached);
    io.restart();
    io.run();
  }
  const std::string answers = ReadAll(client);
  close(client);
  Require(answers.empty() || answers.starts_with("HTTP/1."));
}

const fuzz::Register kTarget({.name = "http", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::http::http_fuzz
