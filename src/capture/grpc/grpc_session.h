// One HTTP/2 connection's frames, without a socket: bytes in, bytes out, one gRPC call at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/grpc/grpc_end.h"
#include "capture/grpc/grpc_message.h"

struct nghttp2_session;

namespace stepscope::capture {

class GrpcSession {
 public:
  GrpcSession(std::string authority, std::string user_agent);
  ~GrpcSession();
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;

  // Bytes to send, valid until the next call; empty: none now.
  std::string_view Outgoing();
  // Takes bytes that came. Returns what is wrong with them, or nothing.
  std::string Incoming(std::string_view bytes);

  // REQUIRES: no other call; `message` outlives this one or Forget(). The server is told to give up
  // after `timeout` ms.
  void Begin(std::string_view path, std::string frame, int64_t timeout, MessageReader& message);
  void Forget() { message_ = nullptr; }
  // How the call ended. REQUIRES: ended(), or has_status(), or the message is not kReading.
  GrpcEnd End() const;

  const bool& settled() const { return settled_; }  // the server's SETTINGS have come
  const bool& ended() const { return ended_; }      // the call
  bool has_status() const { return status_ >= 0; }
  bool finished() const;                     // nghttp2 has no more to read or write
  uint64_t taken() const { return taken_; }  // bytes of answers

 private:
  friend struct GrpcCallbacks;
  void Header(std::string_view name, std::string_view value);

  nghttp2_session* session_ = nullptr;
  std::string authority_, user_agent_;
  bool settled_ = false, ended_ = true;
  uint64_t taken_ = 0;

  // Of the call.
  int32_t stream_ = -1;
  std::string frame_;
  size_t sent_ = 0;
  MessageReader* message_ = nullptr;
  int http_status_ = 0, status_ = -1;
  bool grpc_ = false;   // the content type says so
  uint32_t reset_ = 0;  // HTTP/2's error code
  std::string status_text_;
};

}  // namespace stepscope::capture
