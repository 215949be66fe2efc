// Parses and builds datagrams.
#include "capture/torch/fabric.h"

#include <cstring>

namespace stepscope::capture {
namespace {

constexpr size_t kTypeBytes = 32;
constexpr size_t kHeader = sizeof(uint64_t) + kTypeBytes;
constexpr size_t kPollHead = 16;  // bytes before its pids
constexpr size_t kContextBytes = 16;
constexpr int32_t kMostPids = 1024;

template <class T>
T At(std::string_view bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);  // every caller checks the length
  return value;
}

std::unexpected<Error> Unreadable(std::string what) {
  return std::unexpected(Error{"a datagram was ignored: " + what, "", ""});
}

std::string Datagram(std::string_view type, std::string_view payload) {
  std::string bytes(kHeader, '\0');
  const uint64_t size = payload.size();
  std::memcpy(bytes.data(), &size, sizeof size);
  std::memcpy(bytes.data() + sizeof size, type.data(), type.size());
  return bytes.append(payload);
}

}  // namespace

Result<Message> ParseMessage(std::string_view datagram) {
  if (datagram.size() < kHeader) return Unreadable("it is shorter than its header");
  const auto size = At<uint64_t>(datagram, 0);
  std::string_view type = datagram.substr(sizeof size, kTypeBytes);
  type = type.substr(0, type.find('\0'));
  const std::string_view payload = datagram.substr(kHeader);
  if (size != payload.size()) return Unreadable("it is not as long as it says");
  if (type == "ctxt" && payload.size() == kContextBytes)
    return Context{.job = At<int64_t>(payload, 8)};
  if (type != "req" || payload.size() < kPollHead) return Unreadable("its type is unknown");
  Poll poll{.type = At<int32_t>(payload, 0), .job = At<int64_t>(payload, 8), .pids = {}};
  const auto count = At<int32_t>(payload, 4);
  if (count < 1 || count > kMostPids ||
      payload.size() != kPollHead + sizeof(int32_t) * static_cast<size_t>(count)) {
    return Unreadable("its number of pids is wrong");
  }
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    poll.pids.push_back(At<int32_t>(payload, kPollHead + sizeof(int32_t) * i));
  return poll;
}

std::string PollAnswer(std::string_view text) { return Datagram("req", text); }

std::string ContextAnswer() {
  const int32_t instances = 1;
  std::string payload(sizeof instances, '\0');
  std::memcpy(payload.data(), &instances, sizeof instances);
  return Datagram("ctxt", payload);
}

}  // namespace stepscope::capture
