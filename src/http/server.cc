// Accepts connections, and makes room for new ones by closing idle ones.
#include "http/server.h"

#include <fcntl.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <exception>
#include <future>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "base/system_error.h"
#include "http/boost.h"
#include "http/connection.h"
#include "http/listening.h"

namespace stepscope::http {
namespace {

constexpr int kBacklog = 1024;  // connections that the kernel holds until they are accepted
constexpr std::chrono::milliseconds kPause{100};  // before accepting is tried again
constexpr std::chrono::seconds kLeastWait{1};     // a connection waits so long before it gives way
constexpr std::chrono::seconds kSendTime{2};      // for the last responses

// Programs that this process starts must not hold the port.
void KeepFromChildren(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

ErrorCode ListenAt(const tcp::endpoint& endpoint, tcp::acceptor& acceptor) {
  ErrorCode error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  KeepFromChildren(acceptor.native_handle());
  // Takes over the port of a server that has ended, but not that of one that runs.
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  return error;
}

// At the first address of `host` where that is possible.
ErrorCode Listen(asio::io_context& io, const std::string& host, int port, tcp::acceptor& acceptor) {
  ErrorCode error, ignored;
  const auto found =
      tcp::resolver(io).resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error) return error;
  for (const auto& one : found) {
    error = ListenAt(one.endpoint(), acceptor);
    if (!error) break;
    acceptor.close(ignored);
  }
  return error;
}

// `number`: of the system, where it has no thread or descriptor left.
Error CannotStart(int number) {
  Error error = SystemError("cannot start the server", number, "");
  if (number == EAGAIN) error.hint = "raise the limit of processes (ulimit -u, the container's)";
  return error;
}

}  // namespace

struct Server::State {
  explicit State(ServerOptions given) : options(std::move(given)) {}

  asio::awaitable<void> Accept();
  bool MakeRoom();
  ErrorCode Start(tcp::socket socket);
  void Stop();

  ServerOptions options;
  Serving serving{options, {}, Workers(options.threads)};
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  std::set<std::shared_ptr<Connection>> connections;  // only for the thread of `io`
  int port = 0;
  std::thread thread;
  std::promise<void> ended;
};

// Whether another connection may be accepted. If there are too many, closes the one that has waited
// longest for a request.
bool Server::State::MakeRoom() {
  if (connections.size() < options.connections) return true;
  Connection* longest = nullptr;
  for (const auto& one : connections) {
    if (one->waiting() && (longest == nullptr || *one->waiting() < *longest->waiting())) {
      longest = one.get();
    }
  }
  if (longest != nullptr && Connection::Clock::now() - *longest->waiting() > kLeastWait) {
    longest->Close();
  }
  return false;
}

ErrorCode Server::State::Start(tcp::socket socket) try {
  ErrorCode error;
  socket.set_option(tcp::no_delay(true), error);
  KeepFromChildren(socket.native_handle());
  const auto connection = std::make_shared<Connection>(std::move(socket), serving);
  connections.insert(connection);
  asio::co_spawn(io, connection->Serve(),
                 [this, connection](const std::exception_ptr&) { connections.erase(connection); });
  return {};
} catch (const std::bad_alloc&) {
  return asio::error::no_memory;
}

asio::awaitable<void> Server::State::Accept() {
  while (acceptor.is_open()) {
    ErrorCode error;
    if (MakeRoom()) {
      tcp::socket socket =
          co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (!error) error = Start(std::move(socket));
    } else {
      error = asio::error::try_again;
    }
    if (!error || !acceptor.is_open()) continue;
    pause.expires_after(kPause);  // no room, no descriptors, no memory
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
}

void Server::State::Stop() {
  ErrorCode ignored;
  serving.stopping = true;
  acceptor.close(ignored);
  pause.cancel();
  for (const auto& one : connections) {
    if (one->waiting()) one->Close();
  }
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Server>> Server::Listen(const std::string& host, int port,
                                               ServerOptions options) {
  std::unique_ptr<State> state;
  try {
    state = std::make_unique<State>(std::move(options));
  } catch (const std::system_error& error) {
    return std::unexpected(CannotStart(error.code().value()));
  } catch (const boost::system::system_error& error) {
    return std::unexpected(CannotStart(error.code().value()));
  }
  if (const ErrorCode error = http::Listen(state->io, host, port, state->acceptor)) {
    errno = error.category() == boost::system::system_category() ? error.value() : 0;
    return std::unexpected(CannotListen(host, port));
  }
  state->port = state->acceptor.local_endpoint().port();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

int Server::port() const { return state_->port; }

void Server::Serve(Handler handler) {
  State& state = *state_;
  state.serving.handler = std::move(handler);
  asio::co_spawn(state.io, state.Accept(), asio::detached);
  state.thread = std::thread([&state] {
    while (!state.io.stopped()) {
      try {
        state.io.run();
      } catch (const std::exception&) {
        continue;  // out of memory: costs the connection it was for
      }
    }
    state.ended.set_value();
  });
}

Server::~Server() {
  State& state = *state_;
  if (!state.thread.joinable()) return;
  std::promise<void> stopped;
  asio::post(state.io, [&] {
    state.Stop();
    stopped.set_value();
  });
  stopped.get_future().wait();  // from here on the workers get nothing more
  state.serving.workers.Join();
  state.ended.get_future().wait_for(kSendTime);
  state.io.stop();
  state.thread.join();
}

}  // namespace stepscope::http
