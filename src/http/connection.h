// Serves one connection: reads requests, has them answered, and writes the responses.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "http/server_options.h"
#include "http/workers.h"

namespace stepscope::http {

// What the connections of a server share.
struct Serving {
  const ServerOptions& options;
  Handler handler;
  Workers workers;  // run the handler
  std::atomic<bool> stopping = false;
};

// All but Gone() runs on the thread of the io_context. Serve() keeps the connection alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::ip::tcp::socket socket, Serving& serving);

  // Answers requests until the client closes, breaks a limit, or the server stops.
  boost::asio::awaitable<void> Serve();

  // Since when it has waited for a request's head; no time while a request is being answered.
  std::optional<Clock::time_point> waiting() const { return waiting_; }

  // Aborts what it is doing.
  void Close();

 private:
  using Error = boost::system::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  // How a response is written.
  struct Form {
    unsigned version = 11;   // of HTTP, times ten
    bool keep = true;        // the connection, for the next request
    bool head_only = false;  // without the body
  };
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  Awaitable<Error> ReadHead(Parser& parser);
  Awaitable<Error> ReadBody(Parser& parser);
  Awaitable<Response> Answer(Request request);
  Awaitable<Error> Write(Response response, Form form);
  Awaitable<void> RefuseHead(Error error);
  Awaitable<void> Drain();
  Request RequestOf(const Parser& parser);
  bool Gone();

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  Serving& serving_;
  std::optional<Clock::time_point> waiting_;
};

}  // namespace stepscope::http
