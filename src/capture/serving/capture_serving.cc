// Implements captures of inference servers: start, window, stop, and what was written.
#include "stepscope/capture_serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/common/lock.h"
#include "capture/common/run_folder.h"
#include "capture/serving/serving_client.h"
#include "capture/serving/written_traces.h"

namespace stepscope {
namespace capture {
namespace {

constexpr int64_t kSlice = 20 * kMillisecond;
constexpr int64_t kLeast = kMillisecond;      // that anything is waited for
constexpr int64_t kFilesTime = 60 * kSecond;  // for files, after the server has answered the stop

class ServingRun {
 public:
  ServingRun(const ServingCaptureOptions& options, http::Address address)
      : options_(options), address_(address), client_(std::move(address), options.token) {
    result_.window = options.capture.window;
    result_.dry_run = options.capture.dry_run;
  }

  Result<CaptureResult> Run();

 private:
  CaptureTarget Target(int64_t rank) const {
    return {.door = "serving",
            .address = address_.Authority(),
            .host = address_.host,
            .rank = rank,
            .world_size = world_size_};
  }
  bool Cancelled() const { return options_.capture.cancelled && options_.capture.cancelled(); }
  void Tell(const char* doing) const {
    if (options_.capture.on_progress) options_.capture.on_progress({.doing = doing, .all = 1});
  }
  // ns that are left to wait.
  int64_t Left() const { return std::max(end_ - WallClock(), kLeast); }
  Result<void> Profile(Lock& lock);
  void Wait() const;
  Result<void> TakeFiles(RunFolder& folder, const FolderState& before);
  void TakeFile(RunFolder& folder, const WrittenTrace& trace, int number);
  void NameMissing(const std::set<int64_t>& ranks, size_t traces);

