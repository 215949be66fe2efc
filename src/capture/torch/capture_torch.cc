// Captures the processes that were chosen: locks each, offers it a request, waits for its trace.
#include "stepscope/capture_torch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/common/lock.h"
#include "capture/common/private_file.h"
#include "capture/common/run_folder.h"
#include "capture/common/workers.h"
#include "capture/torch/clients.h"
#include "capture/torch/control.h"
#include "capture/torch/handouts.h"
#include "capture/torch/staging.h"
#include "report/humanize.h"

namespace stepscope {
namespace capture {
namespace {

constexpr int64_t kPollTime =
    5'300 * kMillisecond;                       // between two polls: 5.0 s, 5.1 s without a daemon
constexpr int64_t kAskPatience = 16 * kSecond;  // three polls
constexpr int64_t kWritePatience = 15 * kSecond;  // after the window, without progress
constexpr int64_t kUncertain = 10 * kSecond;    // a recording is surely over this after its window
constexpr int64_t kUncertainSteps = kMinute;    // the same of steps, whose length is unknown
constexpr int64_t kStepPatience = 5 * kMinute;  // for steps of unknown length
constexpr int64_t kSocketPatience = 30 * kSecond;  // while another capture has the socket
constexpr std::chrono::milliseconds kLook{50};

// One process that is to be traced.
struct Worker {
  CaptureOutcome* outcome = nullptr;
  Process process;
  std::optional<Lock> lock;
  std::optional<Staging> staging;
  int64_t written = 0, progress = 0;  // bytes of the temporary file; when they last grew
  bool open = true;                   // no trace yet, and no reason
  bool again = false;                 // it was offered a second time
  DeskState known;                    // as it was told last: a daemon may end

