// Runs two threads: one looks for runs periodically, one reads them.
#include "server/runs.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/stop.h"

namespace stepscope::server {
namespace {

constexpr std::chrono::milliseconds kGlance{100};
constexpr std::chrono::milliseconds kLetItBeSeen{500};  // before the reports are made

Failure StillBeingRead(const RunView& run) {
  return {kNotYet, {"this run is still being read", run.name, "ask again in a moment"}};
}

}  // namespace

std::string_view RunStateName(RunState state) {
  switch (state) {
    case RunState::kWaiting:
      return "waiting";
    case RunState::kLoading:
      return "loading";
    case RunState::kReady:
      return "ready";
    case RunState::kFailed:
      return "failed";
  }
  return "";
}

Runs::Runs(Options options) : options_(std::move(options)) {
  options_.keep = std::max<size_t>(1, options_.keep);
  Merge(FindSources(options_.paths, options_.storage, options_.hangs), true, options_.paths.size());
  reader_ = std::jthread([this](const std::stop_token& stop) { ReadThem(stop); });
  watcher_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
}

Runs::~Runs() { Stop(); }

void Runs::Stop() {
  reader_.request_stop();
  watcher_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    give_up_.request_stop();
  }
  changed_.notify_all();
}

std::vector<std::string> Runs::Paths() const {
  const std::lock_guard lock(mutex_);
  return options_.paths;
}

Result<std::string> Runs::Add(const std::string& path) {
  const Sources found = FindSources({path});
  if (found.runs.empty()) {
    return std::unexpected(
        Error{"there is no trace in what was dropped", "", "drop the trace files of one run"});
  }
  {
    const std::lock_guard lock(mutex_);
    options_.paths.push_back(path);
    // Its files are whole already.
    for (const SourceRun& run : found.runs) new_[run.run.path] = run.run.version;
  }
  Look();
  return found.runs.front().id;
}

Attempt<std::string> Runs::OpenTrace(const std::string& id, int64_t rank, const Gone& gone) {
  const auto run = Get(id, gone);
  if (!run) return std::unexpected(run.error());
  const auto traces = (*run)->TracesOf(rank);
  auto held = HoldTraces(traces, options_.trace_folders);
  if (!held) return std::unexpected(Failure{422, held.error()});
  std::string what = id + fmt::format(" {}", rank);
  for (const RankTrace& trace : traces)
    what += fmt::format("\n{} {} {} {}", trace.path, trace.bytes, trace.written, trace.ends);
  const auto view = RunView{
      .id = ShortId(what), .path = held->paths.front(), .error = {}, .part_of = id, .rank = rank};
  return AddTrace(
      std::make_shared<Entry>(Entry{.view = view, .run = nullptr, .held = std::move(*held)}));
}

std::string Runs::AddTrace(const EntryRef& opened) {
  const std::lock_guard lock(mutex_);
  const std::string id = opened->view.id;
  const auto same = std::ranges::find(entries_, id, [](const auto& e) { return e->view.id; });
  if (same != entries_.end() && (*same)->view.state != RunState::kFailed) {
    (*same)->asked = ++clock_;
    return id;
  }
  if (same != entries_.end()) entries_.erase(same);
  const auto of =
      std::ranges::find(entries_, opened->view.part_of, [](const auto& e) { return e->view.id; });
  opened->view.name =
      fmt::format("{}, rank {}", of == entries_.end() ? "" : (*of)->view.name, opened->view.rank);
  opened->asked = ++clock_;
  entries_.push_back(opened);
  while (true) {
    EntryRef oldest;
    size_t traces = 0;
    for (const auto& entry : entries_) {
      if (!entry->held) continue;
      ++traces;
      if (oldest == nullptr || entry->asked < oldest->asked) oldest = entry;
    }
    if (traces <= kMostTraces) break;
    ForgetTrace(oldest);
  }
  if (loading_ != nullptr && loading_->asked == 0) give_up_.request_stop();
  changed_.notify_all();
  return id;
}

// REQUIRES: mutex_ is held.
void Runs::ForgetTrace(const EntryRef& entry) {
  if (loading_ == entry) give_up_.request_stop();
  std::erase(entries_, entry);
}

bool Runs::CloseTrace(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(entries_, id, [](const auto& e) { return e->view.id; });
  if (found == entries_.end() || !(*found)->held) return false;
  const EntryRef entry =
      *found;  // NOLINT(performance-unnecessary-copy-initialization): it is erased
  ForgetTrace(entry);
  changed_.notify_all();
  return true;
}

