// Asks with Boost.Beast; TLS by OpenSSL, with the certificates that the system trusts.
#include "http/client.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "base/time_units.h"
#include "http/boost.h"

namespace stepscope::http {
namespace {

using ResponseParser = beast::http::response_parser<beast::http::string_body>;

// Only seconds are understood; the other form is a date.
int64_t RetryAfter(std::string_view text) {
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<int64_t>(seconds, 0, 3600) * kSecond;
}

}  // namespace

struct Poster::Connection {
  using Stream = asio::ssl::stream<tcp::socket>;

  explicit Connection(const Address& address) : to(address) {
    if (!to.tls) return;
    ErrorCode ignored;  // without certificates nothing is trusted, which the handshake reports
    tls.set_default_verify_paths(ignored);
    tls.set_verify_mode(asio::ssl::verify_peer, ignored);
  }

  // REQUIRES: connected, or connecting.
  tcp::socket& socket() {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): REQUIRES
    return stream.value().next_layer();
  }

  template <class Start>
  ErrorCode Await(const Start& start);
  bool Stale();
  std::string Open();
  ErrorCode Write(const std::string& head, const std::string& body);
  ErrorCode Read(ResponseParser& parser);
  Answer Exchange(const std::string& head, const Question& question);

  const Address& to;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  asio::io_context io{1};
  std::optional<Stream> stream;  // none: not connected
  ErrorCode result;              // of the operation that was started last
  int64_t patience = 0;          // ns for each operation
  size_t most_answer = 0;        // bytes
  std::atomic<bool> stopped = false;
};

// Runs what `start` begins with the handler that it is given, for so long as patience lasts.
template <class Start>
ErrorCode Poster::Connection::Await(const Start& start) {
  result = asio::error::operation_aborted;
  start([this](ErrorCode error, const auto&...) { result = error; });
  io.restart();
  if (stopped) return result;
  io.run_for(std::chrono::nanoseconds(patience));
  if (io.stopped()) return result;
  ErrorCode ignored;
  if (stream) socket().close(ignored);
  io.run();
  return asio::error::timed_out;
}

// Connects; returns what went wrong, or nothing.
std::string Poster::Connection::Open() {
  tcp::resolver resolver(io);
  tcp::resolver::results_type found;
  ErrorCode error = Await([&](auto done) {
    resolver.async_resolve(to.host, std::to_string(to.port),
                           [&found, done](ErrorCode failed, tcp::resolver::results_type results) {
                             found = std::move(results);
                             done(failed);
                           });
  });
  if (error) return "cannot find the host";
  stream.emplace(io, tls);
  error = Await([&](auto done) { asio::async_connect(socket(), found, done); });
  if (error) return "cannot connect";
  socket().set_option(tcp::no_delay(true), error);
  if (!to.tls) return "";
  SSL_set_tlsext_host_name(stream->native_handle(), to.host.c_str());
  stream->set_verify_callback(asio::ssl::host_name_verification(to.host), error);
  error = Await([&](auto done) { stream->async_handshake(Stream::client, done); });
  if (!error) return "";
  return SSL_get_verify_result(stream->native_handle()) == X509_V_OK
             ? "no TLS: " + error.message()
             : "its certificate is not of anybody this host trusts";
}

ErrorCode Poster::Connection::Write(const std::string& head, const std::string& body) {
  const std::array buffers = {asio::buffer(head), asio::buffer(body)};
  return Await([&](auto done) {
    if (to.tls) {
      asio::async_write(*stream, buffers, done);
    } else {
      asio::async_write(socket(), buffers, done);
    }
  });
}

