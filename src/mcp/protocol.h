// Speaks the Model Context Protocol: revision 2026-07-28, whose every request says its version, and
// the revisions before it that begin with `initialize`.
//
// https://modelcontextprotocol.io/specification/2026-07-28
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcp/calls.h"
#include "mcp/message.h"
#include "mcp/tools.h"

namespace stepscope::mcp {

// One client on one connection. Answers at once, but for calls of tools, which `calls` runs. For
// one thread. `output`, `calls` and `place` outlive it.
class Protocol {
 public:
  Protocol(Output& output, Calls& calls, const Workplace& place)
      : output_(output), calls_(calls), place_(place) {}

  void Take(std::string_view line);
  void TakeTooLong();  // a line that was too long to keep
  void End();          // answers what stays open until then

 private:
  // How the client speaks: what a result needs depends on it.
  enum class Era : uint8_t { kHandshake, kStateless };

  std::expected<Era, Failed> EraOf(const Message& message) const;
  // The result of a request that is answered at once.
  std::expected<Json, Failed> Answer(const Message& message, Era era);
  std::expected<void, Failed> Call(const Message& message, Era era);
  void Request(const Message& message);
  std::expected<void, Failed> Listen(const Message& message);
  void Notification(const Message& message);
  Json Initialize(const Message& message);

  Output& output_;
  Calls& calls_;
  Workplace place_;
  bool initialized_ = false;
  std::vector<Json> listening_;  // ids of `subscriptions/listen`, which last
};

}  // namespace stepscope::mcp
