// Makes unary gRPC calls over HTTP/2 without TLS, one at a time on a connection. Whatever the other
// side sends ends in a GrpcEnd before the deadline.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "capture/grpc/grpc_end.h"
#include "capture/grpc/grpc_message.h"

namespace stepscope::capture {

namespace asio = boost::asio;
class GrpcSession;

class GrpcConnection {
 public:
  using Clock = std::chrono::steady_clock;

  // `user_agent` is sent with each call.
  GrpcConnection(asio::any_io_executor executor, std::string host, int port,
                 std::string user_agent);
  ~GrpcConnection();
  GrpcConnection(const GrpcConnection&) = delete;
  GrpcConnection& operator=(const GrpcConnection&) = delete;

  // Connects, and waits until the server has spoken HTTP/2.
  asio::awaitable<GrpcEnd> Connect(Clock::time_point deadline);

  // REQUIRES: connected, no other call under way. `take` gets the answer as it comes, of at most
  // `most` bytes. The deadline is told to the server too.
  asio::awaitable<GrpcEnd> Call(std::string_view path, std::string_view request, uint64_t most,
                                TakeBytes take, Clock::time_point deadline);

  // Ends what is under way, and closes; from the executor's thread.
  void Abort();

 private:
  void StartTimer(Clock::time_point deadline);
  void StopTimer();
  asio::awaitable<GrpcEnd> Open();
  asio::awaitable<bool> Flush();
  asio::awaitable<bool> Receive();
  asio::awaitable<bool> Exchange(const bool& done);
  bool LooksOther(std::string_view bytes);
  bool Feed(std::string_view bytes);
  void Fail(GrpcEnd::Kind kind, std::string text);

  std::string host_, user_agent_;
  int port_;
  asio::ip::tcp::socket socket_;
  asio::ip::tcp::resolver resolver_;
  asio::steady_timer timer_;
  std::unique_ptr<GrpcSession> session_;
  std::string first_;  // bytes, until they are known to be HTTP/2
  GrpcEnd failure_;    // why the connection cannot be used any more
  uint64_t received_ = 0;
  bool late_ = false, aborted_ = false;
  // Of the timer that counts: an old one may still call back, even after the connection is gone.
  std::shared_ptr<int> timing_ = std::make_shared<int>(0);
};

}  // namespace stepscope::capture