  void End(std::string reason) {
    outcome->reason = std::move(reason);
    open = false;
  }
};

// How a capture reaches its processes: its own server, or a daemon's.
struct Reach {
  std::optional<FabricServer> own;
  Handouts handouts;
};

bool IsCancelled(const CaptureOptions& options) { return options.cancelled && options.cancelled(); }

void Tell(const CaptureOptions& options, std::string doing, const CaptureResult& result) {
  if (options.on_progress)
    options.on_progress({std::move(doing), TracesOf(result), result.outcomes.size()});
}

// Waits while another capture of this user has the socket.
Result<Reach> Connect(const TorchCaptureOptions& options, const CaptureResult& result) {
  const int64_t end = WallClock() + kSocketPatience;
  while (true) {
    if (auto daemon = AskDaemon(options.socket_folder)) return Reach{{}, *std::move(daemon)};
    auto server = FabricServer::Start(options.socket_folder);
    if (server) {
      Reach reach{.own = *std::move(server), .handouts = {}};
      reach.handouts = reach.own->handouts();
      return reach;
    }
    if (WallClock() > end || IsCancelled(options.capture)) return std::unexpected(server.error());
    Tell(options.capture, "waiting for another capture", result);
    std::this_thread::sleep_for(4 * kLook);
  }
}

// When a recording that began then is surely over.
int64_t SurelyOver(int64_t begin, const CaptureWindow& window) {
  return begin + (window.iterations > 0 ? kUncertainSteps : window.duration + kUncertain);
}

// It was handed out and gave no trace: nothing is tried again until it is surely over.
void LeaveUncertain(Worker& worker, const DeskState& state, const CaptureWindow& window) {
  const int64_t begin = std::max(state.start, state.handed);
  if (auto noted = worker.lock->Uncertain(SurelyOver(begin, window), "it gave no trace"); !noted)
    worker.outcome->reason += "; " + noted.error().what;
}

// A process that cannot be prepared gets its reason.
void Prepare(Worker& worker, int64_t until) {
  auto process = ReadProcess(worker.outcome->target.pid);
  if (!process) return worker.End("it has ended");
  worker.process = *std::move(process);
  auto lock = Lock::Take(LockFolder(), LockKey(worker.process), worker.outcome->target.address,
                         WallClock());
  if (!lock)
    return worker.End(lock.error().what +
                      "; Kineto gives no stacks: a debug server of the script does meanwhile, "
                      "stepscope capture debug --no-trace");
  worker.lock = *std::move(lock);
  auto staging = Staging::Make(worker.process);
  if (!staging) return worker.End(staging.error().what + ": " + staging.error().where);
  worker.staging.emplace(*std::move(staging));
  if (auto noted = worker.lock->Uncertain(until, "no trace came of it"); !noted)
    worker.End(noted.error().what + ": " + noted.error().where);
}

void Offer(Worker& worker, const TorchCaptureOptions& options, const Handouts& handouts,
           int64_t start) {
  const auto offered =
      handouts.offer(worker.process.pid, {.file = worker.staging->FileForProcess(),
                                          .duration = options.capture.window.duration,
                                          .iterations = options.capture.window.iterations,
                                          .start = start,
                                          .shapes = options.shapes,
                                          .stacks = options.stacks,
                                          .text = {}});
  if (offered) return;
  worker.lock->Over();
  worker.End(offered.error().what);
}

// A trace begins with a brace and ends with one.
bool IsWhole(const std::string& path) {
  const auto file = GivenFile::Open(path);
  if (!file || file->size() < 2) return false;
  const auto head = file->Read(0, 64);
  const auto tail = file->Read(std::max<int64_t>(0, file->size() - 64), 64);
  if (!head || !tail) return false;
  const size_t last = tail->find_last_not_of(" \n\r\t");
  const size_t first = head->find_first_not_of(" \n\r\t");
  return first != head->npos && (*head)[first] == '{' && last != tail->npos && (*tail)[last] == '}';
}

// Whether it says of any moment what was done. One of a process that is still importing torch is
// whole, and empty.
bool HasEvents(const std::string& path) {
  constexpr int64_t kHead = 65'536;
  const auto file = GivenFile::Open(path);
  if (!file || file->size() > kHead) return true;
  const auto text = file->Read(0, static_cast<size_t>(file->size()));
  return !text || text->contains(R"("ph": "X")") || text->contains(R"("ph":"X")");
}

void Take(Worker& worker, const std::string& file, RunFolder& folder, const Handouts& handouts) {
  handouts.over(worker.process.pid);
  worker.lock->Over();
  if (!IsWhole(file)) {
    const bool full = worker.staging->Free() == 0;
    return worker.End(full ? "the file system of its directory is full: " + worker.staging->path()
                           : "its trace is cut off");
  }
  if (!HasEvents(file))
    return worker.End(
        "its trace has no event: it did nothing in this time, or still imports torch");
  CaptureOutcome& outcome = *worker.outcome;
  const std::string name = FileNameOf(outcome.target, ".pt.trace.json");
  const auto bytes = folder.TakeTrace(file, name, outcome.target);
  if (!bytes) {
    const std::string kept = worker.staging->Keep() + file.substr(file.rfind('/'));
    return worker.End(fmt::format("{}: the trace is in {}", bytes.error().what, kept));
  }
  outcome.file = name;
  outcome.bytes = *bytes;
  outcome.start = worker.known.start;
  outcome.end = WallClock();
  worker.open = false;
}

std::string WhyNotAsked(const Worker& worker, const DeskState& state) {
  if (state.last_busy >= state.offered) return "its own profiler runs, or an earlier capture";
  const auto now = ReadProcess(worker.process.pid);
  if (now && now->state == 'T') return "it is stopped (SIGSTOP)";
  return fmt::format("it asked for no request within {} s", kAskPatience / kSecond);
}

std::string WhyNotWritten(const Worker& worker, const Staged& staged) {
  if (worker.staging->Free() == 0)
    return "the file system of its directory is full: " + worker.staging->path();
  if (staged.begun) return "its recording did not end: its own profiler may have begun meanwhile";
  return "it took the request and wrote nothing: its own profiler runs, or it began too late";
}

// Until when a trace is waited for, if nothing moves.
int64_t Deadline(const Worker& worker, const DeskState& state, const CaptureWindow& window) {
  const int64_t begin = state.start > 0 ? state.start : state.handed;
  const int64_t length = window.iterations > 0 ? kStepPatience : window.duration;
  return std::max(begin + length, worker.progress) + kWritePatience;
}

// A process that was too busy to begin in time has dropped the request, and may have it once more.
void OfferAgain(Worker& worker, const TorchCaptureOptions& options, const Handouts& handouts) {
  worker.again = true;
  worker.known = {};
  const CaptureWindow& window = options.capture.window;
  const int64_t over = SurelyOver(WallClock() + kAskPatience + kLead, window);
  if (auto noted = worker.lock->Uncertain(over, "it gave no trace"); !noted)
    return worker.End(noted.error().what);
  handouts.over(worker.process.pid);
  Offer(worker, options, handouts, 0);
}

void Look(Worker& worker, const TorchCaptureOptions& options, RunFolder& folder,
          const Handouts& handouts) {
  const CaptureWindow& window = options.capture.window;
  const Staged staged = worker.staging->Look();
  if (!staged.file.empty()) return Take(worker, staged.file, folder, handouts);
  const int64_t now = WallClock(), pid = worker.process.pid;
  if (const DeskState told = handouts.state(pid); told.offered > 0 || worker.known.handed == 0)
    worker.known = told;
  const DeskState state = worker.known;
  if (staged.written > worker.written) worker.progress = now;
  worker.written = staged.written;
  if (!IsAlive(pid, worker.process.start_ticks)) {
    handouts.withdraw(pid);
    worker.lock->Over();
    return worker.End("the process ended during the capture");
  }
  if (state.offered == 0) {  // nobody knows of it any more; the process may have the request
    worker.End("the daemon ended during the capture");
    LeaveUncertain(worker, {.handed = now}, window);
  } else if (state.handed == 0 && now > state.offered + kAskPatience) {
    handouts.withdraw(pid);
    if (handouts.state(pid).handed == 0) {
      worker.lock->Over();
      worker.End(WhyNotAsked(worker, state));
    }
  } else if (state.handed > 0 && now > Deadline(worker, state, window)) {
    const bool dropped = !staged.begun && worker.staging->Free() != 0;
    if (dropped && !worker.again) return OfferAgain(worker, options, handouts);
    worker.End(WhyNotWritten(worker, staged));
    LeaveUncertain(worker, state, window);
  }
}

void Cancel(Worker& worker, const CaptureWindow& window, const Handouts& handouts) {
  handouts.withdraw(worker.process.pid);
  worker.End("the capture was ended early");
  const DeskState state = handouts.state(worker.process.pid);
  if (state.handed == 0)
    worker.lock->Over();
  else
    LeaveUncertain(worker, state, window);
}

// What a reader should know of starts that differ.
void NoteStarts(CaptureResult& result) {
  int64_t first = INT64_MAX, last = 0;
  for (const CaptureOutcome& outcome : result.outcomes) {
    if (outcome.file.empty() || outcome.start == 0) continue;
    first = std::min(first, outcome.start);
    last = std::max(last, outcome.start);
  }
  if (result.window.iterations > 0 && TracesOf(result) > 1) {
    result.unknown.push_back(
        "Each process began with its own next step: the steps of the ranks may differ. A time "
        "gives "
        "them a common start.");
  } else if (last > first) {
    result.unknown.push_back(
        fmt::format("The ranks did not begin together: the last began {} after the first.",
                    HumanNanoseconds(last - first)));
  } else if (last > 0) {
    result.start = last;
  }
}

std::vector<Worker> WorkersOf(CaptureResult& result, const CaptureWindow& window) {
  std::vector<Worker> workers;
  for (CaptureOutcome& outcome : result.outcomes) {
    Worker& worker = workers.emplace_back();
    worker.outcome = &outcome;
    Prepare(worker, SurelyOver(WallClock() + kAskPatience + kLead, window));
  }
  return workers;
}

void WaitForAll(std::vector<Worker>& workers, const TorchCaptureOptions& options,
                CaptureResult& result, RunFolder& folder, const Handouts& handouts) {
  const auto is_open = [](const Worker& worker) { return worker.open; };
  while (std::ranges::any_of(workers, is_open)) {
    for (Worker& worker : workers) {
      if (!worker.open) continue;
      Look(worker, options, folder, handouts);
      if (worker.open && result.cancelled) Cancel(worker, options.capture.window, handouts);
    }
    result.cancelled = result.cancelled || IsCancelled(options.capture);
    Tell(options.capture, "waiting for traces", result);
    std::this_thread::sleep_for(kLook);
  }
}

// A job that its processes registered (stepscope.profiler.init() in Python) is chosen by their
// pids.
Choice ChoiceOf(const TorchCaptureOptions& options) {
  Choice choice{.pids = options.pids, .job = options.job, .user = static_cast<int64_t>(geteuid())};
  if (choice.job.empty() || !choice.pids.empty()) return choice;
  const auto registered = FindWorkers(WorkersFolder(), choice.job, "torch");
  if (!registered) return choice;
  for (const CaptureTarget& target : registered->targets) {
    if (target.pid > 0) choice.pids.push_back(target.pid);
  }
  if (!choice.pids.empty()) choice.job.clear();
  return choice;
}

Result<CaptureResult> Capture(const TorchCaptureOptions& options, CaptureResult result) {
  const auto reach = Connect(options, result);
  if (!reach) return std::unexpected(reach.error());
  auto folder = RunFolder::Make(options.capture, "torch", WallClock());
  if (!folder) return std::unexpected(folder.error());
  std::vector<Worker> workers = WorkersOf(result, options.capture.window);
  const auto many = std::ranges::count_if(workers, [](const Worker& each) { return each.open; });
  // By then each has asked once.
  const int64_t start = many > 1 ? WallClock() + kPollTime + kLead : 0;
  for (Worker& worker : workers) {
    if (worker.open) Offer(worker, options, reach->handouts, start);
  }
  WaitForAll(workers, options, result, *folder, reach->handouts);
  NoteStarts(result);
  if (auto finished = folder->Finish(result); !finished) return std::unexpected(finished.error());
  return result;
}

}  // namespace
}  // namespace capture

Result<CaptureResult> CaptureTorch(const TorchCaptureOptions& asked) {
  TorchCaptureOptions options = asked;
  options.socket_folder = capture::FolderAsBound(asked.socket_folder);
  if (options.memory) {
    return std::unexpected(Error{
        "memory snapshots are not asked for: on PyTorch 2.15 the request leaves a thread that "
        "spins on a core, and no other version was measured",
        "`memory`", "call torch.cuda.memory._dump_snapshot() in the script"});
  }
  const auto clients = capture::FindClients(options.socket_folder);
  capture::Chosen chosen = capture::Choose(clients, capture::ChoiceOf(options));
  CaptureResult result{.window = options.capture.window, .dry_run = options.capture.dry_run};
  if (chosen.problem && !options.capture.dry_run) return std::unexpected(*chosen.problem);
  for (CaptureTarget& target : chosen.targets) {
    if (target.chosen)
      result.outcomes.push_back({.target = std::move(target)});
    else if (result.dry_run || target.reason != capture::kNotAsked)
      result.others.push_back(std::move(target));
  }
  result.unknown = std::move(chosen.remarks);
  if (chosen.problem) {
    const std::string& hint = chosen.problem->hint;
    result.unknown.push_back(
        "It is not clear which are meant: " + hint.substr(hint.find(": ") + 2) +
        " have nothing in common. Name one of them by its pid.");
  }
  if (clients.empty()) {
    const std::string others = capture::OtherFolders(options.socket_folder);
    result.unknown.push_back(
        others.empty() ? "No process of this machine asks for captures: start the job with "
                         "KINETO_USE_DAEMON=1 in its environment."
                       : "No process asks for captures here, but some do " + others +
                             ": give the KINETO_IPC_SOCKET_DIR of the job.");
  }
  if (result.dry_run || result.outcomes.empty()) return result;
  return capture::Capture(options, std::move(result));
}

}  // namespace stepscope
