// Asks all ranks at once, each from a thread of its own: ping, profile, Flight Recorder, stacks.
#include "stepscope/capture_debug.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/common/lock.h"
#include "capture/common/run_folder.h"
#include "capture/debug_server/answers.h"
#include "capture/debug_server/local_server.h"
#include "capture/debug_server/store.h"
#include "http/exchange.h"

namespace stepscope {
namespace capture {
namespace {

constexpr int64_t kPatience = 10 * kSecond;         // of what needs no GIL, and of stacks
constexpr int64_t kProfilePatience = 60 * kSecond;  // beyond the window
constexpr size_t kMostTrace = size_t{1} << 31;      // bytes
constexpr size_t kMostText = size_t{1} << 28;

// One rank, and what it answered.
struct Worker {
  CaptureTarget target;
  http::Endpoint at;
  std::vector<Lock> locks;  // of its process, where that is known, and of its address
  std::string recorder, stacks, trace;
  std::string reason;   // why there is no trace
  std::string refused;  // why it must not be profiled; its stacks may be asked for
  std::vector<std::string> lacks;
  int64_t start = 0, end = 0;
};

// What the threads share.
struct Shared {
  const DebugCaptureOptions& options;
  std::mutex cancelling;  // callers' functions are called by one thread at a time
  std::latch together;    // all begin their profile when all have answered the ping