std::vector<RunView> Runs::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<RunView> views;
  for (const auto& entry : entries_) views.push_back(entry->view);
  return views;
}

std::vector<LedgerView> Runs::Ledgers() const {
  const std::lock_guard lock(mutex_);
  return ledgers_;
}

std::vector<SnapshotView> Runs::Snapshots() const {
  const std::lock_guard lock(mutex_);
  return snapshots_;
}

std::vector<HangView> Runs::Hangs() const {
  const std::lock_guard lock(mutex_);
  return hangs_;
}

Attempt<std::shared_ptr<OpenRun>> Runs::Get(const std::string& id, const Gone& gone) {
  const auto until = std::chrono::steady_clock::now() + options_.patience;
  std::unique_lock lock(mutex_);
  const auto found =
      std::ranges::find(entries_, id, [](const auto& entry) { return entry->view.id; });
  if (found == entries_.end()) {
    return std::unexpected(Failure{404, {"there is no such run", id, "/api/state lists them"}});
  }
  // A copy: while we wait, the list may change.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const std::shared_ptr<Entry> entry = *found;
  entry->asked = ++clock_;
  const bool to_be_read = entry->run == nullptr && entry->view.state != RunState::kFailed;
  if (to_be_read && loading_ != nullptr && loading_->asked == 0) {
    give_up_.request_stop();
  }
  changed_.notify_all();
  while (entry->run == nullptr) {
    if (entry->view.state == RunState::kFailed) {
      return std::unexpected(Failure{422, entry->view.error.value_or(Error{})});
    }
    if (std::chrono::steady_clock::now() >= until || reader_.get_stop_token().stop_requested()) {
      return std::unexpected(StillBeingRead(entry->view));
    }
    changed_.wait_for(lock, kGlance);
    lock.unlock();
    const bool nobody = gone();
    lock.lock();
    if (nobody) return std::unexpected(kNobodyThere);
  }
  return entry->run;
}

void Runs::Look() {
  const auto paths = Paths();
  Merge(FindSources(paths, options_.storage, options_.hangs), false, paths.size());
}

void Runs::Merge(Sources found, bool first, size_t paths) {
  const std::lock_guard lock(mutex_);
  if (paths < options_.paths.size()) return;
  ledgers_ = std::move(found.ledgers);
  snapshots_ = std::move(found.snapshots);
  hangs_ = std::move(found.hangs);
  std::map<std::string, std::shared_ptr<Entry>> before;
  for (const auto& entry : entries_) before[entry->view.id] = entry;
  std::map<std::string, uint64_t> fresh;
  entries_.clear();
  for (const auto& [run, id, name] : found.runs) {
    if (const auto at = before.find(id); at != before.end()) {
      Entry& entry = *at->second;
      const bool settled = entry.seen == run.version;
      entry.seen = run.version;
      // Read anew once its files rest; not while it is read.
      if (settled && entry.version != run.version && entry.view.state != RunState::kLoading) {
        entry.version = run.version;
        entry.run = nullptr;
        entry.view.state = RunState::kWaiting;
        entry.view.error.reset();
        ++entry.view.revision;
      }
      entries_.push_back(std::exchange(at->second, nullptr));
      continue;
    }
    const auto seen = new_.find(run.path);
    if (!first && (seen == new_.end() || seen->second != run.version)) {
      fresh[run.path] = run.version;
      continue;
    }
    entries_.push_back(std::make_shared<Entry>(
        Entry{.view = {.id = id, .name = name, .path = run.path, .error = {}},
              .version = run.version,
              .seen = run.version,
              .run = nullptr}));
  }
  // What is gone from the disk and still in memory stays, and so do opened traces.
  for (auto& [id, entry] : before) {
    if (entry != nullptr && (entry->run != nullptr || entry->held))
      entries_.push_back(std::move(entry));
  }
  new_ = std::move(fresh);
  changed_.notify_all();
}

void Runs::Watch(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const StopScope scope(stop);  // of what a storage is asked for
  while (!wake.wait_for(lock, stop, options_.look_every, [&] { return stop.stop_requested(); })) {
    try {
      Look();
    } catch (const std::exception&) {  // out of memory: the next look may be better
      continue;
    }
  }
}

void Runs::ReadThem(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    std::shared_ptr<Entry> next = Next();
    if (next != nullptr) {
      Read(next, lock);
      changed_.notify_all();
    } else {
      changed_.wait(lock, stop, [&] { return Next() != nullptr; });
    }
  }
}

