// Fuzzes what a server of profiles may send: HTTP/2's frames, gRPC's message in them, the profile
// in that. Whatever the bytes, reading ends, and chunks of any size say the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "capture/grpc/grpc_message.h"
#include "capture/grpc/grpc_reason.h"
#include "capture/grpc/grpc_session.h"
#include "capture/grpc/profile_answer.h"
#include "capture/grpc/profile_file.h"
#include "capture/grpc/profile_request.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::capture::capture_grpc_fuzz {
namespace {

constexpr uint64_t kMost = 1 << 16;

struct Taken {
  std::string profile;
  bool good = true, whole = false, empty = false;
  MessageReader::State state = MessageReader::State::kReading;
  friend bool operator==(const Taken&, const Taken&) = default;
};

// As gRPC's message, in chunks of this size.
Taken TakeIn(size_t chunk, std::string_view bytes) {
  Taken taken;
  ProfileAnswer answer([&](std::string_view part) {
    taken.profile += part;
    return true;
  });
  MessageReader message(kMost, [&](std::string_view part) { return answer.Add(part); });
  for (size_t at = 0; at < bytes.size(); at += chunk) message.Add(bytes.substr(at, chunk));
  taken.whole = answer.whole();
  taken.empty = answer.empty_trace();
  taken.state = message.state();
  return taken;
}

void ReadProfile(std::string_view bytes) {
  const ProfileFacts facts = ReadProfileFacts(bytes);
  Require(facts.start >= 0 && facts.stop >= 0 && facts.hosts.size() <= 10);
  for (const auto& text : facts.hosts) Require(Printable(text) == text);
  MonitorText(bytes);
  ReadNewSession(bytes);
}

// As a connection on which one call is made after the first chunk.
void ServeBytes(std::string_view bytes) {
  GrpcSession session("host:1", "fuzz");
  MessageReader message(kMost, [](std::string_view) { return true; });
  const size_t first = bytes.empty() ? 0 : static_cast<uint8_t>(bytes.front());
  const auto feed = [&](std::string_view part) {
    while (!session.Outgoing().empty()) {
    }
    return session.Incoming(part).empty();
  };
  if (!feed(bytes.substr(0, first))) return;
  session.Begin("/a/b", FrameMessage("question"), 1000, message);
  const bool good = first >= bytes.size() || feed(bytes.substr(first));
  while (!session.Outgoing().empty()) {
  }
  const bool stopped = message.state() != MessageReader::State::kReading;
  if ((!good && !stopped) || (!session.ended() && !stopped && !session.has_status())) return;
  const GrpcEnd end = session.End();
  if (!end.ok()) Require(!ReasonOf(end).what.empty());
}

void Fuzz(std::string_view bytes) {
  const Taken whole = TakeIn(bytes.size() + 1, bytes);
  for (const size_t chunk : {1u, 3u, 64u}) {
    const Taken parts = TakeIn(chunk, bytes);
    // Bytes after the message are seen later in small chunks: what was taken is the same or more.
    if (whole.state == MessageReader::State::kReading) Require(parts == whole);
  }
  ReadProfile(bytes);
  ReadProfile(whole.profile);
  ServeBytes(bytes);
}

const fuzz::Register kTarget({.name = "capture_grpc", .run = &Fuzz, .form = fuzz::Form::kProto});

}  // namespace
}  // namespace stepscope::capture::capture_grpc_fuzz
