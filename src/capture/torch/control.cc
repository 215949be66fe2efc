// Asks and answers over the control socket.
#include "capture/torch/control.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/system_error.h"
#include "capture/common/lock.h"

namespace stepscope::capture {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLine = size_t{1} << 16;
constexpr int kPatience = 2000;  // ms

sockaddr_un NameOf(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), std::min(path.size(), sizeof name.sun_path - 1));
  return name;
}

int ConnectTo(const std::string& path) {
  const sockaddr_un name = NameOf(path);
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  if (connect(file, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) return file;
  close(file);
  return -1;
}

// The answer to one line; a null value if there is none.
Json Ask(const std::string& path, const Json& question) {
  const int file = ConnectTo(path);
  if (file < 0) return nullptr;
  const std::string line = question.dump() + "\n";
  std::string answer;
  bool good =
      send(file, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  while (good && !answer.contains('\n') && answer.size() < kMostLine) {
    pollfd ready{.fd = file, .events = POLLIN, .revents = 0};
    std::array<char, 4096> bytes;
    const ssize_t got =
        poll(&ready, 1, kPatience) > 0 ? recv(file, bytes.data(), bytes.size(), 0) : 0;
    if (got <= 0) break;
    answer.append(bytes.data(), static_cast<size_t>(got));
  }
  close(file);
  return Json::parse(answer, nullptr, false);
}

Json OfState(const DeskState& state) {
  return {{"polls", state.polls},         {"last_poll", state.last_poll},
          {"last_busy", state.last_busy}, {"offered", state.offered},
          {"handed", state.handed},       {"start", state.start},
          {"waiting", state.waiting}};
}

DeskState StateIn(const Json& json) {
  DeskState state;
  if (!json.is_object()) return state;
  const auto number = [&](const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_number_integer() ? at->get<int64_t>() : 0;
  };
  state.polls = number("polls");
  state.last_poll = number("last_poll");
  state.last_busy = number("last_busy");
  state.offered = number("offered");
  state.handed = number("handed");
  state.start = number("start");
  state.waiting = json.value("waiting", false);
  return state;
}

Json OfRequest(const TraceRequest& request) {
  return {
      {"file", request.file},   {"duration", request.duration}, {"iterations", request.iterations},
      {"start", request.start}, {"shapes", request.shapes},     {"stacks", request.stacks}};
}

// Of whole numbers alone: a fraction may be of a size that none has. Throws as nlohmann does.
int64_t WholeIn(const Json& json, const char* key) {
  return json.at(key).get_ref<const int64_t&>();
}

// Throws as nlohmann does where a value is missing or of another type.
TraceRequest RequestIn(const Json& json) {
  return {.file = json.at("file").get<std::string>(),
          .duration = WholeIn(json, "duration"),
          .iterations = WholeIn(json, "iterations"),
          .start = WholeIn(json, "start"),
          .shapes = json.at("shapes").get<bool>(),
          .stacks = json.at("stacks").get<bool>(),
          .text = {}};
}

Json AnswerTo(const Json& question, const Handouts& handouts,
              const std::map<int64_t, DeskState>& seen) {
  const auto ask = question.at("ask").get<std::string>();
  if (ask == "processes") {
    Json processes = Json::object();
    for (const auto& [pid, state] : seen) processes[std::to_string(pid)] = OfState(state);
    return {{"processes", processes}};
  }
  const auto pid = WholeIn(question, "pid");
  if (ask == "state") return OfState(handouts.state(pid));
  if (ask == "withdraw") handouts.withdraw(pid);
  if (ask == "over") handouts.over(pid);
  if (ask == "offer") {
    if (auto offered = handouts.offer(pid, RequestIn(question)); !offered)
      return {{"error", offered.error().what}};
  }
  return Json::object();
}

}  // namespace

std::string ControlPath(const std::string& folder) {
  if (folder.empty()) return LockFolder() + "/daemon.socket";
  return fmt::format("{}/daemon-{:016x}.socket", LockFolder(),
                     XXH3_64bits(folder.data(), folder.size()));
}

std::optional<Handouts> AskDaemon(const std::string& folder) {
  const std::string path = ControlPath(folder);
  if (!MakePrivateFolder(LockFolder())) return std::nullopt;  // a stranger may listen there
  if (!Ask(path, {{"ask", "processes"}}).is_object()) return std::nullopt;
  return Handouts{
      .offer = [path](int64_t pid, const TraceRequest& request) -> Result<void> {
        Json question = OfRequest(request);
        question["ask"] = "offer";
        question["pid"] = pid;
        const Json answer = Ask(path, question);
        if (answer.is_object() && !answer.contains("error")) return {};
        return std::unexpected(Error{
            answer.is_object() ? answer["error"].get<std::string>() : "the daemon does not answer",
            path, ""});
      },
      .state = [path](int64_t pid) { return StateIn(Ask(path, {{"ask", "state"}, {"pid", pid}})); },
      .withdraw = [path](int64_t pid) { Ask(path, {{"ask", "withdraw"}, {"pid", pid}}); },
      .over = [path](int64_t pid) { Ask(path, {{"ask", "over"}, {"pid", pid}}); }};
}

std::string AnswerControl(std::string_view line, const Handouts& handouts,
                          const std::map<int64_t, DeskState>& seen) {
  const Json question = Json::parse(line, nullptr, false);
  try {
    return AnswerTo(question, handouts, seen).dump() + "\n";
  } catch (const Json::exception&) {
    return "{\"error\":\"the question cannot be read\"}\n";
  }
}

Result<int> ListenPrivately(const std::string& path) {
  if (const int other = ConnectTo(path); other >= 0) {
    close(other);
    return std::unexpected(Error{"a daemon is running already", path, "use it, or end it first"});
  }
  unlink(path.c_str());
  const sockaddr_un name = NameOf(path);
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const mode_t mask = umask(0177);
  const bool bound = file >= 0 && path.size() < sizeof name.sun_path &&
                     bind(file, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                     listen(file, 16) == 0;
  const int reason = errno;
  umask(mask);
  if (bound) return file;
  if (file >= 0) close(file);
  return std::unexpected(SystemError("cannot listen", reason, path));
}

}  // namespace stepscope::capture