  const ServingCaptureOptions& options_;
  http::Address address_;
  ServingClient client_;
  int64_t end_ = 0;  // of all waiting
  int64_t world_size_ = 0;
  std::string doubt_;  // why nobody knows whether a profile began; empty: it did
  CaptureResult result_;
};

// Until the window is over or a stop comes.
void ServingRun::Wait() const {
  const int64_t end = WallClock() + options_.capture.window.duration;
  while (WallClock() < end && !Cancelled())
    std::this_thread::sleep_for(std::chrono::nanoseconds(kSlice));
}

// Fails where no profile has begun.
Result<void> ServingRun::Profile(Lock& lock) {
  if (auto said = lock.Uncertain(end_, "a profile is under way"); !said) return said;
  Tell("starting");
  const auto begun =
      client_.Start(options_.capture.window.iterations, std::max(options_.patience / 2, kLeast));
  if (!begun) {
    lock.Over();
    return std::unexpected(begun.error());
  }
  result_.start = WallClock();
  if (!begun->empty())
    result_.unknown.push_back("The server did not say that the profile began: " + *begun + ".");
  doubt_ = *begun;
  Tell("recording");
  if (doubt_.empty()) Wait();
  result_.cancelled = Cancelled();
  Tell("stopping");
  const auto stopped = client_.Stop(Left());
  if (stopped)
    lock.Over();
  else
    result_.unknown.push_back(stopped.error().what + ".");
  return {};
}

void ServingRun::TakeFile(RunFolder& folder, const WrittenTrace& trace, int number) {
  CaptureOutcome outcome{.target = Target(trace.rank), .start = result_.start, .end = WallClock()};
  const std::string name = fmt::format("{}{}{}", FileNameOf(outcome.target, ""),
                                       number == 0 ? "" : fmt::format(".{}", number), trace.suffix);
  const auto bytes = folder.CopyTrace(trace.path, name, outcome.target);
  if (bytes) {
    outcome.file = name;
    outcome.bytes = *bytes;
  } else {
    outcome.reason = bytes.error().what + ": " + bytes.error().where;
  }
  result_.outcomes.push_back(std::move(outcome));
}

// The workers that wrote none: by rank, where names say it.
void ServingRun::NameMissing(const std::set<int64_t>& ranks, size_t traces) {
  constexpr std::string_view kWhere =
      "to the folder of its configuration (VLLM_TORCH_PROFILER_DIR or SGLANG_TORCH_PROFILER_DIR) "
      "on its host; name it where it can be read";
  const std::string reason =
      !options_.traces.empty()  ? "no trace was written to " + options_.traces
      : result_.unknown.empty() ? fmt::format("the server wrote its traces itself, {}", kWhere)
      : doubt_.empty()
          ? fmt::format("it is not known whether the server wrote traces: if so, {}", kWhere)
          : fmt::format("it is not known whether a profile began: {}", doubt_);
  if (ranks.empty()) {
    const auto wanted = static_cast<size_t>(std::max<int64_t>(1, world_size_));
    for (size_t k = traces; k < wanted; ++k)
      result_.outcomes.push_back({.target = Target(-1), .reason = reason});
    return;
  }
  for (int64_t rank = 0; rank < world_size_; ++rank)
    if (!ranks.contains(rank))
      result_.outcomes.push_back({.target = Target(rank), .reason = reason});
}

Result<void> ServingRun::TakeFiles(RunFolder& folder, const FolderState& before) {
  std::vector<WrittenTrace> traces;
  Tell("waiting for traces");
  if (!options_.traces.empty())
    traces = AwaitTraces(options_.traces, before, world_size_,
                         std::min(result_.cancelled ? 5 * kSecond : kFilesTime, Left()), nullptr);
  std::set<int64_t> ranks;
  for (const WrittenTrace& trace : traces) {
    int number = 0;
    if (trace.rank >= 0 ? !ranks.insert(trace.rank).second : true)
      number = static_cast<int>(result_.outcomes.size()) + 1;
    TakeFile(folder, trace, number);
  }
  if (world_size_ == 0) {
    world_size_ = ranks.empty() ? 0 : *ranks.rbegin() + 1;
    if (!traces.empty())
      result_.unknown.emplace_back(
          "The server does not say how many workers it has: more traces may be missing.");
  }
  NameMissing(ranks, traces.size());
  return {};
}

Result<CaptureResult> ServingRun::Run() {
  if (!options_.traces.empty() && !std::filesystem::is_directory(options_.traces))
    return std::unexpected(Error{"cannot read the server's folder of traces: it is no directory",
                                 options_.traces, "check the spelling"});
  end_ = WallClock() + options_.capture.window.duration + options_.patience;
  world_size_ =
      options_.world_size > 0 ? options_.world_size : client_.WorldSize(options_.patience / 4);
  if (options_.capture.dry_run) {
    result_.outcomes.push_back({.target = Target(-1)});
    return std::move(result_);
  }
  auto lock =
      Lock::Take(LockFolder(), LockKey(address_.Authority()), address_.Authority(), WallClock());
  if (!lock) return std::unexpected(lock.error());
  auto folder = RunFolder::Make(options_.capture, "serving", WallClock());
  if (!folder) return std::unexpected(folder.error());
  const FolderState before = StateOf(options_.traces);
  if (const auto profiled = Profile(*lock); profiled) {
    if (const auto taken = TakeFiles(*folder, before); !taken)
      return std::unexpected(taken.error());
  } else {
    const Error& error = profiled.error();
    result_.outcomes.push_back(
        {.target = Target(-1),
         .reason = error.hint.empty() ? error.what : error.what + "; " + error.hint});
  }
  if (const auto finished = folder->Finish(result_); !finished)
    return std::unexpected(finished.error());
  return std::move(result_);
}

}  // namespace
}  // namespace capture

Result<CaptureResult> CaptureServing(const ServingCaptureOptions& options) {
  auto address = http::ParseAddress(options.address);
  if (!address) return std::unexpected(address.error());
  return capture::ServingRun(options, std::move(*address)).Run();
}

}  // namespace stepscope
