// Implements the sentences: a row for each way in which a call ends.
#include "capture/grpc/grpc_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace stepscope::capture {
namespace {

using Kind = GrpcEnd::Kind;

// https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
constexpr auto kStatusNames = std::to_array<std::string_view>(
    {"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
     "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
     "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"});
constexpr int kAlreadyExists = 6, kResourceExhausted = 8;

constexpr std::string_view kStartServer =
    "start a profiler server in the job: jax.profiler.start_server(PORT), "
    "tf.profiler.experimental.server.start(PORT) or torch_xla's xp.start_server(PORT)";
constexpr std::string_view kRightPort =
    "give the port of the profiler server, the one in the script's start_server(PORT)";

std::string NameOf(int status) {
  const auto index = static_cast<size_t>(status);
  return index < kStatusNames.size() ? std::string(kStatusNames[index])
                                     : fmt::format("status {}", status);
}

// ": text", if there is any.
std::string After(const std::string& text) { return text.empty() ? "" : ": " + text; }

Reason OfStatus(const GrpcEnd& end) {
  if (IsBusy(end))
    return {"another profile is under way in this process",
            "capture again later; the script may profile itself, another user may capture, or "
            "snapshots of a capture that was killed may go on, which `stop_snapshots` ends"};
  if (IsMissing(end))
    return {"this gRPC server has no such call" + After(end.text),
            "it is no profiler server, such as JAX's coordinator, or one of another version; " +
                std::string(kRightPort)};
  if (end.status == kResourceExhausted)
    return {"the profile is too large for the server" + After(end.text), "capture less time"};
  return {fmt::format("the server answered {}{}", NameOf(end.status), After(end.text)), ""};
}

}  // namespace

bool IsBusy(const GrpcEnd& end) {
  return end.kind == Kind::kStatus &&
         (end.text.contains("profiling session active") || end.status == kAlreadyExists);
}

bool IsTooMuch(const GrpcEnd& end) {
  return end.kind == Kind::kTooLong ||
         (end.kind == Kind::kStatus && end.status == kResourceExhausted);
}

bool IsMissing(const GrpcEnd& end) {
  return end.kind == Kind::kStatus && end.status == kGrpcUnimplemented;
}

Reason ReasonOf(const GrpcEnd& end) {
  switch (end.kind) {
    case Kind::kOk:
      break;
    case Kind::kStatus:
      return OfStatus(end);
    case Kind::kNoHost:
      return {"the host's name was not found" + After(end.text),
              "check the name; names of a job's workers come from CLUSTER_SPEC or TF_CONFIG"};
    case Kind::kRefused:
      return {"nothing listens on this port", std::string(kStartServer)};
    case Kind::kNoWay:
      return {"no connection" + After(end.text), "see that a firewall lets this port through"};
    case Kind::kSilent:
      return {"the port accepts connections and answers nothing",
              "the process may be stopped or hung, or this is another kind of server"};
    case Kind::kHttp1:
      return {"this is an HTTP/1 server", std::string(kRightPort)};
    case Kind::kTls:
      return {"this server speaks TLS, which profiler servers do not", std::string(kRightPort)};
    case Kind::kNotHttp2:
      return {"this server speaks no HTTP/2" + After(end.text), std::string(kRightPort)};
    case Kind::kNotGrpc:
      return {"this is an HTTP/2 server without gRPC" + After(end.text), std::string(kRightPort)};
    case Kind::kBroken:
      return {"the connection broke" + After(end.text), "see whether the process still runs"};
    case Kind::kDamaged:
      return {"the answer is damaged" + After(end.text), "see that this is a profiler server"};
    case Kind::kTooLong:
      return {"the profile is larger than 2 GB", "capture less time"};
    case Kind::kRefusedByUs:
      return {"the profile could not be kept", ""};
    case Kind::kDeadline:
      return {"no answer within the time", "see whether the process is stopped or hung"};
    case Kind::kAborted:
      return {"the capture was stopped", ""};
  }
  return {};
}

}  // namespace stepscope::capture
