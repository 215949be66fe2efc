// A client on Boost.Beast; TLS by OpenSSL, with the certificates that the system trusts.
#include "http/client.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

namespace stepscope::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using PostRequest = beast::http::request<beast::http::span_body<const char>>;
using PostParser = beast::http::response_parser<beast::http::string_body>;

constexpr int64_t kSecond = 1'000'000'000;
constexpr std::chrono::seconds kPatience{10};    // to connect, to write and to be answered
constexpr size_t kMostAnswer = size_t{1} << 20;  // bytes

// Only seconds are understood; the other form is a date.
int64_t RetryAfter(std::string_view text) {
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<int64_t>(seconds, 0, 3600) * kSecond;
}

}  // namespace

struct Poster::Connection {
  using Stream = beast::ssl_stream<beast::tcp_stream>;

  explicit Connection(const Address& address) : to(address) {
    if (!to.tls) return;
    ErrorCode ignored;  // without certificates nothing is trusted, which the handshake reports
    tls.set_default_verify_paths(ignored);
    tls.set_verify_mode(asio::ssl::verify_peer, ignored);
  }

  beast::tcp_stream& tcp_stream() { return stream->next_layer(); }

  bool Stale();
  asio::awaitable<std::string> Open();
  asio::awaitable<Answer> Exchange(const PostRequest& request);
  asio::awaitable<Answer> Send(const PostRequest& request);

  const Address& to;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  asio::io_context io{1};
  std::optional<Stream> stream;  // none: not connected
  beast::flat_buffer buffer;
  std::atomic<bool> stopped = false;
};

// Connects; returns what went wrong, or nothing.
asio::awaitable<std::string> Poster::Connection::Open() {
  ErrorCode error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  tcp::resolver resolver(io);
  const auto found = co_await resolver.async_resolve(to.host, std::to_string(to.port), token);
  if (error) co_return "cannot find the host";
  buffer.clear();
  stream.emplace(io, tls);
  tcp_stream().expires_after(kPatience);
  co_await tcp_stream().async_connect(found, token);
  if (error) co_return "cannot connect";
  tcp_stream().socket().set_option(tcp::no_delay(true), error);
  if (!to.tls) co_return "";
  SSL_set_tlsext_host_name(stream->native_handle(), to.host.c_str());
  stream->set_verify_callback(asio::ssl::host_name_verification(to.host), error);
  tcp_stream().expires_after(kPatience);
  co_await stream->async_handshake(Stream::client, token);
  if (!error) co_return "";
  co_return SSL_get_verify_result(stream->native_handle()) == X509_V_OK
      ? "no TLS: " + error.message()
      : "its certificate is not of anybody this host trusts";
}

// On the connection that is open.
asio::awaitable<Answer> Poster::Connection::Exchange(const PostRequest& request) {
  ErrorCode error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  tcp_stream().expires_after(kPatience);
  if (to.tls) {
    co_await beast::http::async_write(*stream, request, token);
  } else {
    co_await beast::http::async_write(tcp_stream(), request, token);
  }
  if (error) co_return Answer{.body = "the connection broke"};
  PostParser parser;
  parser.body_limit(kMostAnswer);
  tcp_stream().expires_after(kPatience);
  if (to.tls) {
    co_await beast::http::async_read(*stream, buffer, parser, token);
  } else {
    co_await beast::http::async_read(tcp_stream(), buffer, parser, token);
  }
  if (error) co_return Answer{.body = "no answer"};
  if (!parser.keep_alive()) stream.reset();
  auto& response = parser.get();
  const int64_t retry_after = RetryAfter(response[beast::http::field::retry_after]);
  co_return Answer{.status = static_cast<int>(response.result_int()),
                   .body = std::move(response.body()),
                   .retry_after = retry_after};
}

// Of a connection that was kept: it has closed, or sends what nobody asked for.
bool Poster::Connection::Stale() {
  pollfd one{.fd = tcp_stream().socket().native_handle(), .events = POLLIN, .revents = 0};
  return poll(&one, 1, 0) != 0;
}

asio::awaitable<Answer> Poster::Connection::Send(const PostRequest& request) {
  if (stream && Stale()) stream.reset();
  if (!stream) {
    std::string problem = co_await Open();
    if (!problem.empty()) {
      stream.reset();
      co_return Answer{.body = std::move(problem)};
    }
  }
  Answer answer = co_await Exchange(request);
  if (answer.status == 0) stream.reset();
  co_return answer;
}

Poster::Poster(Address address, std::string token)
    : address_(std::move(address)),
      token_(std::move(token)),
      connection_(std::make_unique<Connection>(address_)) {}

Poster::~Poster() = default;

Answer Poster::Post(const std::string& path, const std::string& body, const std::string& type) {
  namespace http = beast::http;
  PostRequest request(http::verb::post, address_.path + path, 11);
  request.set(http::field::host, address_.Authority());
  request.set(http::field::content_type, type);
  request.set(http::field::user_agent, "stepscope");
  if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
  request.body() = {body.data(), body.size()};
  request.content_length(body.size());
  Answer answer{.body = "stopped"};
  asio::io_context& io = connection_->io;
  asio::co_spawn(io, connection_->Send(request), [&](const std::exception_ptr& failed, Answer got) {
    answer = failed ? Answer{.body = "out of memory"} : std::move(got);
  });
  io.restart();
  if (!connection_->stopped) io.run();
  return answer;
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
