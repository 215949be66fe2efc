// Implements the loop: captures, reads, judges, and keeps or drops.
#include "stepscope/watch.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/file_writer.h"
#include "base/time_units.h"
#include "base/wall_clock.h"
#include "watch/departure.h"
#include "watch/history.h"
#include "watch/keeping.h"
#include "watch/metrics.h"
#include "watch/read_window.h"

namespace stepscope {
namespace {

constexpr int64_t kMostHistory = 100'000'000;  // bytes; there are up to two such files

// What a watch remembers from window to window.
class Watcher {
 public:
  Watcher(const WatchOptions& options, std::vector<WatchedWindow> before) : options_(options) {
    for (WatchedWindow& window : before) {
      counts_.Count(window);
      Remember(std::move(window));
    }
  }

  // Watches one window.
  Result<void> Turn() {
    WatchedWindow window{.time = TimeNow()};
    auto folder = MakeWindowFolder(options_.folder, window.time);
    if (!folder) return std::unexpected(folder.error());
    if (const auto captured = options_.capture(*folder); captured)
      ReadWindow(*folder, window);
    else
      window.why = captured.error().what;
    Judge(window, *folder);
    window.slower = SlowerPart(latest_, window);
    if (options_.on_window) options_.on_window(window);
    if (auto kept = AppendWindow(options_.folder, window, kMostHistory); !kept) return kept;
    Record(window);
    if (auto told = Tell(window); !told) return told;
    Remember(std::move(window));
    return {};
  }

  // Drops the trace that is still there in case that its window began a change.
  void End() { Drop(); }

  int64_t TimeNow() const { return options_.now ? options_.now() : WallClock(); }

 private:
  // A ledger that cannot be written to does not end the watch.
  void Record(const WatchedWindow& window) {
    if (!options_.record) return;
    const auto recorded = options_.record(window.time, RecordOf(window, options_.most_record));
    const std::string problem = recorded ? "" : recorded.error().what;
    if (!recorded && problem != problem_ && options_.on_problem)
      options_.on_problem(recorded.error());
    problem_ = problem;
  }

  Result<void> Tell(const WatchedWindow& window) {
    counts_.Count(window);
    if (options_.metrics.empty()) return {};
    return WriteFile(options_.metrics, MetricsOf(counts_, options_.job));
  }

  // The first window that is like none before is a trace worth having; of a change, the first two:
  // that of the window before waits until this one tells.
  void Judge(WatchedWindow& window, const std::string& folder) {
    const bool first = window.why.empty() && latest_.empty();
    if (window.why.empty()) {
      latest_.push_back(window);
      window.departed = DeparturesOf(latest_);
      latest_.pop_back();
    }
    if (first || !window.departed.empty()) {
      window.kept = std::filesystem::path(folder).filename();
      waiting_.clear();  // it stays
      RemoveOldest(options_.folder, options_.keep_runs, options_.keep_bytes, folder);
      return;
    }
    Drop();
    if (window.why.empty())
      waiting_ = folder;
    else
      RemoveWindowFolder(folder);
  }

  void Drop() {
    if (!waiting_.empty()) RemoveWindowFolder(waiting_);
    waiting_.clear();
  }

  // Those that later ones are compared with.
  void Remember(WatchedWindow window) {
    if (!window.why.empty()) return;
    latest_.push_back(std::move(window));
    if (latest_.size() > kComparedWindows) latest_.erase(latest_.begin());
  }

  const WatchOptions& options_;
  WatchCounts counts_;
  std::string problem_;  // of the last record
  std::vector<WatchedWindow> latest_;
  std::string waiting_;  // the folder of the last window, if it has not been told to be kept
};

void Sleep(const WatchOptions& options, const Watcher& watcher, int64_t until) {
  if (options.sleep) return options.sleep(until);
  constexpr auto kTurn = std::chrono::milliseconds(100);
  while (watcher.TimeNow() < until && !(options.cancelled && options.cancelled()))
    std::this_thread::sleep_for(kTurn);
}

}  // namespace

Result<int64_t> Watch(const WatchOptions& options) {
  auto before = ReadWindows(options.folder);
  if (!before) return std::unexpected(before.error());
  Watcher watcher(options, std::move(*before));
  const auto over = [&] { return options.cancelled && options.cancelled(); };
  int64_t windows = 0;
  for (int64_t next = watcher.TimeNow(); !over();) {
    if (auto turn = watcher.Turn(); !turn) return std::unexpected(turn.error());
    if (++windows == options.windows) break;
    next = std::max(next + options.every, watcher.TimeNow());
    Sleep(options, watcher, next);
  }
  watcher.End();
  return windows;
}

Result<std::vector<WatchedWindow>> WatchedWindows(const std::string& folder) {
  return ReadWindows(folder);
}

}  // namespace stepscope