Runs::Held Runs::InMemory() const {
  Held held;
  for (const auto& entry : entries_) {
    if (entry->run == nullptr) continue;
    ++held.runs;
    if (const Timeline* timeline = entry->run->timeline()) held.bytes += timeline->bytes();
  }
  return held;
}

bool Runs::TooMuch(const Held& held, size_t runs) const {
  return held.runs > runs || (held.runs > 1 && held.bytes > options_.keep_bytes);
}

// The one that was asked for last, of those not asked for the first while there is room.
std::shared_ptr<Runs::Entry> Runs::Next() const {
  std::shared_ptr<Entry> next;
  for (const auto& entry : entries_) {
    if (entry->view.state != RunState::kWaiting || (entry->dropped && entry->asked == 0)) continue;
    if (next == nullptr || entry->asked > next->asked) next = entry;
  }
  const bool unasked = next != nullptr && next->asked == 0;
  return unasked && TooMuch(InMemory(), options_.keep - 1) ? nullptr : next;
}

void Runs::Read(const std::shared_ptr<Entry>& entry, std::unique_lock<std::mutex>& lock) {
  entry->view.state = RunState::kLoading;
  entry->view.progress = {};
  loading_ = entry;
  give_up_ = {};
  const std::stop_token stop = give_up_.get_token();
  const std::string path = entry->view.path;
  lock.unlock();
  const ReadRun read = ReadIt(*entry, path, stop);
  lock.lock();
  if (read.error && stop.stop_requested()) {
    loading_ = nullptr;
    entry->view.state = RunState::kWaiting;
    return;
  }
  entry->view.state = read.error ? RunState::kFailed : RunState::kReady;
  entry->view.error = read.error;
  entry->run = read.error ? nullptr : read.run;
  if (!read.error) entry->view.has_timeline = read.run->timeline() != nullptr;
  if (!read.error) {
    Progress& progress = entry->view.progress;
    progress.bytes_done = progress.bytes_total;
    progress.files_done = progress.files_total;
    MakeRoom(*entry);
    changed_.notify_all();
    // Who looks already gets the picture first; a question of theirs is answered at once.
    if (entry->asked > 0) changed_.wait_for(lock, stop, kLetItBeSeen, [] { return false; });
    lock.unlock();
    Prepare(*read.run, stop);
    GiveMemoryBack();
    lock.lock();
  }
  loading_ = nullptr;
}

// Answers what the first page will ask, while its picture of the timeline is drawn already.
void Runs::Prepare(OpenRun& run, const std::stop_token& stop) {
  try {
    [[maybe_unused]] const auto kept = run.Answer({}, [&stop] { return stop.stop_requested(); });
  } catch (const std::bad_alloc&) {
    return;  // who asks will be told
  }
}

Runs::ReadRun Runs::ReadIt(Entry& entry, const std::string& path, const std::stop_token& stop) {
  try {
    OpenOptions open{.analyses = {},
                     .threads = options_.threads,
                     .keep_events = true,
                     .settings = options_.settings,
                     .storage = options_.storage};
    open.max_input = options_.max_input;
    open.on_progress = [&](const Progress& progress) {
      const std::lock_guard here(mutex_);
      entry.view.progress = progress;
    };
    open.stop = stop;
    if (entry.held) open.storage = entry.held->storage;
    auto session = Session::Open(entry.held ? entry.held->paths : std::vector{path}, open);
    if (!session) return {.run = nullptr, .error = session.error()};
    return {.run = std::make_shared<OpenRun>(std::move(*session), path, options_.most),
            .error = {}};
  } catch (const std::exception& problem) {
    return {.run = nullptr, .error = Error{"this run could not be read", path, problem.what()}};
  }
}

// One that nobody asked for never takes the place of another.
void Runs::MakeRoom(const Entry& latest) {
  while (TooMuch(InMemory(), options_.keep)) {
    Entry* oldest = nullptr;
    for (const auto& entry : entries_) {
      const bool wanted = entry.get() == &latest && latest.asked > 0;
      if (entry->run == nullptr || wanted) continue;
      if (oldest == nullptr || entry->asked <= oldest->asked) oldest = entry.get();
    }
    if (oldest == nullptr) return;
    oldest->run = nullptr;
    oldest->asked = 0;
    oldest->dropped = true;
    oldest->view.state = RunState::kWaiting;
  }
}

// The allocator keeps what was freed, in a part of its own for each thread that read: of many runs,
// one after another, that would be more than those that are kept.
void Runs::GiveMemoryBack() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace stepscope::server
