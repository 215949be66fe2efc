// stepscope watch: captures a job again and again, and keeps the traces in which it departs from
// its past.
#include "stepscope/watch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <optional>

#include "base/time_units.h"
#include "cli/capture.h"
#include "cli/ending_signals.h"
#include "cli/root.h"
#include "stepscope/goodput_watched.h"

namespace stepscope::cli {
namespace {

std::string ClockOf(int64_t time) {
  return fmt::format("{:%H:%M:%S}", fmt::localtime(static_cast<std::time_t>(time / kSecond)));
}

// Prints a line for each window, and one for each part that departed in it. Of windows that could
// not be compared for one reason the first is printed, and how many there were when that is over.
class Shown {
 public:
  void Show(const WatchedWindow& window) {
    const std::string clock = ClockOf(window.time);
    const bool again = !window.why.empty() && window.why == why_;
    repeated_ = again ? repeated_ + 1 : EndRow(clock);
    why_ = window.why;
    if (again) return;
    fmt::print("{}  {}\n", clock, SayWindow(window));
    for (const WatchedDeparture& departure : window.departed)
      fmt::print("{}  {}\n", clock, SayDeparture(departure));
    std::fflush(stdout);
  }

 private:
  // How many are repeated now: none.
  int64_t EndRow(const std::string& clock) const {
    if (repeated_ > 0)
      fmt::print("{}  not compared for that reason: {} windows more\n", clock, repeated_);
    return 0;
  }

  std::string why_;
  int64_t repeated_ = 0;
};

// A capture without any trace is a window that says why.
Result<void> CaptureInto(const std::string& folder, CaptureOptions options,
                         const CaptureOnce& capture) {
  options.folder = folder;
  const auto result = capture(options);
  if (!result) return std::unexpected(result.error());
  if (TracesOf(*result) == 0)
    return std::unexpected(Error{ReportOfCapture(*result).verdict.str(), folder, ""});
  return {};
}

Result<std::optional<WatchedLog>> OpenLog(const std::string& directory, const std::string& job) {
  if (directory.empty()) return std::nullopt;
  auto log = WatchedLog::Open(directory, job);
  if (!log) return std::unexpected(log.error());
  return std::optional(std::move(*log));
}

std::function<Result<void>(int64_t, const std::string&)> RecorderOf(
    std::optional<WatchedLog>& log) {
  if (!log) return nullptr;
  return [&own = *log](int64_t time, const std::string& text) { return own.Add(time, text); };
}

}  // namespace

void AddWatchOptions(Command& command, WatchFlags& watch) {
  command.Take("--every", watch.every)
      .Help("Time from one window to the next")
      .Default("10m")
      .Range(1, 7 * 86'400);
  command.Take("--windows", watch.windows).Range(1, 1e9);
  command.Take("--metrics", watch.metrics);
  command.Take("--name", watch.job);
}

int RunWatch(const CaptureFlags& flags, const WatchFlags& watch, const CaptureOnce& capture) {
  EndingSignals signals;
  CaptureOptions each = flags.options;
  each.window.duration = Nanoseconds(flags.seconds);
  each.cancelled = [&] { return signals.Came(); };
  auto log = OpenLog(flags.goodput, watch.job);
  if (!log) return Fail(log.error());
  Shown shown;
  const auto done = Watch(
      {.folder = flags.options.folder,
       .every = Nanoseconds(watch.every),
       .windows = watch.windows,
       .keep_bytes = flags.options.keep_bytes,
       .keep_runs = flags.options.keep_runs,
       .capture = [&](const std::string& folder) { return CaptureInto(folder, each, capture); },
       .metrics = watch.metrics,
       .job = watch.job,
       .record = RecorderOf(*log),
       .most_record = kMostWatchedText,
       .on_window = [&](const WatchedWindow& window) { shown.Show(window); },
       .on_problem = [](const Error& error) { Fail(error); },
       .cancelled = each.cancelled});
  return done ? kDone : Fail(done.error());
}

void AddWatch(Command& root) {
  Command& watch = root.Sub("watch", "Watch a job: capture it again and again, keep what departs");
  watch.Examples({{"a second every ten minutes, of PyTorch processes of this machine",
                   "stepscope watch torch --every 10m --for 1s -o watch/"},
                  {"of two JAX or TensorFlow processes",
                   "stepscope watch grpc worker-0:9012,worker-1:9012 --for 1s -o watch/"}});
  watch.Notes(
      "It runs until SIGINT or SIGTERM, and goes on where an earlier watch of the folder ended.\n"
      "With --goodput DIR, 'stepscope goodput analyze --events DIR' tells when the job was "
      "slower,\n"
      "why, and what that cost.");
  AddCaptureTorch(watch, CaptureUse::kWatch);
  AddCaptureDebug(watch, CaptureUse::kWatch);
  AddCaptureGrpc(watch, CaptureUse::kWatch);
  AddCaptureServing(watch, CaptureUse::kWatch);
}

}  // namespace stepscope::cli
