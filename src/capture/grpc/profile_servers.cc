// Implements the capture: a coroutine for each server, and one that looks for a stop.
#include "capture/grpc/profile_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/grpc/grpc_connection.h"
#include "capture/grpc/profile_answer.h"

// GCC 12 takes the allocator of Asio's coroutines for another one (PR 109224).
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace stepscope::capture {
namespace {

using Clock = GrpcConnection::Clock;
using std::chrono::nanoseconds;

constexpr int64_t kConnectTime = 10 * kSecond;
constexpr int64_t kLeadTime = 500 * kMillisecond;  // for requests to reach all servers
constexpr int64_t kLeastAfter = 60 * kSecond;      // to collect a profile, after its window
constexpr int64_t kBusyPause = 500 * kMillisecond;
constexpr int64_t kStopTime = 10 * kSecond;  // for what a stopped session has recorded
constexpr int64_t kPollTime = 50 * kMillisecond;
constexpr int64_t kLeastWindow = 50 * kMillisecond;  // when the time is halved
constexpr int kMostHalvings = 5;
constexpr uint64_t kMostAnswer = 2'147'483'647;  // bytes, of any answer
// A server cannot write an answer of 2 GB: from here on it is named.
constexpr int64_t kNearLimit = 1'900'000'000;
constexpr uint64_t kMostSmall = 1 << 20;  // bytes of an answer without a profile
constexpr std::string_view kAgent = "stepscope";

// One server's part of the capture.
struct Part {
  ServerTrace trace;
  std::unique_ptr<GrpcConnection> connection;
  bool recording = false;  // a Profile call is under way
  bool over = false;
};

class Capture {
 public:
  explicit Capture(const ServersOptions& options) : options_(options), ready_(io_), stop_(io_) {
    for (const ServerAddress& server : options.servers)
      parts_.push_back({.trace = {.server = server, .duration = options.settings.duration}});
    ready_.expires_at(Clock::time_point::max());
  }

  ServersResult Run() {
    Name();
    Tell("connecting");
    for (Part& part : parts_) asio::co_spawn(io_, RunPart(part), asio::detached);
    asio::co_spawn(io_, WatchForStop(), asio::detached);
    io_.run();
    ServersResult result{.start = start_, .cancelled = stopping_};
    for (Part& part : parts_) result.traces.push_back(std::move(part.trace));
    return result;
  }

 private:
  void Name();
  void Tell(std::string doing);
  asio::awaitable<void> Sleep(int64_t ns);
  asio::awaitable<void> RunPart(Part& part);
  asio::awaitable<void> RunConnected(Part& part);
  asio::awaitable<bool> Reconnect(Part& part);
  asio::awaitable<void> WaitForAll();
  asio::awaitable<GrpcEnd> Profile(Part& part, ProfileFile& file, int64_t start,
                                   ProfileAnswer& answer);
  bool Halve(Part& part, ProfileFile& file, std::string_view why);
  void TakeFile(Part& part, ProfileFile& file, const ProfileAnswer& answer);
  asio::awaitable<void> WatchForStop();
  asio::awaitable<void> Stop(Part& part);

  const ServersOptions& options_;
  asio::io_context io_{1};
  asio::steady_timer ready_;  // cancelled when all servers have been connected, or not
  asio::steady_timer stop_;
  std::vector<Part> parts_;
  std::string doing_;
  size_t tried_ = 0;  // servers that were connected to, or not
  size_t over_ = 0;
  int64_t start_ = 0;
  bool stopping_ = false;
};

// Two servers whose addresses make the same name get numbers.
void Capture::Name() {
  std::set<std::string> names;
  for (Part& part : parts_) {
    const std::string name = ProfileName(part.trace.server, options_.snapshot);
    part.trace.file = name;
    for (int k = 2; !names.insert(part.trace.file).second; ++k)
      part.trace.file = fmt::format("{}-{}", k, name);
  }
}

void Capture::Tell(std::string doing) {
  if (!doing.empty()) doing_ = std::move(doing);
  if (options_.on_progress)
    options_.on_progress({.doing = doing_, .done = over_, .all = parts_.size()});
}

asio::awaitable<void> Capture::Sleep(int64_t ns) {
  asio::steady_timer timer(io_, nanoseconds(ns));
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// All servers are connected before the start is set.
asio::awaitable<void> Capture::WaitForAll() {
  if (++tried_ < parts_.size()) {
    boost::system::error_code ignored;
    co_await ready_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return;
  }
  const auto connected = std::ranges::count_if(parts_, [](const Part& part) { return !part.over; });
  const bool together = options_.delay > 0 || connected > 1;
  if (together && options_.snapshot == 0)
    start_ = WallClock() + std::max(options_.delay, kLeadTime);
  Tell("recording");
  ready_.cancel();
}

asio::awaitable<bool> Capture::Reconnect(Part& part) {
  const ServerAddress& server = part.trace.server;
  part.connection = std::make_unique<GrpcConnection>(io_.get_executor(), server.host, server.port,
                                                     std::string(kAgent));
  const GrpcEnd end = co_await part.connection->Connect(Clock::now() + nanoseconds(kConnectTime));
  if (!end.ok()) part.trace.reason = ReasonOf(end);
  co_return end.ok();
}

asio::awaitable<void> Capture::RunPart(Part& part) {
  const bool connected = co_await Reconnect(part);
  part.over = !connected;
  co_await WaitForAll();
  if (connected && !stopping_) co_await RunConnected(part);
  if (connected && stopping_ && part.trace.bytes == 0 && part.trace.reason.what.empty())
    part.trace.reason.what = "the capture was stopped";
  if (!part.trace.reason.what.empty()) part.trace.file.clear();
  part.over = true;
  part.connection.reset();
  if (++over_ == parts_.size()) stop_.cancel();
  Tell("");
}

asio::awaitable<GrpcEnd> Capture::Profile(Part& part, ProfileFile& file, int64_t start,
                                          ProfileAnswer& answer) {
  ProfileSettings settings = options_.settings;
  settings.duration = part.trace.duration;
  settings.start = start;
  const int64_t lead = std::max<int64_t>(0, start - WallClock());
  const int64_t window = options_.snapshot > 0 ? 0 : settings.duration;
  const int64_t after = std::max(kLeastAfter, 2 * window);
  // GCC 12 destroys temporaries of a conditional expression twice in an awaited one.
  const std::string request =
      options_.snapshot > 0 ? SnapshotRequest(settings.session) : ProfileRequest(settings);
  const std::string_view call = options_.snapshot > 0 ? kSnapshotCall : kProfileCall;
  TakeBytes take = [&answer](std::string_view bytes) { return answer.Add(bytes); };
  part.recording = true;
  const GrpcEnd end =
      co_await part.connection->Call(call, request, kMostAnswer, std::move(take),
                                     Clock::now() + nanoseconds(lead + window + after));
  part.recording = false;
  if (end.kind == GrpcEnd::Kind::kRefusedByUs && !file.problem())
    co_return GrpcEnd{.kind = GrpcEnd::Kind::kDamaged, .text = "it is no profile"};
  co_return end;
}

// False if there is no less time to try.
bool Capture::Halve(Part& part, ProfileFile& file, std::string_view why) {
  if (options_.snapshot > 0) return false;
  const int64_t half = part.trace.duration / 2;
  if (half < kLeastWindow || part.trace.remarks.size() >= kMostHalvings || stopping_) return false;
  part.trace.remarks.push_back(
      fmt::format("{}: half of {} ms was tried", why, part.trace.duration / kMillisecond));
  part.trace.duration = half;
  return file.Clear();
}

void Capture::TakeFile(Part& part, ProfileFile& file, const ProfileAnswer& answer) {
  ServerTrace& trace = part.trace;
  auto facts = ReadProfileFacts(file.partial());
  if (!facts) {
    trace.reason = {facts.error().what, facts.error().hint};
    return;
  }
  trace.facts = std::move(*facts);
  if (!answer.whole() || !trace.facts.readable) {
    trace.reason = {"the profile is damaged", "capture less time"};
  } else if (trace.facts.lines == 0) {
    trace.reason = {"nothing was recorded: the profile has no events",
                    "capture more time, or a higher tracer level"};
  } else if (const auto kept = file.Keep(); !kept) {
    trace.reason = {kept.error().what, kept.error().hint};
  } else {
    trace.bytes = file.size();
  }
}

asio::awaitable<void> Capture::RunConnected(Part& part) {
  ServerTrace& trace = part.trace;
  auto file = ProfileFile::Make(options_.folder + "/" + trace.file, options_.most_bytes);
  if (!file) {
    trace.reason = {file.error().what, file.error().hint};
    co_return;
  }
  const int64_t first = WallClock();
  int64_t start = start_;
  while (true) {
    ProfileAnswer answer([&file](std::string_view bytes) { return file->Append(bytes); });
    const GrpcEnd end = co_await Profile(part, *file, start, answer);
    start = 0;  // of another try
    if (IsBusy(end) && !stopping_ && WallClock() - first < options_.patience) {
      co_await Sleep(kBusyPause);
      if (!stopping_) continue;
    }
    const bool empty = end.ok() && answer.profile_bytes() == 0 && !answer.empty_trace();
    const bool near = end.ok() && file->size() > kNearLimit;
    if (empty && Halve(part, *file, "the answer was empty, as where a profile exceeds 2 GB"))
      continue;
    if (near && Halve(part, *file, "the profile was near the limit of 2 GB")) continue;
    if (IsTooMuch(end) && Halve(part, *file, "the profile was too large")) {
      bool again = true;
      if (end.kind == GrpcEnd::Kind::kTooLong) again = co_await Reconnect(part);
      if (!again) co_return;
      continue;
    }
    if (file->problem()) {
      trace.reason = {file->problem()->what, file->problem()->hint};
    } else if (!end.ok()) {
      trace.reason = ReasonOf(end);
    } else if (empty) {
      trace.reason = {"the server's answer was empty", "capture less time"};
    } else if (answer.empty_trace() && answer.profile_bytes() == 0) {
      trace.reason = {"nothing was recorded", "capture more time, or a higher tracer level"};
    } else {
      TakeFile(part, *file, answer);
    }
    co_return;
  }
}

// Ends the session of one server, which then answers with what it has.
asio::awaitable<void> Capture::Stop(Part& part) {
  const ServerAddress server = part.trace.server;
  if (part.recording && WallClock() > start_ && options_.snapshot == 0) {
    GrpcConnection other(io_.get_executor(), server.host, server.port, std::string(kAgent));
    const auto deadline = Clock::now() + nanoseconds(kStopTime / 2);
    const std::string request = TerminateRequest(options_.settings.session);
    const GrpcEnd connected = co_await other.Connect(deadline);
    if (connected.ok())
      co_await other.Call(
          kTerminateCall, request, kMostSmall, [](std::string_view) { return true; }, deadline);
    const auto last = Clock::now() + nanoseconds(kStopTime);
    while (!part.over && Clock::now() < last) co_await Sleep(kPollTime);
  }
  // A server frees the session of a client that leaves.
  if (part.connection) part.connection->Abort();
}

asio::awaitable<void> Capture::WatchForStop() {
  while (over_ < parts_.size() && !stopping_) {
    stop_.expires_after(nanoseconds(kPollTime));
    boost::system::error_code ignored;
    co_await stop_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    stopping_ = options_.cancelled && over_ < parts_.size() && options_.cancelled();
  }
  if (!stopping_) co_return;
  Tell("stopping");
  for (Part& part : parts_)
    if (!part.over) asio::co_spawn(io_, Stop(part), asio::detached);
}

}  // namespace

std::string ProfileName(const ServerAddress& server, int snapshot) {
  std::string name;
  for (const char c : server.written.substr(0, 200)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  if (snapshot > 0) name += fmt::format(".window-{:04}", snapshot);
  return name + ".xplane.pb";
}

ServersResult ProfileServers(const ServersOptions& options) {
  if (options.servers.empty()) return {};
  return Capture(options).Run();
}

}  // namespace stepscope::capture
