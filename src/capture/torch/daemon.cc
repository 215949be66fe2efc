// Runs the daemon: a server for libkineto, a control socket, and dynolog's port.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "base/system_error.h"
#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/common/lock.h"
#include "capture/torch/control.h"
#include "capture/torch/dyno.h"
#include "capture/torch/handouts.h"
#include "capture/torch/staging.h"
#include "stepscope/capture_torch.h"

namespace stepscope {
namespace capture {
namespace {

constexpr int kLook = 50;  // ms
constexpr int64_t kConnectionTime = 5 * kSecond;
constexpr size_t kMostConnections = 64;
constexpr int64_t kStepTime = 5 * kMinute;  // for steps of unknown length
constexpr int64_t kAskTime = 40 * kSecond;  // to be asked, to begin and to write

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(Descriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  int get() const { return file_; }

 private:
  int file_;
};

struct Connection {
  Descriptor file;
  bool dyno = false;
  int64_t end = 0;     // a moment
  std::string buffer;  // what came so far
};

Result<Descriptor> ListenOnLoopback(int port) {
  Descriptor file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (file.get() >= 0 && setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(file.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
      listen(file.get(), 16) == 0) {
    return file;
  }
  Error error = SystemError("cannot listen", errno, fmt::format("127.0.0.1:{}", port));
  if (errno == EADDRINUSE) {
    error.hint =
        "another program listens there, such as dynolog or a daemon of another user: end it, or "
        "give another `port`";
  }
  return std::unexpected(std::move(error));
}

int PortOf(int file) {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  return getsockname(file, reinterpret_cast<sockaddr*>(&name), &size) == 0 ? ntohs(name.sin_port)
                                                                           : 0;
}

// Who is at the other end of a connection over loopback, by /proc/net/tcp; -1: unknown.
int64_t UserBehind(int file) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  if (getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return -1;
  const std::string theirs = fmt::format(":{:04X}", ntohs(peer.sin_port));
  const std::string ours = fmt::format(":{:04X}", PortOf(file));
  std::ifstream in("/proc/net/tcp");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string number, local, remote, skip;
    int64_t user = -1;
    words >> number >> local >> remote >> skip >> skip >> skip >> skip >> user;
    if (words && local.ends_with(theirs) && remote.ends_with(ours)) return user;
  }
  return -1;
}

// A dyno script's request, whose process is locked until its trace is there or is given up.
struct Outstanding {
  Process process;
  std::string file;
  Lock lock;
  int64_t offered = 0, end = 0;  // moments
};

class Daemon {
 public:
  Daemon(const TorchDaemonOptions& options, FabricServer& server, Descriptor control,
         Descriptor dyno)
      : options_(options),
        server_(server),
        handouts_(server.handouts()),
        control_(std::move(control)),
        dyno_(std::move(dyno)) {}

  void Run();

 private:
  void Accept(int listener, bool dyno);
  bool Serve(Connection& connection);
  std::string AnswerTo(const std::string& json, int file);
  Result<void> Offer(const Client& client, const TraceRequest& request);
  void EndWritten();

