// Serves a connection as a coroutine; every read and write has a deadline.
#include "http/connection.h"

#include <poll.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/write.hpp>
#include <utility>

#include "http/boost.h"

namespace stepscope::http {
namespace {

constexpr uint32_t kMostHead = 32 << 10;        // bytes of request line and headers
constexpr size_t kMostTarget = 8 << 10;         // bytes
constexpr size_t kMostBuffered = 64 << 10;      // bytes read and not yet parsed
constexpr std::chrono::seconds kIdleTime{30};   // between two requests
constexpr std::chrono::seconds kHeadTime{10};   // from a head's first byte to its last
constexpr std::chrono::seconds kBodyTime{60};   // for the whole body
constexpr std::chrono::seconds kWriteTime{20};  // in which some of the response must be taken
constexpr std::chrono::seconds kDrainTime{2};   // for what comes after the last response

// Whether a head has two lengths of the body, or two hosts.
bool IsAmbiguous(const beast::http::request_parser<beast::http::string_body>& parser) {
  using beast::http::field;
  const auto& head = parser.get();
  return head.count(field::host) > 1 ||
         head.count(field::content_length) + head.count(field::transfer_encoding) > 1;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Serving& serving)
    : stream_(std::move(socket)), buffer_(kMostBuffered), serving_(serving) {}

bool Connection::Gone() {
  if (serving_.stopping) return true;
  pollfd one{.fd = stream_.socket().native_handle(), .events = POLLRDHUP, .revents = 0};
  return poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void Connection::Close() { stream_.close(); }

auto Connection::ReadHead(Parser& parser) -> Awaitable<Error> {
  parser.header_limit(kMostHead);
  parser.body_limit(boost::none);  // the head is answered first
  waiting_ = Clock::now();
  Error error;
  if (buffer_.size() == 0) {
    stream_.expires_after(kIdleTime);
    const size_t got = co_await stream_.async_read_some(
        buffer_.prepare(4096), asio::redirect_error(asio::use_awaitable, error));
    buffer_.commit(got);
  }
  if (!error) {
    stream_.expires_after(kHeadTime);
    co_await beast::http::async_read_header(stream_, buffer_, parser,
                                            asio::redirect_error(asio::use_awaitable, error));
  }
  waiting_.reset();
  co_return error;
}

auto Connection::ReadBody(Parser& parser) -> Awaitable<Error> {
  const size_t most = serving_.options.most_body;
  if (parser.content_length().value_or(0) > most) co_return beast::http::error::body_limit;
  parser.body_limit(most);
  stream_.expires_after(kBodyTime);
  Error error;
  if (beast::iequals(parser.get()[beast::http::field::expect], "100-continue")) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(stream_, asio::buffer(kContinue),
                               asio::redirect_error(asio::use_awaitable, error));
  }
  if (error) co_return error;
  co_await beast::http::async_read(stream_, buffer_, parser,
                                   asio::redirect_error(asio::use_awaitable, error));
  co_return error;
}

Request Connection::RequestOf(const Parser& parser) {
  const auto& head = parser.get();
  Request request{.method = std::string(head.method_string()),
                  .target = std::string(head.target()),
                  .headers = {},
                  .has_body = parser.chunked() || parser.content_length().value_or(0) > 0,
                  .body = {},
                  .gone = [self = shared_from_this()] { return self->Gone(); }};
  for (const auto& field : head) {
    request.headers.emplace_back(field.name_string(), field.value());
  }
  return request;
}

// On a thread of the workers.
auto Connection::Answer(Request request) -> Awaitable<Response> {
  try {
    co_return Negotiate(request, serving_.handler(request));
  } catch (const std::exception& error) {  // out of memory, or a defect
    co_return PlainText(500, error.what());
  }
}

auto Connection::Write(Response response, Form form) -> Awaitable<Error> {
  namespace http = beast::http;
  http::response<http::span_body<const char>> message;
  message.version(form.version);
  message.result(static_cast<unsigned>(response.status));
  for (const auto& [name, value] : serving_.options.headers) message.set(name, value);
  for (const auto& [name, value] : response.headers) message.insert(name, value);
  if (response.body != nullptr) {
    message.set(http::field::content_type, response.body->type);
    message.body() = {response.body->bytes.data(), response.body->bytes.size()};
  }
  if (response.status != 304) message.content_length(message.body().size());
  message.keep_alive(form.keep);
  http::response_serializer<http::span_body<const char>> serializer(message);
  serializer.split(form.head_only);
  Error error;
  while (!error && !(form.head_only ? serializer.is_header_done() : serializer.is_done())) {
    stream_.expires_after(kWriteTime);
    co_await http::async_write_some(stream_, serializer,
                                    asio::redirect_error(asio::use_awaitable, error));
  }
  co_return error;
}

// Answers a head that cannot be served, where the client may still read.
auto Connection::RefuseHead(Error error) -> Awaitable<void> {
  using Problem = beast::http::error;
  if (error.category() != beast::http::make_error_code(Problem::end_of_stream).category() ||
      error == Problem::end_of_stream || error == Problem::partial_message) {
    co_return;
  }
  const bool large = error == Problem::header_limit || error == Problem::buffer_overflow;
  Response response = large ? PlainText(431, "the request's head is too large")
                            : PlainText(400, "this is not an HTTP request");
  co_await Write(std::move(response), {.keep = false});
  co_await Drain();
}

// Reads on for a moment, as closing with unread input would reset the connection before the client
// has read the response.
auto Connection::Drain() -> Awaitable<void> {
  Error error;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
  stream_.expires_after(kDrainTime);
  waiting_ = Clock::now();
  while (!error) {
    buffer_.clear();
    co_await stream_.async_read_some(buffer_.prepare(kMostBuffered),
                                     asio::redirect_error(asio::use_awaitable, error));
  }
}

auto Connection::Serve() -> Awaitable<void> {
  const auto self = shared_from_this();
  bool keep = true;
  while (keep && !serving_.stopping) {
    Parser parser;
    if (const Error error = co_await ReadHead(parser)) co_return co_await RefuseHead(error);
    Request request = RequestOf(parser);
    std::optional<Response> refusal;
    // Two servers in a row may take such a request for different ones.
    if (IsAmbiguous(parser)) refusal = PlainText(400, "a header is given twice, or two lengths");
    if (request.target.size() > kMostTarget) refusal = PlainText(414, "the address is too long");
    if (!refusal && serving_.options.refuse) refusal = serving_.options.refuse(request);
    if (!refusal && request.has_body) {
      const Error error = co_await ReadBody(parser);
      if (error == beast::http::error::body_limit) {
        refusal = PlainText(413, "the request's body is too large");
      } else if (error) {
        co_return co_await RefuseHead(error);
      }
      request.body = std::move(parser.get().body());
    }
    if (serving_.stopping) co_return;  // the workers may have ended
    keep = parser.keep_alive() && (!refusal || !request.has_body);
    const Form form{
        .version = parser.get().version(), .keep = keep, .head_only = request.method == "HEAD"};
    Response response;
    if (refusal) {
      response = Negotiate(request, std::move(*refusal));
    } else {
      response = co_await asio::co_spawn(serving_.workers.context(), Answer(std::move(request)),
                                         asio::use_awaitable);
    }
    if (co_await Write(std::move(response), form)) co_return;
  }
  co_await Drain();
}

}  // namespace stepscope::http
