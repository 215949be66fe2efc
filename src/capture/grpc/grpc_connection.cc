// Implements calls: Boost.Asio moves the bytes, nghttp2 makes frames of them.
#include "capture/grpc/grpc_connection.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "capture/grpc/grpc_session.h"

// GCC 12 takes the allocator of Asio's coroutines for another one (PR 109224).
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace stepscope::capture {
namespace {

using Kind = GrpcEnd::Kind;
using ErrorCode = boost::system::error_code;

// How HTTP/1 answers; some servers send only a page to a first line that they do not understand.
constexpr std::string_view kPreface = "HTTP/", kPage = "<";
// An HTTP/2 server's first frame is SETTINGS: its type is the fourth byte.
constexpr size_t kFirstBytes = 5;
// Bytes around the answer (headers, pings, frames' heads): so many, and a share of the answer.
constexpr uint64_t kMostAround = 1 << 20, kAnswerPerAround = 8;

Kind KindOfConnecting(const ErrorCode& error) {
  return error == asio::error::connection_refused ? Kind::kRefused : Kind::kNoWay;
}

}  // namespace

GrpcConnection::GrpcConnection(asio::any_io_executor executor, std::string host, int port,
                               std::string user_agent)
    : host_(std::move(host)),
      user_agent_(std::move(user_agent)),
      port_(port),
      socket_(executor),
      resolver_(executor),
      timer_(executor) {}

GrpcConnection::~GrpcConnection() = default;

void GrpcConnection::Fail(Kind kind, std::string text) {
  if (!failure_.ok()) return;
  if (aborted_) kind = Kind::kAborted;
  if (late_ && !aborted_) kind = Kind::kDeadline;
  failure_ = {.kind = kind, .text = Printable(text)};
}

void GrpcConnection::Abort() {
  aborted_ = true;
  resolver_.cancel();
  ErrorCode ignored;
  socket_.close(ignored);
}

// What is under way when it expires fails, since the socket closes.
void GrpcConnection::StartTimer(Clock::time_point deadline) {
  late_ = false;
  timer_.expires_at(deadline);
  timer_.async_wait(
      [this, number = ++*timing_, timing = std::weak_ptr(timing_)](const ErrorCode& error) {
        const auto current = timing.lock();
        if (error || current == nullptr || *current != number) return;
        late_ = true;
        resolver_.cancel();
        ErrorCode ignored;
        socket_.close(ignored);
      });
}

void GrpcConnection::StopTimer() {
  ++*timing_;
  timer_.cancel();
}

asio::awaitable<GrpcEnd> GrpcConnection::Open() {
  ErrorCode error;
  const auto found = co_await resolver_.async_resolve(
      host_, std::to_string(port_), asio::redirect_error(asio::use_awaitable, error));
  if (error && late_) co_return GrpcEnd{.kind = Kind::kNoHost, .text = "no answer from DNS"};
  if (error) co_return GrpcEnd{.kind = Kind::kNoHost, .text = error.message()};
  if (late_ || aborted_) co_return GrpcEnd{.kind = Kind::kNoWay};
  co_await asio::async_connect(socket_, found, asio::redirect_error(asio::use_awaitable, error));
  if (error)
    co_return GrpcEnd{.kind = late_ ? Kind::kNoWay : KindOfConnecting(error),
                      .text = late_ ? "no answer" : error.message()};
  socket_.set_option(asio::ip::tcp::no_delay(true), error);
  co_return GrpcEnd{};
}

asio::awaitable<GrpcEnd> GrpcConnection::Connect(Clock::time_point deadline) {
  StartTimer(deadline);
  failure_ = co_await Open();
  if (!failure_.ok()) {
    StopTimer();
    if (aborted_) failure_.kind = Kind::kAborted;
    co_return failure_;
  }
  session_ = std::make_unique<GrpcSession>(fmt::format("{}:{}", host_, port_), user_agent_);
  const bool spoken = co_await Exchange(session_->settled());
  StopTimer();
  if (!spoken && failure_.kind == Kind::kDeadline) failure_.kind = Kind::kSilent;
  if (!spoken && failure_.kind == Kind::kBroken && first_.empty()) failure_.kind = Kind::kNotHttp2;
  co_return failure_;
}

// Writes what nghttp2 wants to write, at once: a server that answers the first line and closes is
// heard before another write finds it gone.
asio::awaitable<bool> GrpcConnection::Flush() {
  std::string all;
  for (std::string_view bytes = session_->Outgoing(); !bytes.empty();
       bytes = session_->Outgoing()) {
    all += bytes;
  }
  if (all.empty()) co_return true;
  ErrorCode error;
  co_await asio::async_write(socket_, asio::buffer(all),
                             asio::redirect_error(asio::use_awaitable, error));
  if (error) Fail(Kind::kBroken, error.message());
  co_return !error;
}

// Whether the connection's first bytes are of another protocol, and says of which.
bool GrpcConnection::LooksOther(std::string_view bytes) {
  if (bytes.starts_with(kPreface) || bytes.starts_with(kPage)) {
    Fail(Kind::kHttp1, "");
  } else if (bytes[0] == 0x15 || bytes[0] == 0x16) {
    if (bytes[1] == 0x03) Fail(Kind::kTls, "");
  }
  if (failure_.ok() && bytes[3] != 0x04) Fail(Kind::kNotHttp2, "");
  return !failure_.ok();
}

bool GrpcConnection::Feed(std::string_view bytes) {
  received_ += bytes.size();
  if (received_ - session_->taken() > kMostAround + session_->taken() / kAnswerPerAround) {
    Fail(Kind::kDamaged, "too many bytes that are not the answer");
    return false;
  }
  const std::string problem = session_->Incoming(bytes);
  if (!problem.empty()) Fail(Kind::kDamaged, problem);
  return problem.empty();
}

// Reads once. False if the connection is of no more use.
asio::awaitable<bool> GrpcConnection::Receive() {
  std::array<char, 64 << 10> buffer;
  ErrorCode error;
  const size_t size = co_await socket_.async_read_some(
      asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    Fail(Kind::kBroken, error == asio::error::eof ? "the connection closed" : error.message());
    co_return false;
  }
  const std::string_view bytes(buffer.data(), size);
  if (first_.size() >= kFirstBytes) co_return Feed(bytes);
  first_ += bytes;
  if (first_.size() < kFirstBytes) co_return true;
  if (LooksOther(first_)) co_return false;
  co_return Feed(first_);
}

// Writes and reads until `done`.
asio::awaitable<bool> GrpcConnection::Exchange(const bool& done) {
  bool good = co_await Flush();
  while (good && !done) {
    if (session_->finished()) Fail(Kind::kBroken, "the server ended the connection");
    good = failure_.ok();
    if (good) good = co_await Receive();
    if (good) good = co_await Flush();
  }
  co_return good;
}

asio::awaitable<GrpcEnd> GrpcConnection::Call(std::string_view path, std::string_view request,
                                              uint64_t most, TakeBytes take,
                                              Clock::time_point deadline) {
  if (!failure_.ok()) co_return failure_;
  StartTimer(deadline);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  MessageReader message(most, std::move(take));
  session_->Begin(path, FrameMessage(request), left.count(), message);
  const bool ended = co_await Exchange(session_->ended());
  StopTimer();
  GrpcEnd end = ended ? session_->End() : failure_;
  // A status that came before the connection broke is the better reason.
  if (!ended && session_->has_status()) end = session_->End();
  if (!ended && message.state() != MessageReader::State::kReading) end = session_->End();
  session_->Forget();
  co_return end;
}

}  // namespace stepscope::capture
