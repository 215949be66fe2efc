// A server on loopback that sends canned bytes, whatever is asked: for tests of clients. With the
// few frames of HTTP/2 and gRPC that such bytes are made of.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace stepscope::testing {

// One connection of a client.
class CannedConnection {
 public:
  CannedConnection(int socket, const std::atomic<bool>& stopping)
      : socket_(socket), stopping_(stopping) {}

  // False once the client has gone.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Adds to what was received, until it holds `text` so many times; false if the client has gone
  // before, or the server stops.
  bool ReceiveUntil(std::string_view text, int times = 1) {
    while (Count(text) < times) {
      if (!ReceiveSome()) return false;
    }
    return true;
  }
  // Until the client goes.
  void Drain() {
    while (ReceiveSome()) {
    }
  }
  bool Wait(std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end && !stopping_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return !stopping_;
  }
  const std::string& received() const { return received_; }

 private:
  int Count(std::string_view text) const {
    int count = 0;
    if (text.empty()) return 1;
    for (size_t at = received_.find(text); at != received_.npos; at = received_.find(text, at + 1))
      ++count;
    return count;
  }
  bool ReceiveSome() {
    pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
    while (poll(&one, 1, 20) == 0) {
      if (stopping_) return false;
    }
    char buffer[4096];
    const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
    if (got > 0) received_.append(buffer, static_cast<size_t>(got));
    return got > 0;
  }

  int socket_;
  const std::atomic<bool>& stopping_;
  std::string received_;
};

// Serves each connection on a thread of its own; closes it when `serve` returns.
class CannedServer {
 public:
  using Serve = std::function<void(CannedConnection&)>;

  explicit CannedServer(Serve serve)
      : serve_(std::move(serve)), listening_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listening_, any, size) != 0 || listen(listening_, 16) != 0 ||
        getsockname(listening_, any, &size) != 0)
      throw std::runtime_error("cannot listen on loopback");
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { Accept(); });
  }
  // Sends `first` to whoever connects, and `then` after `asked` has come; waits until he leaves.
  static Serve Sends(std::string first, std::string asked = "", std::string then = "") {
    return [=](CannedConnection& connection) {
      if (connection.Send(first) && connection.ReceiveUntil(asked)) connection.Send(then);
      connection.Drain();
    };
  }
  ~CannedServer() {
    stopping_ = true;
    accepting_.join();
    for (std::thread& thread : serving_) thread.join();
    close(listening_);
  }
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void Accept() {
    while (!stopping_) {
      pollfd one{.fd = listening_, .events = POLLIN, .revents = 0};
      if (poll(&one, 1, 20) <= 0) continue;
      const int client = accept(listening_, nullptr, nullptr);
      if (client < 0) continue;
      serving_.emplace_back([this, client] {
        CannedConnection connection(client, stopping_);
        serve_(connection);
        close(client);
      });
    }
  }

  Serve serve_;
  int listening_, port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

// Frames of HTTP/2 (RFC 9113), as a server sends them.
namespace http2 {

inline std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    text += static_cast<char>(value >> shift & 0xff);
  return text;
}

enum Type : uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kGoaway = 7,
  kContinuation = 9
};

inline std::string Frame(Type type, int flags, uint32_t stream, std::string_view payload) {
  return BigEndian(payload.size(), 3) + static_cast<char>(type) + static_cast<char>(flags) +
         BigEndian(stream, 4) + std::string(payload);
}

// Never indexed and without Huffman's code (RFC 7541). REQUIRES: texts below 127 bytes.
inline std::string Fields(
    std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string block;
  for (const auto& [name, value] : fields) {
    block += '\x10';
    block += static_cast<char>(name.size());
    block += name;
    block += static_cast<char>(value.size());
    block += value;
  }
  return block;
}

// What every server begins with.
inline std::string Settings() { return Frame(kSettings, 0, 0, ""); }

}  // namespace http2

// Answers of gRPC; a connection's calls are the streams 1, 3, 5, ...
namespace grpc {

inline std::string Head(uint32_t stream = 1) {
  return http2::Frame(http2::kHeaders, 4, stream,
                      http2::Fields({{":status", "200"}, {"content-type", "application/grpc"}}));
}
inline std::string Tail(std::string_view status, uint32_t stream = 1) {
  return http2::Frame(http2::kHeaders, 5, stream, http2::Fields({{"grpc-status", status}}));
}
// A status without an answer.
inline std::string Only(std::string_view status, std::string_view text, uint32_t stream = 1) {
  return http2::Frame(http2::kHeaders, 5, stream,
                      http2::Fields({{":status", "200"},
                                     {"content-type", "application/grpc"},
                                     {"grpc-status", status},
                                     {"grpc-message", text}}));
}
inline std::string Prefix(uint64_t size) { return '\0' + http2::BigEndian(size, 4); }
// In frames that every client takes.
inline std::string Data(std::string_view bytes, uint32_t stream = 1) {
  std::string frames;
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(bytes.size(), 16384)))
    frames += http2::Frame(http2::kData, 0, stream, bytes.substr(0, 16384));
  return frames;
}
inline std::string Answer(std::string_view message, uint32_t stream = 1) {
  return Head(stream) + Data(Prefix(message.size()) + std::string(message), stream) +
         Tail("0", stream);
}

}  // namespace grpc

}  // namespace stepscope::testing
