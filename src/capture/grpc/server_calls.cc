// Implements small calls to many servers.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "capture/grpc/grpc_connection.h"
#include "capture/grpc/profile_servers.h"

// GCC 12 takes the allocator of Asio's coroutines for another one (PR 109224).
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace stepscope::capture {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;  // of an answer
constexpr std::chrono::seconds kConnectTime{10};
constexpr std::chrono::milliseconds kPollTime{50};

class Calls {
 public:
  Calls(const std::vector<ServerAddress>& servers, std::string_view path, std::string_view request,
        int64_t time, const std::function<bool()>& cancelled)
      : path_(path), request_(request), time_(time), cancelled_(cancelled), poll_(io_) {
    for (const ServerAddress& server : servers) {
      answers_.push_back({.server = server});
      connections_.push_back(std::make_unique<GrpcConnection>(io_.get_executor(), server.host,
                                                              server.port, "stepscope"));
    }
  }

  std::vector<ServerAnswer> Run() {
    left_ = answers_.size();
    for (size_t i = 0; i < answers_.size(); ++i)
      asio::co_spawn(io_, One(answers_[i], *connections_[i]), asio::detached);
    if (left_ > 0) asio::co_spawn(io_, WatchForStop(), asio::detached);
    io_.run();
    return std::move(answers_);
  }

 private:
  asio::awaitable<void> One(ServerAnswer& answer, GrpcConnection& connection) {
    answer.end = co_await connection.Connect(GrpcConnection::Clock::now() + kConnectTime);
    if (answer.end.ok()) {
      const auto take = [&answer](std::string_view bytes) {
        answer.bytes += bytes;
        return true;
      };
      answer.end =
          co_await connection.Call(path_, request_, kMostBytes, take,
                                   GrpcConnection::Clock::now() + std::chrono::nanoseconds(time_));
    }
    if (--left_ == 0) poll_.cancel();
  }

  asio::awaitable<void> WatchForStop() {
    while (left_ > 0) {
      poll_.expires_after(kPollTime);
      boost::system::error_code ignored;
      co_await poll_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      if (left_ == 0 || !cancelled_ || !cancelled_()) continue;
      for (const auto& connection : connections_) connection->Abort();
      break;
    }
  }

  std::string_view path_, request_;
  int64_t time_;
  const std::function<bool()>& cancelled_;
  asio::io_context io_{1};
  asio::steady_timer poll_;
  std::vector<ServerAnswer> answers_;
  std::vector<std::unique_ptr<GrpcConnection>> connections_;
  size_t left_ = 0;
};

}  // namespace

std::vector<ServerAnswer> CallServers(const std::vector<ServerAddress>& servers,
                                      std::string_view path, std::string_view request, int64_t time,
                                      const std::function<bool()>& cancelled) {
  return Calls(servers, path, request, time, cancelled).Run();
}

}  // namespace stepscope::capture
