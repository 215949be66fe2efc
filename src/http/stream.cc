// Connects, sends and receives with poll().
#include "http/stream.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "base/time_units.h"

namespace stepscope::http {
namespace {

constexpr int64_t kLook = 100 * kMillisecond;  // between looks whether it is cancelled

int64_t SteadyClock() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Failure OfError(int error) {
  return error == ECONNREFUSED || error == ENOENT || error == EHOSTUNREACH || error == ENETUNREACH
             ? Failure::kRefused
             : Failure::kBroken;
}

}  // namespace

std::string_view WhyOf(Failure failure) {
  switch (failure) {
    case Failure::kNone:
      return "";
    case Failure::kNoHost:
      return "its host is unknown";
    case Failure::kRefused:
      return "nobody listens there";
    case Failure::kTimeout:
      return "no answer in time";
    case Failure::kBroken:
      return "the connection broke";
    case Failure::kTooLarge:
      return "its answer is too large";
  }
  return "";
}

Stream::Stream(Limits limits)
    : limits_(std::move(limits)), end_(SteadyClock() + limits_.deadline) {}

Stream::Stream(Stream&& other) noexcept
    : limits_(std::move(other.limits_)), end_(other.end_), file_(std::exchange(other.file_, -1)) {}

Stream::~Stream() {
  if (file_ >= 0) close(file_);
}

Failure Stream::Await(short events) {
  while (true) {
    const int64_t left = end_ - SteadyClock();
    if (left <= 0 || (limits_.cancelled && limits_.cancelled())) return Failure::kTimeout;
    pollfd ready{.fd = file_, .events = events, .revents = 0};
    const int64_t wait = std::min(left, kLook) / kMillisecond + 1;
    if (poll(&ready, 1, static_cast<int>(wait)) > 0) return Failure::kNone;
  }
}

Failure Stream::Connect(const Endpoint& to) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  addrinfo of_path{.ai_flags = 0,
                   .ai_family = AF_UNIX,
                   .ai_socktype = SOCK_STREAM,
                   .ai_protocol = 0,
                   .ai_addrlen = sizeof local,
                   .ai_addr = reinterpret_cast<sockaddr*>(&local),
                   .ai_canonname = nullptr,
                   .ai_next = nullptr};
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(nullptr, [](addrinfo* all) {
    if (all != nullptr) freeaddrinfo(all);
  });
  const addrinfo* at = &of_path;
  if (to.host.starts_with('/')) {
    if (to.host.size() >= sizeof local.sun_path) return Failure::kNoHost;
    std::memcpy(local.sun_path, to.host.data(), to.host.size());
  } else {
    addrinfo hints{}, *all = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &all) != 0)
      return Failure::kNoHost;
    found.reset(all);
    at = all;
  }
  Failure failure = Failure::kNoHost;
  for (; at != nullptr; at = at->ai_next) {
    if (file_ >= 0) close(file_);
    file_ = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file_ < 0) return Failure::kBroken;
    int error = connect(file_, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS || error == EAGAIN) {
      if (failure = Await(POLLOUT); failure != Failure::kNone) return failure;
      socklen_t size = sizeof error;
      getsockopt(file_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) return Failure::kNone;
    failure = OfError(error);
  }
  return failure;
}

Failure Stream::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (const Failure failure = Await(POLLOUT); failure != Failure::kNone) return failure;
    } else if (errno != EINTR) {
      return Failure::kBroken;
    }
  }
  return Failure::kNone;
}

Failure Stream::Receive(std::span<char> into, size_t& got) {
  while (true) {
    if (const Failure failure = Await(POLLIN); failure != Failure::kNone) return failure;
    const ssize_t size = recv(file_, into.data(), into.size(), 0);
    if (size > 0) {
      got = static_cast<size_t>(size);
      return Failure::kNone;
    }
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) return Failure::kBroken;
  }
}

Failure Stream::ReceiveAll(std::string& into, size_t size) {
  if (size > limits_.most) return Failure::kTooLarge;
  into.clear();
  std::string part(std::min(size, size_t{1} << 16), '\0');
  while (into.size() < size) {
    size_t got = 0;
    const Failure failure =
        Receive(std::span(part.data(), std::min(part.size(), size - into.size())), got);
    if (failure != Failure::kNone) return failure;
    into.append(part, 0, got);
  }
  return Failure::kNone;
}

}  // namespace stepscope::http
