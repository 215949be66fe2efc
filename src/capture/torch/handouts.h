// How a capture reaches the processes: through its own socket, or through a daemon that has it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "capture/torch/desk.h"
#include "capture/torch/request.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// Functions instead of a base class: both ways are values. Calls are safe from one thread.
struct Handouts {
  std::function<Result<void>(int64_t pid, const TraceRequest&)> offer;
  std::function<DeskState(int64_t pid)> state;
  std::function<void(int64_t pid)> withdraw;
  std::function<void(int64_t pid)> over;
};

// Answers polls in a thread of its own until it is destroyed, within a few ms of each.
class FabricServer {
 public:
  // Fails if another program has the socket. Polls of other users get no request.
  static Result<FabricServer> Start(const std::string& folder);
  FabricServer(FabricServer&&) noexcept;
  FabricServer& operator=(FabricServer&&) = delete;
  ~FabricServer();

  Handouts handouts() const;  // valid as long as the server
  std::map<int64_t, DeskState> Seen() const;

 private:
  struct State;
  explicit FabricServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope::capture
