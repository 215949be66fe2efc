// Implements captures over gRPC: locks, the run's folder, windows and snapshots.
#include "stepscope/capture_grpc.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/common/lock.h"
#include "capture/common/run_folder.h"
#include "capture/common/workers.h"
#include "capture/grpc/profile_servers.h"

namespace stepscope {
namespace capture {
namespace {

constexpr int64_t kCallTime = 30 * kSecond;  // of calls that record nothing
constexpr int64_t kSlice = 20 * kMillisecond;

// Servers, and what is known of those that registered themselves, by their address.
struct FoundServers {
  std::vector<ServerAddress> servers;
  std::map<std::string, CaptureTarget> registered;
  std::vector<std::string> remarks;  // whole sentences
};

// Puts the addresses of a job's registered workers in place of "job:NAME".
Result<std::vector<std::string>> WithoutJobs(const std::vector<std::string>& addresses,
                                             FoundServers& found) {
  std::vector<std::string> all;
  for (const std::string& address : addresses) {
    const auto job = JobOfAddress(address);
    if (!job) {
      all.push_back(address);
      continue;
    }
    auto workers = FindWorkers(WorkersFolder(), *job, "grpc");
    if (!workers) return std::unexpected(workers.error());
    for (CaptureTarget& target : workers->targets) {
      all.push_back(target.address);
      found.registered[target.address] = std::move(target);
    }
    if (workers->missing > 0)
      found.remarks.push_back(
          fmt::format("{} of the job's ranks are not registered: {}{}.", workers->missing,
                      fmt::join(workers->missing_ranks, ", "),
                      std::ssize(workers->missing_ranks) < workers->missing ? ", ..." : ""));
    for (const std::string& left_out : workers->left_out) found.remarks.push_back(left_out + ".");
  }
  return all;
}

Result<FoundServers> FindServers(const GrpcServers& servers) {
  FoundServers found;
  const auto addresses = WithoutJobs(servers.addresses, found);
  if (!addresses) return std::unexpected(addresses.error());
  NameTable names = NamesOfEnvironment(VariableOfProcess);
  if (!servers.names.empty()) {
    auto read = NamesOfFile(servers.names);
    if (!read) return std::unexpected(read.error());
    names = std::move(*read);
  }
  auto parsed = ParseServers(*addresses, names);
  if (!parsed) return std::unexpected(parsed.error());
  found.servers = std::move(*parsed);
  return found;
}

// "2026_11_26_21_04_00", by which TensorBoard sorts; its times are local ones.
std::string SessionName(int64_t now) {
  const std::time_t seconds = now / kSecond;
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:%Y_%m_%d_%H_%M_%S}", local);
}

std::string Joined(const Reason& reason) {
  return reason.hint.empty() ? reason.what : reason.what + "; " + reason.hint;
}

CaptureTarget TargetOf(const ServerAddress& server, const FoundServers& found) {
  const auto registered = found.registered.find(server.written);
  if (registered != found.registered.end()) return registered->second;
  return {.door = "grpc", .address = server.written, .host = server.host};
}

// One capture: which servers it has, and what becomes of them.
class GrpcRun {
 public:
  GrpcRun(const GrpcCaptureOptions& options, FoundServers found)
      : options_(options), begun_(WallClock()) {
    result_.window = {.duration = options.capture.window.duration};
    result_.dry_run = options.capture.dry_run;
    for (const ServerAddress& server : found.servers)
      result_.outcomes.push_back({.target = TargetOf(server, found)});
    servers_ = std::move(found.servers);
    result_.unknown = std::move(found.remarks);
  }

  Result<CaptureResult> Run() {
    if (options_.capture.dry_run) return std::move(result_);
    auto folder = RunFolder::Make(options_.capture, "grpc", begun_);
    if (!folder) return std::unexpected(folder.error());
    Lock();
    const bool windows = options_.snapshot_every <= 0;
    const auto done = windows ? Window(*folder) : Snapshots(*folder);
    for (capture::Lock& lock : locks_) lock.Over();
    if (!done) return std::unexpected(done.error());
    TellOfClocks();
    if (const auto finished = folder->Finish(result_); !finished)
      return std::unexpected(finished.error());
    return std::move(result_);
  }

 private:
  void Lock();
  ServersOptions OptionsFor(const std::string& folder, int64_t left) const;
  Result<ServersResult> Capture(RunFolder& folder, int snapshot);
  Result<void> Window(RunFolder& folder);
  Result<void> Snapshots(RunFolder& folder);
  void FetchSnapshots(RunFolder& folder);
  void Take(const std::string& within, const ServerTrace& trace, int64_t start);
  void TellOfClocks();
  std::vector<ServerAddress> Left() const;
  CaptureOutcome& OutcomeOf(const ServerAddress& server);
  bool Cancelled() const { return options_.capture.cancelled && options_.capture.cancelled(); }

