// Says how a gRPC call ended, and makes a server's words fit for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::capture {

// How a call, or the way to it, ended.
struct GrpcEnd {
  enum class Kind : uint8_t {
    kOk,
    kStatus,       // the server answered with another status: `status`, `text`
    kNoHost,       // the name leads nowhere
    kRefused,      // nothing listens
    kNoWay,        // no connection within the time, or no route
    kSilent,       // connected, and no HTTP/2 within the time
    kHttp1,        // HTTP/1 came
    kTls,          // a TLS record came
    kNotHttp2,     // other bytes came
    kNotGrpc,      // HTTP/2 without gRPC: `text` says how
    kBroken,       // the connection closed, or the call was reset: `text`
    kDamaged,      // what came breaks the protocol: `text`
    kTooLong,      // the answer is longer than allowed
    kRefusedByUs,  // the taker of the answer wanted no more
    kDeadline,
    kAborted,  // by Abort()
  };
  Kind kind = Kind::kOk;
  int status = 0;    // grpc-status
  std::string text;  // for people: printable, at most 300 bytes

  bool ok() const { return kind == Kind::kOk; }
};

// gRPC's numbers that servers of profiles answer with.
inline constexpr int kGrpcUnimplemented = 12;

// `text` from a server with what a terminal cannot print replaced, at most 300 bytes.
std::string Printable(std::string_view text);

}  // namespace stepscope::capture
