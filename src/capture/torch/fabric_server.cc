// Receives polls and answers them from a desk.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/wall_clock.h"
#include "capture/torch/fabric_socket.h"
#include "capture/torch/handouts.h"

namespace stepscope::capture {
namespace {

constexpr int kLook = 50;  // ms between looks at `stop`

}  // namespace

struct FabricServer::State {
  explicit State(FabricSocket made) : socket(std::move(made)) {}

  void Run();
  void Take(const Received& received);

  FabricSocket socket;
  std::mutex mutex;  // of `desk`
  Desk desk;
  std::atomic<bool> stop = false;
  std::thread thread;
};

void FabricServer::State::Take(const Received& received) {
  const auto message = ParseMessage(received.bytes);
  if (!message) return;
  if (std::holds_alternative<Context>(*message)) {
    socket.Answer(received.client, ContextAnswer());
    return;
  }
  if (received.user != static_cast<int64_t>(geteuid()) || received.pid <= 0) return;
  const std::scoped_lock lock(mutex);
  const auto text = desk.Answer(received.pid, received.client, std::get<Poll>(*message),
                                received.sent, WallClock());
  if (!text) return;
  if (!socket.Answer(received.client, PollAnswer(*text)) && !text->empty())
    desk.NotSent(received.pid);
}

void FabricServer::State::Run() {
  while (!stop) {
    pollfd ready{.fd = socket.file(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kLook) <= 0) continue;
    if (const auto received = socket.Receive()) Take(*received);
  }
}

Result<FabricServer> FabricServer::Start(const std::string& folder) {
  auto socket = FabricSocket::Bind(folder);
  if (!socket) return std::unexpected(socket.error());
  auto state = std::make_unique<State>(*std::move(socket));
  state->thread = std::thread([&here = *state] { here.Run(); });
  return FabricServer(std::move(state));
}

FabricServer::FabricServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
FabricServer::FabricServer(FabricServer&&) noexcept = default;

FabricServer::~FabricServer() {
  if (!state_) return;
  state_->stop = true;
  state_->thread.join();
}

Handouts FabricServer::handouts() const {
  State& state = *state_;
  return {.offer =
              [&state](int64_t pid, const TraceRequest& request) {
                const std::scoped_lock lock(state.mutex);
                return state.desk.Offer(pid, request, WallClock());
              },
          .state =
              [&state](int64_t pid) {
                const std::scoped_lock lock(state.mutex);
                return state.desk.StateOf(pid);
              },
          .withdraw =
              [&state](int64_t pid) {
                const std::scoped_lock lock(state.mutex);
                state.desk.Withdraw(pid);
              },
          .over =
              [&state](int64_t pid) {
                const std::scoped_lock lock(state.mutex);
                state.desk.Over(pid);
              }};
}

std::map<int64_t, DeskState> FabricServer::Seen() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->desk.Seen(WallClock());
}

}  // namespace stepscope::capture