ErrorCode Poster::Connection::Read(ResponseParser& parser) {
  parser.eager(true);
  parser.body_limit(most_answer);
  std::string bytes;  // not parsed yet
  std::array<char, 4096> buffer;
  while (!parser.is_done()) {
    size_t got = 0;
    ErrorCode error = Await([&](auto done) {
      const auto count = [&got, done](ErrorCode failed, size_t size) {
        got = size;
        done(failed);
      };
      if (to.tls) {
        stream->async_read_some(asio::buffer(buffer), count);
      } else {
        socket().async_read_some(asio::buffer(buffer), count);
      }
    });
    if (error && error != asio::error::eof) return error;
    bytes.append(buffer.data(), got);
    ErrorCode unparsed;
    if (error == asio::error::eof) {
      // Beast's contract: only after some bytes.
      if (parser.got_some()) parser.put_eof(unparsed);
    } else {
      bytes.erase(0, parser.put(asio::buffer(bytes), unparsed));
    }
    if (unparsed && unparsed != beast::http::error::need_more) return unparsed;
    if (error) break;
  }
  return parser.is_done() ? ErrorCode() : asio::error::eof;
}

// On the connection that is open.
Answer Poster::Connection::Exchange(const std::string& head, const Question& question) {
  patience = question.patience;
  most_answer = question.most_answer;
  if (Write(head, question.body)) return {.body = "the connection broke"};
  ResponseParser parser;
  if (const ErrorCode failed = Read(parser)) {
    using beast::http::error;
    const bool parsed = failed.category() == make_error_code(error::bad_version).category();
    const bool other = parsed && failed != error::partial_message && failed != error::end_of_stream;
    return {.body = other ? "what came back is no HTTP answer" : "no answer"};
  }
  if (!parser.keep_alive()) stream.reset();
  auto& response = parser.get();
  return {.status = static_cast<int>(response.result_int()),
          .body = std::move(response.body()),
          .retry_after = RetryAfter(response[beast::http::field::retry_after])};
}

// Of a connection that was kept: it has closed, or sends what nobody asked for.
bool Poster::Connection::Stale() {
  pollfd one{.fd = socket().native_handle(), .events = POLLIN, .revents = 0};
  return poll(&one, 1, 0) != 0;
}

Poster::Poster(Address address, std::string token)
    : address_(std::move(address)),
      token_(std::move(token)),
      connection_(std::make_unique<Connection>(address_)) {}

Poster::~Poster() = default;

Answer Poster::Ask(const Question& question) {
  Connection& connection = *connection_;
  if (connection.stopped) return {.body = "stopped"};
  std::string head =
      fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: stepscope\r\n", question.method,
                  address_.path, question.path, address_.Authority());
  if (!question.type.empty()) head += fmt::format("Content-Type: {}\r\n", question.type);
  if (!question.type.empty() || question.method != "GET")
    head += fmt::format("Content-Length: {}\r\n", question.body.size());
  if (!question.authorization.empty())
    head += "Authorization: " + question.authorization + "\r\n";
  else if (!token_.empty())
    head += "Authorization: Bearer " + token_ + "\r\n";
  head += "\r\n";
  connection.patience = question.patience;
  if (connection.stream && connection.Stale()) connection.stream.reset();
  Answer answer;
  if (!connection.stream) answer.body = connection.Open();
  if (answer.body.empty()) answer = connection.Exchange(head, question);
  if (answer.status == 0) connection.stream.reset();
  return answer;
}

Answer Poster::Post(const std::string& path, const std::string& body, const std::string& type) {
  return Ask({.path = path, .body = body, .type = type});
}

void Poster::Stop() {
  connection_->stopped = true;
  connection_->io.stop();
}

Backoff::Backoff(int64_t first, int64_t most)
    : first_(first), most_(most), next_(first), random_(std::random_device{}()) {}

int64_t Backoff::Next() {
  const int64_t now = std::exchange(next_, std::min(most_, 2 * next_));
  random_ = random_ * 6364136223846793005 + 1442695040888963407;
  return now - static_cast<int64_t>((random_ >> 33) % static_cast<uint64_t>(now / 4 + 1));
}

}  // namespace stepscope::http
