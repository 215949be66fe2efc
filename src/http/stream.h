// A connection with one deadline for all that is done with it, over TCP or a Unix socket.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stepscope::http {

struct Endpoint {
  std::string host;  // or, with a slash first, the path of a Unix socket
  int port = 0;
};

// Why a connection gave nothing.
enum class Failure : uint8_t {
  kNone,
  kNoHost,    // its name is unknown
  kRefused,   // nobody listens there
  kTimeout,   // the deadline passed, or the call was cancelled
  kBroken,    // it closed early, or sent what is not of its protocol
  kTooLarge,  // more than was allowed
};
std::string_view WhyOf(Failure failure);  // "nobody listens there"

struct Limits {
  int64_t deadline = 10'000'000'000;  // ns for all of it
  size_t most = size_t{1} << 20;      // bytes of an answer
  std::function<bool()> cancelled;    // asked ten times a second
};

class Stream {
 public:
  explicit Stream(Limits limits);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  // Each returns kNone, or what ended it. Names are looked up without a deadline.
  Failure Connect(const Endpoint& to);
  Failure Send(std::string_view bytes);
  // Some bytes, at least one; kBroken at the end.
  Failure Receive(std::span<char> into, size_t& got);
  // Exactly `size` bytes.
  Failure ReceiveAll(std::string& into, size_t size);

 private:
  Failure Await(short events);

  Limits limits_;
  int64_t end_ = 0;  // of a steady clock, ns
  int file_ = -1;
};

}  // namespace stepscope::http