  const GrpcCaptureOptions& options_;
  int64_t begun_;
  std::vector<ServerAddress> servers_;
  std::vector<capture::Lock> locks_;
  CaptureResult result_;
  std::vector<int64_t> starts_;  // of the profiles, on their hosts' clocks
};

CaptureOutcome& GrpcRun::OutcomeOf(const ServerAddress& server) {
  const auto at = std::ranges::find(servers_, server);
  return result_.outcomes[static_cast<size_t>(at - servers_.begin())];
}

// The servers that nothing is known against.
std::vector<ServerAddress> GrpcRun::Left() const {
  std::vector<ServerAddress> left;
  for (size_t i = 0; i < servers_.size(); ++i)
    if (result_.outcomes[i].reason.empty()) left.push_back(servers_[i]);
  return left;
}

void GrpcRun::Lock() {
  for (size_t i = 0; i < servers_.size(); ++i) {
    const ServerAddress& server = servers_[i];
    const std::string place = fmt::format("{}:{}", server.host, server.port);
    auto lock = capture::Lock::Take(LockFolder(), LockKey(place), server.written, begun_);
    if (lock)
      locks_.push_back(std::move(*lock));
    else
      result_.outcomes[i].reason = lock.error().what;
  }
}

ServersOptions GrpcRun::OptionsFor(const std::string& folder, int64_t left) const {
  return {.servers = Left(),
          .settings = {.session = fmt::format("stepscope-{}", begun_),
                       .duration = options_.capture.window.duration,
                       .host_level = options_.host_level,
                       .device_level = options_.device_level,
                       .python_level = options_.python_level,
                       .dataset_ops = options_.dataset_ops},
          .delay = options_.delay,
          .patience = options_.patience,
          .folder = folder,
          .most_bytes = std::min<int64_t>(left, INT32_MAX),
          .cancelled = options_.capture.cancelled,
          .on_progress = [this](const ServersProgress& progress) {
            if (options_.capture.on_progress)
              options_.capture.on_progress(
                  {.doing = progress.doing, .done = progress.done, .all = progress.all});
          }};
}

// One profile of each server, or the n-th snapshot, in a folder named by the capture's beginning.
Result<ServersResult> GrpcRun::Capture(RunFolder& folder, int snapshot) {
  const std::string within = "plugins/profile/" + SessionName(begun_);
  const auto path = folder.MakeFolder(within);
  if (!path) return std::unexpected(path.error());
  ServersOptions options = OptionsFor(*path, folder.left());
  options.snapshot = snapshot;
  if (snapshot > 0) options.cancelled = nullptr;  // what was recorded until a stop is fetched
  ServersResult captured = ProfileServers(options);
  for (const ServerTrace& trace : captured.traces) {
    Take(within, trace, captured.start);
    folder.Took(trace.file.empty() ? 0 : trace.bytes);
  }
  result_.cancelled = result_.cancelled || captured.cancelled;
  // Of no profile nothing is left: each folder goes if it is empty.
  std::error_code ignored;
  for (std::filesystem::path empty = *path; empty != folder.path(); empty = empty.parent_path())
    if (!std::filesystem::remove(empty, ignored)) break;
  return captured;
}

void GrpcRun::Take(const std::string& within, const ServerTrace& trace, int64_t start) {
  CaptureOutcome& outcome = OutcomeOf(trace.server);
  for (const std::string& remark : trace.remarks)
    result_.unknown.push_back(trace.server.written + ": " + remark + ".");
  for (const std::string& error : trace.facts.errors)
    result_.unknown.push_back(trace.server.written + " reports: " + error);
  if (!trace.facts.hosts.empty()) outcome.target.host = trace.facts.hosts.front();
  outcome.reason = Joined(trace.reason);
  if (trace.file.empty()) return;
  outcome.file = within + "/" + trace.file;
  ++outcome.files;
  outcome.bytes += trace.bytes;
  outcome.start = start > 0 ? start : begun_;
  outcome.end = WallClock();
  if (trace.facts.start > 0) starts_.push_back(trace.facts.start);
}

Result<void> GrpcRun::Window(RunFolder& folder) {
  const auto captured = Capture(folder, 0);
  if (!captured) return std::unexpected(captured.error());
  result_.start = captured->start;
  return {};
}

// Profiles until the window is over or a stop comes, with a snapshot now and then.
void GrpcRun::FetchSnapshots(RunFolder& folder) {
  const int64_t end = WallClock() + options_.capture.window.duration;
  int64_t next = WallClock();
  for (int snapshot = 1;; ++snapshot) {
    next += options_.snapshot_every;
    while (WallClock() < std::min(next, end) && !Cancelled())
      std::this_thread::sleep_for(std::chrono::nanoseconds(kSlice));
    const bool last = Cancelled() || WallClock() >= end;
    result_.cancelled = WallClock() < end && last;
    if (!Capture(folder, snapshot) || last || Left().empty()) return;
  }
}

Result<void> GrpcRun::Snapshots(RunFolder& folder) {
  const ServersOptions options = OptionsFor("", 0);
  const std::vector<ServerAddress> asked = Left();
  std::vector<ServerAddress> started;
  for (const ServerAnswer& answer :
       CallServers(asked, kStartCall, ProfileRequest(options.settings), kCallTime, nullptr)) {
    if (answer.ok()) {
      started.push_back(answer.server);
      continue;
    }
    OutcomeOf(answer.server).reason =
        IsBusy(answer.end)
            ? "another profile is under way in this process; stop its snapshots if a "
              "killed capture has left them on"
            : Joined(ReasonOf(answer.end));
  }
  if (!started.empty()) FetchSnapshots(folder);
  for (const ServerAnswer& answer : CallServers(started, kStopCall, "", kCallTime, nullptr)) {
    if (!answer.ok())
      result_.unknown.push_back(
          fmt::format("{} may still profile, since it could not be stopped: {}.",
                      answer.server.written, ReasonOf(answer.end).what));
  }
  return {};
}

// How far apart the profiles begin, by their hosts' clocks.
void GrpcRun::TellOfClocks() {
  if (starts_.size() < 2 || options_.snapshot_every > 0) return;
  const auto [first, last] = std::ranges::minmax(starts_);
  result_.unknown.push_back(
      fmt::format("The profiles begin {:.2f} ms apart by the clocks of their hosts; how far these "
                  "clocks differ is not known.",
                  static_cast<double>(last - first) / kMillisecond));
}

GrpcText TextOf(const ServerAnswer& answer) {
  return {.server = answer.server.written,
          .text = answer.ok() ? answer.bytes : "",
          .reason = answer.ok() ? "" : Joined(ReasonOf(answer.end))};
}

// Lines of text, with what a terminal cannot print left out.
std::string PrintableLines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += Printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace
}  // namespace capture

Result<CaptureResult> CaptureGrpc(const GrpcCaptureOptions& options) {
  auto servers = capture::FindServers(options.servers);
  if (!servers) return std::unexpected(servers.error());
  return capture::GrpcRun(options, std::move(*servers)).Run();
}

Result<std::vector<GrpcText>> MonitorGrpc(const GrpcServers& servers, int64_t duration, int level,
                                          const std::function<bool()>& cancelled) {
  const auto found = capture::FindServers(servers);
  if (!found) return std::unexpected(found.error());
  std::vector<GrpcText> texts;
  const std::string request = capture::MonitorRequest(duration, level, true);
  for (const capture::ServerAnswer& answer :
       capture::CallServers(found->servers, capture::kMonitorCall, request,
                            duration + capture::kCallTime, cancelled)) {
    GrpcText text = capture::TextOf(answer);
    text.text = capture::PrintableLines(capture::MonitorText(text.text));
    if (capture::IsMissing(answer.end))
      text.reason = "this server has no Monitor: only those of TPUs do";
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::vector<GrpcText>> StopGrpcSnapshots(const GrpcServers& servers) {
  const auto found = capture::FindServers(servers);
  if (!found) return std::unexpected(found.error());
  std::vector<GrpcText> texts;
  for (const capture::ServerAnswer& answer :
       capture::CallServers(found->servers, capture::kStopCall, "", capture::kCallTime, nullptr))
    texts.push_back(capture::TextOf(answer));
  return texts;
}

Result<GrpcText> NewGrpcSession(const std::string& master, const GrpcCaptureOptions& options,
                                const std::string& repository) {
  const auto found = capture::FindServers({.addresses = {master}, .names = options.servers.names});
  if (!found) return std::unexpected(found.error());
  const auto hosts = capture::FindServers(options.servers);
  if (!hosts) return std::unexpected(hosts.error());
  std::vector<std::string> names;
  for (const capture::ServerAddress& host : hosts->servers)
    names.push_back(fmt::format("{}:{}", host.host, host.port));
  const int64_t duration = options.capture.window.duration;
  const capture::ProfileSettings settings{.session = capture::SessionName(WallClock()),
                                          .duration = duration,
                                          .host_level = options.host_level,
                                          .device_level = options.device_level,
                                          .python_level = options.python_level};
  const std::string request = capture::NewSessionRequest(settings, repository, names);
  const auto answers = capture::CallServers(found->servers, capture::kNewSessionCall, request,
                                            3 * duration + 60 * kSecond, options.capture.cancelled);
  GrpcText text = capture::TextOf(answers.front());
  const capture::NewSessionAnswer read = capture::ReadNewSession(text.text);
  text.text.clear();
  if (!read.error.empty()) text.reason = capture::Printable(read.error);
  if (read.empty_trace && text.reason.empty()) text.reason = "nothing was recorded";
  if (capture::IsMissing(answers.front().end))
    text.reason = "this server has no ProfileAnalysis service: only masters of TPUs do";
  return text;
}

}  // namespace stepscope
