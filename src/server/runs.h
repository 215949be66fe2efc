// Holds the runs of a server: found in its paths, read in the background one at a time in the order
// of requests, the latest kept in memory. A run that nobody requested gives way to one that was
// requested.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "server/open_run.h"
#include "server/refusal.h"
#include "server/sources.h"
#include "stepscope/rank_trace.h"
#include "stepscope/session.h"

namespace stepscope::server {

enum class RunState : uint8_t { kWaiting, kLoading, kReady, kFailed };
std::string_view RunStateName(RunState state);  // "waiting", ...

// A run as it is now.
struct RunView {
  std::string id, name, path;
  RunState state = RunState::kWaiting;
  Progress progress;
  std::optional<Error> error;
  int64_t revision = 0;  // how often its files have changed since it was found
  // The run of partials of which it is the trace of a rank; empty: it is a run by itself.
  std::string part_of = {};
  int64_t rank = -1;
  bool has_timeline = true;  // false once it was read and has no events, as partials
};

class Runs {
 public:
  struct Options {
    std::vector<std::string> paths;
    std::vector<std::string> hangs = {};
    StorageRef storage = nullptr;  // where some of the paths lie
    int threads = 0;               // to read a run with
    Settings settings;
    int64_t max_input = 0;  // as in OpenOptions
    OpenRun::Most most;     // of every answer
    size_t keep = 4;        // so many runs stay in memory; of more, those that were asked last
    // And no more than these bytes of timelines, which are most of what a run needs; one may be
    // larger.
    size_t keep_bytes = SIZE_MAX;
    std::chrono::milliseconds look_every{2000};
    // Traces of ranks may lie below these alone; none: anywhere (HoldTraces()).
    std::vector<std::string> trace_folders = {};
    // A request waits so long for a run that is being read.
    std::chrono::milliseconds patience{20'000};
  };

  // Looks at the paths once, and begins.
  explicit Runs(Options options);
  ~Runs();

  // Cancels the current read, starts no other, and releases all waiting requests.
  void Stop();

  // Looks at this path, too, from now on. The id of its run, or of the first; fails where there is
  // none.
  Result<std::string> Add(const std::string& path);

  // Opens the traces that the partials of a rank were made of, which become a run of their own: its
  // id, and the same for the same traces. Of more than kMostTraces the one that was asked for
  // longest ago is closed. Fails as Get() and HoldTraces() do.
  static constexpr size_t kMostTraces = 8;
  Attempt<std::string> OpenTrace(const std::string& id, int64_t rank, const Gone& gone);
  // Forgets a run that OpenTrace() made; false: this is none such.
  bool CloseTrace(const std::string& id);

  std::vector<RunView> List() const;
  std::vector<LedgerView> Ledgers() const;
  std::vector<SnapshotView> Snapshots() const;
  std::vector<HangView> Hangs() const;

  // The run of this id, in memory. One that is not there yet is read next, and waited for a while:
  // 404 there is none such, 422 it cannot be read, kNotYet it is still being read, 499 `gone`.
  Attempt<std::shared_ptr<OpenRun>> Get(const std::string& id, const Gone& gone);

 private:
  struct Entry {
    RunView view;
    uint64_t version = 0;  // of its files when it was last read, or begun to
    uint64_t seen = 0;     // at the last look
    uint64_t asked = 0;    // when it was last asked for: the largest is the latest
    bool dropped = false;  // it was in memory, and is read again only if it is asked for
    std::shared_ptr<OpenRun> run;
    std::optional<HeldTraces> held;  // what OpenTrace() has opened; else the run is at view.path
  };
  using EntryRef = std::shared_ptr<Entry>;
  // What is in memory.
  struct Held {
    size_t runs = 0, bytes = 0;
  };
  // `paths`: how many were looked at; of fewer than there are by now the answer is old.
  void Merge(Sources found, bool first, size_t paths);
  std::string AddTrace(const EntryRef& opened);
  void ForgetTrace(const EntryRef& entry);
  void Look();
  std::vector<std::string> Paths() const;
  void Watch(const std::stop_token& stop);
  void ReadThem(const std::stop_token& stop);
  Held InMemory() const;
  bool TooMuch(const Held& held, size_t runs) const;
  std::shared_ptr<Entry> Next() const;
  struct ReadRun {
    std::shared_ptr<OpenRun> run;
    std::optional<Error> error;
  };
  ReadRun ReadIt(Entry& entry, const std::string& path, const std::stop_token& stop);
  void Read(const std::shared_ptr<Entry>& entry, std::unique_lock<std::mutex>& lock);
  static void Prepare(OpenRun& run, const std::stop_token& stop);
  void MakeRoom(const Entry& latest);
  static void GiveMemoryBack();

  Options options_;
  mutable std::mutex mutex_;  // over all below
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<Entry>> entries_;  // in the order they are shown
  std::map<std::string, uint64_t> new_;          // paths seen once, which may still be written
  std::vector<LedgerView> ledgers_;
  std::vector<SnapshotView> snapshots_;
  std::vector<HangView> hangs_;
  uint64_t clock_ = 0;
  std::shared_ptr<Entry> loading_;  // what is being read or prepared; null: nothing is
  std::stop_source give_up_;        // reading it
  std::jthread reader_, watcher_;   // the last members: end before the others do
};

}  // namespace stepscope::server
