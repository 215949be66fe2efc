// Polls, with deadlines.
#include "server/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace stepscope::server {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMostHead = size_t{32} << 10;  // bytes of request line and headers
constexpr std::chrono::seconds kHeadTime{10};   // in which they must come
// And while others wait: so few bytes that are sent at once are there at once.
constexpr milliseconds kHeadTimeInACrowd{1'000};
constexpr milliseconds kGlance{100};        // after which it is looked whether others wait
constexpr milliseconds kWriteTime{20'000};  // in which some of the answer must be taken

// Whether `events` happen in time; an error counts, so that reading or writing finds it.
bool Poll(int fd, short events, milliseconds patience) {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&one, 1, static_cast<int>(std::max<int64_t>(0, patience.count())));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Connection::~Connection() {
  shutdown(fd_, SHUT_RDWR);
  close(fd_);
}

Connection::Wait Connection::WaitForRequest(milliseconds patience) {
  if (at_ == end_ && !Poll(fd_, POLLIN, patience)) return Wait::kNothingYet;
  if (at_ == end_) {
    const ssize_t got = recv(fd_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Wait::kNothingYet;
    if (got <= 0) return Wait::kClosed;
    at_ = 0;
    end_ = static_cast<size_t>(got);
  }
  head_left_ = kMostHead;
  head_since_ = Clock::now();
  return Wait::kBegins;
}

bool Connection::Gone() const {
  pollfd one{.fd = fd_, .events = POLLRDHUP, .revents = 0};
  return poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool Connection::InTime() const {
  const auto taken = Clock::now() - head_since_;
  return taken < kHeadTimeInACrowd || (waiting_ == 0 && taken < kHeadTime);
}

bool Connection::is_readable() const {
  while (at_ == end_ && InTime()) {
    if (Poll(fd_, POLLIN, kGlance)) return true;
  }
  return at_ < end_;
}

bool Connection::is_writable() const { return Poll(fd_, POLLOUT, kWriteTime); }

ssize_t Connection::read(char* bytes, size_t size) {
  if (head_left_ == 0) return -1;
  if (at_ == end_) {
    ssize_t got = -1;
    do {
      if (!is_readable()) return -1;
      got = recv(fd_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    if (got <= 0) return got;
    at_ = 0;
    end_ = static_cast<size_t>(got);
  }
  const size_t taken = std::min({size, end_ - at_, head_left_});
  std::memcpy(bytes, buffer_.data() + at_, taken);
  at_ += taken;
  head_left_ -= taken;
  return static_cast<ssize_t>(taken);
}

ssize_t Connection::write(const char* bytes, size_t size) {
  while (is_writable()) {
    const ssize_t sent = send(fd_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0 || (errno != EINTR && errno != EAGAIN)) return sent;
  }
  return -1;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace stepscope::server