  const TorchDaemonOptions& options_;
  FabricServer& server_;
  Handouts handouts_;
  Descriptor control_, dyno_;
  std::vector<Connection> connections_;
  std::vector<Outstanding> outstanding_;
  int64_t looked_ = 0;  // for their traces, a moment
};

void Daemon::Accept(int listener, bool dyno) {
  Descriptor file(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (file.get() < 0 || connections_.size() >= kMostConnections) return;
  connections_.push_back({std::move(file), dyno, WallClock() + kConnectionTime, {}});
}

// A script that exits later than its request: nothing is locked for longer than the recording can
// take.
Result<void> Daemon::Offer(const Client& client, const TraceRequest& request) {
  const int64_t now = WallClock();
  auto lock = Lock::Take(LockFolder(), LockKey(client.process),
                         fmt::format("pid {}", client.process.pid), now);
  if (!lock) return std::unexpected(lock.error());
  if (auto offered = handouts_.offer(client.process.pid, request); !offered) return offered;
  const int64_t length = request.iterations > 0 ? kStepTime : request.duration;
  const int64_t end = now + kAskTime + length;
  if (auto noted = lock->Uncertain(end, "a dyno script asked for it"); !noted) return noted;
  outstanding_.push_back({client.process, request.file, *std::move(lock), now, end});
  return {};
}

void Daemon::EndWritten() {
  const int64_t now = WallClock();
  if (outstanding_.empty() || now < looked_ + kSecond) return;
  looked_ = now;
  std::erase_if(outstanding_, [&](Outstanding& each) {
    const bool written = IsWritten(each.process, each.file, each.offered);
    if (written) {
      each.lock.Over();
      handouts_.over(each.process.pid);
    }
    return written || now > each.end;
  });
}

std::string Daemon::AnswerTo(const std::string& json, int file) {
  const auto user = static_cast<int64_t>(geteuid());
  if (UserBehind(file) != user)
    return R"({"status":"failed","error":"only the user of the daemon may ask"})";
  return AnswerDyno(
      json, {.clients = [this] { return FindClients(options_.socket_folder); },
             .offer = [this](const Client& client,
                             const TraceRequest& request) { return Offer(client, request); },
             .user = user});
}

// Whether the connection stays.
bool Daemon::Serve(Connection& connection) {
  std::array<char, 4096> bytes;
  const int file = connection.file.get();
  const ssize_t got = recv(file, bytes.data(), bytes.size(), 0);
  if (got <= 0) return got < 0 && errno == EAGAIN;
  connection.buffer.append(bytes.data(), static_cast<size_t>(got));
  if (connection.buffer.size() > kMostDynoRequest + sizeof(int32_t)) return false;
  std::string answer;
  if (connection.dyno) {
    const auto json = DynoJson(connection.buffer);
    if (!json) return false;
    if (!*json) return true;
    answer = DynoBytes(AnswerTo(**json, file));
  } else {
    if (!connection.buffer.ends_with('\n')) return true;
    answer = AnswerControl(connection.buffer, handouts_, server_.Seen());
  }
  send(file, answer.data(), answer.size(), MSG_NOSIGNAL);
  return false;
}

void Daemon::Run() {
  while (!options_.stopped || !options_.stopped()) {
    std::vector<pollfd> ready = {{.fd = control_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = dyno_.get(), .events = POLLIN, .revents = 0}};
    for (const Connection& connection : connections_)
      ready.push_back({.fd = connection.file.get(), .events = POLLIN, .revents = 0});
    poll(ready.data(), ready.size(), kLook);
    std::vector<Connection> open;
    for (size_t i = 0; i < connections_.size(); ++i) {
      const bool stays = ready[i + 2].revents == 0 || Serve(connections_[i]);
      if (stays && WallClock() < connections_[i].end) open.push_back(std::move(connections_[i]));
    }
    connections_ = std::move(open);
    EndWritten();
    if (ready[0].revents != 0) Accept(control_.get(), false);
    if (ready[1].revents != 0) Accept(dyno_.get(), true);
  }
}

}  // namespace
}  // namespace capture

Result<void> TorchDaemon(const TorchDaemonOptions& asked) {
  using capture::Descriptor;
  TorchDaemonOptions options = asked;
  options.socket_folder = capture::FolderAsBound(asked.socket_folder);
  if (auto made = capture::MakePrivateFolder(capture::LockFolder()); !made) return made;
  auto server = capture::FabricServer::Start(options.socket_folder);
  if (!server) return std::unexpected(server.error());
  auto dyno = capture::ListenOnLoopback(options.port);
  if (!dyno) return std::unexpected(dyno.error());
  const std::string path = capture::ControlPath(options.socket_folder);
  const auto control = capture::ListenPrivately(path);
  if (!control) return std::unexpected(control.error());
  if (options.on_ready) options.on_ready(capture::PortOf(dyno->get()));
  capture::Daemon(options, *server, Descriptor(*control), *std::move(dyno)).Run();
  unlink(path.c_str());
  return {};
}

}  // namespace stepscope