  bool IsCancelled() {
    const std::scoped_lock lock(cancelling);
    return options.capture.cancelled && options.capture.cancelled();
  }
};

http::Reply Post(Worker& worker, Shared& shared, const std::string& handler, int64_t deadline,
                 size_t most) {
  return http::Exchange(
      worker.at, "POST", "/handler/" + handler,
      {.deadline = deadline, .most = most, .cancelled = [&] { return shared.IsCancelled(); }});
}

std::string WhyOf(const http::Reply& reply) {
  if (reply.status == 0) return std::string(http::WhyOf(reply.failure));
  if (reply.status == 404) return "it has no such handler: this PyTorch is too old";
  const std::string text = reply.body.substr(0, 100);
  return fmt::format("it answered {}{}", reply.status, text.empty() ? "" : ": " + text);
}

// Whether the rank answers; without it nothing else is asked.
bool Ping(Worker& worker, Shared& shared) {
  const http::Reply reply = Post(worker, shared, "ping", kPatience, kMostText);
  if (reply.status == 200 && reply.body.starts_with("pong")) return true;
  worker.reason = reply.status == 200 ? "it is not a debug server of PyTorch" : WhyOf(reply);
  if (reply.failure == http::Failure::kTimeout)
    worker.reason = "it connects and does not answer: its process may have ended and left a child";
  return false;
}

// Two profiles at once end the process, and so does a second while the first may run.
void Profile(Worker& worker, Shared& shared) {
  const int64_t duration = shared.options.capture.window.duration;
  for (Lock& lock : worker.locks) {
    auto noted = lock.Uncertain(kWhileItLives, "its debug server did not answer");
    if (noted) continue;
    worker.reason = noted.error().what;
    return;
  }
  worker.start = WallClock();
  // Ctrl-C does not end it: the rank would go on, and could not be profiled again.
  http::Reply reply = http::Exchange(
      worker.at, "POST", fmt::format("/handler/torch_profile?duration={:.3f}", Seconds(duration)),
      {.deadline = duration + kProfilePatience, .most = kMostTrace, .cancelled = {}});
  worker.end = WallClock();
  const bool over = reply.status != 0 || reply.failure == http::Failure::kRefused;
  for (Lock& lock : worker.locks) {
    if (over) lock.Over();
  }
  if (reply.status != 200) {
    worker.reason = WhyOf(reply);
    if (!over) worker.reason += "; it will not be profiled again while it runs";
  } else if (!HasEvents(reply.body)) {
    worker.reason = "its trace is empty; the first one of a process can be: try again";
  } else {
    worker.trace = std::move(reply.body);
  }
}

void AskForText(Worker& worker, Shared& shared, const std::string& handler, std::string& into) {
  http::Reply reply = Post(worker, shared, handler, kPatience, kMostText);
  if (reply.status == 200)
    into = std::move(reply.body);
  else
    worker.lacks.push_back(fmt::format("{}: {}", handler, WhyOf(reply)));
}

void Ask(Worker& worker, Shared& shared) {
  const bool answers = worker.reason.empty() && Ping(worker, shared);
  shared.together.arrive_and_wait();
  if (!answers) {
    if (!worker.refused.empty()) worker.reason = worker.refused;
    return;
  }
  AskForText(worker, shared, "fr_trace_json", worker.recorder);
  AskForText(worker, shared, "dump_traceback", worker.stacks);
  if (!shared.options.profile) {
    if (worker.stacks.empty()) worker.reason = "it gave no stacks";
    return;
  }
  if (!worker.refused.empty())
    worker.reason = worker.refused + (worker.stacks.empty() ? "" : "; its stacks are in stacks/");
  else if (shared.IsCancelled())
    worker.reason = "the capture was ended early";
  else
    Profile(worker, shared);
}

void TakeLock(Worker& worker, const std::string& key) {
  auto lock = Lock::Take(LockFolder(), key, worker.target.address, WallClock());
  if (lock)
    worker.locks.push_back(*std::move(lock));
  else
    worker.refused = lock.error().what;
}

// A process of this machine has one lock, whatever door it is reached by.
void Prepare(Worker& worker, bool profile) {
  if (!profile) return;
  if (const auto process = ProcessListening(worker.at)) {
    CaptureTarget facts = TargetOf(*process, worker.target.door);
    facts.address = worker.target.address;
    if (facts.rank < 0) facts.rank = worker.target.rank;
    worker.target = std::move(facts);
    TakeLock(worker, LockKey(*process));
  } else {
    TakeLock(worker, LockKey(worker.target.address));
  }
}

Result<std::vector<Worker>> WorkersOf(const DebugCaptureOptions& options) {
  std::vector<RankAddress> ranks;
  for (const std::string& address : options.addresses) ranks.push_back({.address = address});
  if (!options.store.empty()) {
    const auto store = EndpointOf(options.store);
    if (!store) return std::unexpected(store.error());
    auto found = RanksInStore(*store, options.capture.cancelled);
    if (!found) return std::unexpected(found.error());
    ranks.insert(ranks.end(), found->begin(), found->end());
  }
  std::vector<Worker> workers;
  for (const RankAddress& rank : ranks) {
    Worker& worker = workers.emplace_back();
    worker.target = {.door = "debug", .address = rank.address, .rank = rank.rank};
    if (rank.address.empty()) {
      worker.target.address = fmt::format("rank {}", rank.rank);
      worker.reason = "it has not started its debug server";
      continue;
    }
    const auto at = EndpointOf(rank.address);
    if (!at) return std::unexpected(at.error());
    worker.at = *at;
    if (!at->host.starts_with('/')) worker.target.host = at->host;
    worker.target.address =
        at->host.starts_with('/') ? at->host : fmt::format("{}:{}", at->host, at->port);
  }
  if (!workers.empty()) return workers;
  return std::unexpected(Error{"there is no debug server to ask", options.store,
                               "give addresses, or the job's store: `store`"});
}

// Keeps what one rank answered.
void Keep(Worker& worker, RunFolder& folder, CaptureResult& result) {
  if (const auto rank = RankIn(worker.trace); rank && worker.target.rank < 0)
    worker.target.rank = *rank;
  const auto write = [&](const std::string& name, const std::string& bytes) -> int64_t {
    if (bytes.empty()) return 0;
    const auto size = folder.Write(name, bytes);
    if (!size) worker.lacks.push_back(size.error().what);
    return size.value_or(0);
  };
  const std::string stacks = "stacks/" + FileNameOf(worker.target, ".txt");
  const int64_t of_stacks = write(stacks, worker.stacks);
  write("flight_recorder/" + FileNameOf(worker.target, ".json"), worker.recorder);
  const std::string trace = FileNameOf(worker.target, ".pt.trace.json");
  const int64_t bytes = result.only_stacks ? of_stacks : write(trace, worker.trace);
  const std::string& name = result.only_stacks ? stacks : trace;
  if (bytes == 0 && worker.reason.empty()) worker.reason = "its trace could not be written";
  for (const std::string& lack : worker.lacks)
    result.unknown.push_back(worker.target.address + " has no " + lack + ".");
  result.outcomes.push_back({.target = worker.target,
                             .file = bytes > 0 ? name : "",
                             .bytes = bytes,
                             .start = worker.start,
                             .end = worker.end,
                             .reason = worker.reason});
}

void AskAll(std::vector<Worker>& workers, const DebugCaptureOptions& options) {
  Shared shared{.options = options,
                .cancelling = {},
                .together = std::latch(static_cast<std::ptrdiff_t>(workers.size()))};
  std::vector<std::jthread> threads;
  for (Worker& worker : workers) threads.emplace_back([&] { Ask(worker, shared); });
}

}  // namespace
}  // namespace capture

Result<CaptureResult> CaptureDebug(const DebugCaptureOptions& options) {
  using namespace capture;
  auto workers = WorkersOf(options);
  if (!workers) return std::unexpected(workers.error());
  CaptureResult result{.window = options.capture.window,
                       .dry_run = options.capture.dry_run,
                       .only_stacks = !options.profile};
  if (result.dry_run) {
    for (Worker& worker : *workers) {
      if (worker.reason.empty()) {
        result.outcomes.push_back({.target = worker.target});
        continue;
      }
      worker.target.reason = worker.reason;
      result.others.push_back(worker.target);
    }
    return result;
  }
  auto folder = RunFolder::Make(options.capture, "debug", WallClock());
  if (!folder) return std::unexpected(folder.error());
  for (Worker& worker : *workers) {
    if (worker.reason.empty()) Prepare(worker, options.profile);
  }
  AskAll(*workers, options);
  for (Worker& worker : *workers) Keep(worker, *folder, result);
  if (options.profile && options.capture.cancelled && options.capture.cancelled())
    result.unknown.push_back("These servers end no profile early: it was waited for.");
  if (options.profile && TracesOf(result) > 0) {
    result.unknown.push_back(
        "The traces have the shapes of all inputs, for which PyTorch takes memory of the job: 1 GB "
        "in 5 s was seen.");
  }
  if (auto finished = folder->Finish(result); !finished) return std::unexpected(finished.error());
  return result;
}

}  // namespace stepscope
