// One connection as cpp-httplib reads and writes it, with limits that the library has not: how
// large and how slow a request's head may be, and whether the other side is still there.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>

namespace stepscope::server {

class Connection : public httplib::Stream {
 public:
  // `waiting`: how many others wait for their turn. While there are any, heads have less time.
  Connection(int fd, const std::atomic<int>& waiting) : fd_(fd), waiting_(waiting) {}
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Waits a moment for the next request to begin; what it then takes is limited.
  enum class Wait : uint8_t { kBegins, kNothingYet, kClosed };
  Wait WaitForRequest(std::chrono::milliseconds patience);

  // The head took more bytes than are allowed: the rest of it was not read.
  bool head_too_large() const { return head_left_ == 0; }

  // Whether the other side has closed. One that closes its sending half only counts as gone too:
  // no browser and no library does.
  bool Gone() const;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return fd_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Whether the head may still take time.
  bool InTime() const;

  int fd_;
  const std::atomic<int>& waiting_;
  std::array<char, 4096> buffer_;
  size_t at_ = 0, end_ = 0;       // of the buffer: read from the socket and not yet taken
  size_t head_left_ = 1;          // bytes that this request may still take
  Clock::time_point head_since_;  // when it began
};

}  // namespace stepscope::server
