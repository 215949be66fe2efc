// Merges logs with a heap ordered by their next events.
#include "goodput/ledger/ledger_logs.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "base/system_error.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

namespace fs = std::filesystem;

// A segment is created before its first event, whose given time may be somewhat earlier.
constexpr int64_t kSlack = kMinute;

// "20260131T235959Z-77-1a2b3c4d-000001.goodput" belongs to the log "20260131T235959Z-77-1a2b3c4d".
std::string LogName(const std::string& file) { return file.substr(0, file.rfind('-')); }

// Reads a log in windows.
class Cursor {
 public:
  Cursor(const OpenSegment& open, const Log& log, Notes& note_counts)
      : open_(&open), log_(&log), note_counts_(&note_counts) {
    time_ = log.front().made < kUnknown + kSlack ? kUnknown : log.front().made - kSlack;
  }

  // An imported log may be much older than its file. Closes the file again, since there may be more
  // logs than open files allowed.
  void Peek() {
    auto reader = (*open_)(log_->front().name);
    if (!reader) return;
    Notes ignored;
    bool first = true;
    reader->FinishWindow(ignored, [&](const Event& event) {
      if (const int64_t time = TimeOf(event); first && time != kUnknown) {
        time_ = std::min(time_, time);
      }
      first = false;
    });
  }

  // Sort key: the time of the next event, or a lower bound.
  int64_t time() const { return time_; }
  const Event& event() const { return window_[at_].first; }
  EventPlace place(size_t log) const {
    return {log, window_[at_].second.file, window_[at_].second.number};
  }
  bool opened() const { return opened_; }

  // Moves to the next event; false at the end.
  bool Next() {
    opened_ = true;
    if (++at_ >= window_.size() && !Fill()) return false;
    if (const int64_t time = TimeOf(event()); time != kUnknown) time_ = time;
    return true;
  }

 private:
  bool Fill() {
    window_.clear();
    at_ = 0;
    while (window_.empty()) {
      if (!reader_) Open();
      if (!reader_) return false;  // no further file
      const bool more = reader_->FinishWindow(*note_counts_, [this](const Event& event) {
        const int64_t number = number_++;
        if (number < (*log_)[file_].done) return;
        window_.emplace_back(event, EventPlace{0, file_, number});
        if (event.writer.empty()) window_.back().first.sequence = kUnknown;
      });
      if (more) continue;
      reader_.reset();
      ++file_;
    }
    return true;
  }

  // Opens the next readable file, if any.
  void Open() {
    for (; file_ < log_->size(); ++file_) {
      auto opened = (*open_)((*log_)[file_].name);
      number_ = 0;
      if (opened) {
        reader_ = std::move(*opened);
        if ((*log_)[file_].faulty) reader_->IgnoreMark();
        return;
      }
      note_counts_->Add(NoteKind::kBadSegment);
    }
  }

  const OpenSegment* open_;
  const Log* log_;
  Notes* note_counts_;
  int64_t time_;
  bool opened_ = false;
  size_t file_ = 0;
  int64_t number_ = 0;  // of the next event in the file
  std::optional<SegmentReader> reader_;
  std::vector<std::pair<Event, EventPlace>> window_;
  size_t at_ = SIZE_MAX;
};

// Only overlapping logs are open at once.
void AllowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::vector<std::string> SegmentNames(const std::string& folder, std::error_code& failed,
                                      std::vector<std::string>* manifests) {
  std::vector<std::string> names;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().filename() == "lost+found") entry.disable_recursion_pending();
    const auto suffix = entry->path().extension();
    if (suffix == kManifestSuffix && manifests != nullptr) {
      manifests->push_back(entry->path().lexically_relative(folder));
    }
    if (suffix != kSegmentSuffix) continue;
    names.push_back(entry->path().lexically_relative(folder));
  }
  std::ranges::sort(names);
  if (manifests != nullptr) std::ranges::sort(*manifests);
  return names;
}

JobLogs JoinSegments(std::vector<Segment> segments) {
  std::map<std::pair<std::string, std::string>, Log> logs;  // by job and name
  for (Segment& segment : segments) {
    logs[{segment.job, LogName(segment.file.name)}].push_back(std::move(segment.file));
  }
  JobLogs jobs;
  for (auto& [key, log] : logs) jobs[key.first].push_back(std::move(log));
  return jobs;
}

namespace {

SegmentFault FaultOfEntry(FaultKind kind, const ManifestEntry& entry) {
  return {.kind = kind,
          .file = entry.name,
          .job = entry.job,
          .events = entry.events,
          .first = entry.first,
          .last = entry.last,
          .listed = entry};
}

// The state of the file; nothing if no file has this name.
Result<std::optional<struct stat>> StateOf(const std::string& path) {
  struct stat state{};
  if (stat(path.c_str(), &state) == 0) return state;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return std::unexpected(SystemError("cannot read the segment", errno, path));
}

// Adds the segment, or what is wrong with it. False: it went away.
Result<bool> ListSegment(const std::string& folder, const std::string& name, Listing& listing,
                         std::vector<Segment>& segments, Notes& note_counts) {
  using Kind = SegmentError::Kind;
  const std::string path = folder + "/" + name;
  const auto found = listing.manifest.listed.find(name);
  const ManifestEntry* const listed =
      found == listing.manifest.listed.end() ? nullptr : &found->second;
  const auto there = StateOf(path);
  if (!there) return std::unexpected(there.error());
  if (!*there) return false;
  const struct stat& state = **there;
  const auto reader = SegmentReader::Open(path);
  if (!reader) {
    const SegmentError& error = reader.error();
    if (error.kind == Kind::kSystem) return std::unexpected(Error(error));
    if (error.kind == Kind::kGone) return false;
    if (listed != nullptr) {
      listing.faults.push_back(FaultOfEntry(FaultKind::kUnreadable, *listed));
    } else if (error.kind == Kind::kDamaged) {
      note_counts.Add(NoteKind::kBadSegment);
      listing.unreadable.push_back(name);
    }
    return true;
  }
  const auto size = static_cast<uint64_t>(state.st_size);
  auto measured = FaultOf(folder, name, size, *reader, listed);
  if (!measured) return std::unexpected(measured.error());
  std::optional<SegmentFault>& fault = *measured;
  segments.push_back(
      {.job = reader->header().job,
       .file = {.name = name,
                .bytes = state.st_size,
                .changed = int64_t{state.st_mtim.tv_sec} * kSecond + state.st_mtim.tv_nsec,
                .made = reader->header().time,
                .faulty = fault.has_value()}});
  if (fault) listing.faults.push_back(std::move(*fault));
  return true;
}

// A segment may have been made since `names` were read. One that a compaction has removed since is
// not listed any more: it says so before.
Result<void> AddMissing(const std::string& folder, const std::vector<std::string>& names,
                        const std::vector<std::string>& manifests, Listing& listing) {
  std::vector<const ManifestEntry*> missing;
  for (const auto& [name, entry] : listing.manifest.listed) {
    if (std::ranges::binary_search(names, name)) continue;
    const auto there = StateOf(folder + "/" + name);
    if (!there) return std::unexpected(there.error());
    if (!*there) missing.push_back(&entry);
  }
  if (missing.empty()) return {};
  const auto now = ReadManifests(folder, manifests);
  if (!now) return std::unexpected(now.error());
  for (const ManifestEntry* entry : missing) {
    if (!now->listed.contains(entry->name)) continue;
    listing.faults.push_back(FaultOfEntry(FaultKind::kMissing, *entry));
  }
  return {};
}

}  // namespace

Result<Listing> ListLogs(const std::string& folder, Notes& note_counts) {
  std::error_code failed;
  std::vector<std::string> manifests;
  std::vector<std::string> names = SegmentNames(folder, failed, &manifests);
  if (failed) return std::unexpected(SystemError("cannot read the ledger", failed.value(), folder));
  auto manifest = ReadManifests(folder, manifests);
  if (!manifest) return std::unexpected(manifest.error());
  Listing listing{.logs = {}, .manifest = std::move(*manifest), .faults = {}, .unreadable = {}};
  std::vector<Segment> segments;
  std::set<std::string> gone;
  for (const std::string& name : names) {
    const auto added = ListSegment(folder, name, listing, segments, note_counts);
    if (!added) return std::unexpected(added.error());
    if (!*added) gone.insert(name);
  }
  std::erase_if(names, [&](const std::string& name) { return gone.contains(name); });
  if (auto added = AddMissing(folder, names, manifests, listing); !added) {
    return std::unexpected(added.error());
  }
  for (const std::string& path : listing.manifest.damaged) {
    listing.faults.push_back({.kind = FaultKind::kManifest, .file = path});
  }
  listing.logs = JoinSegments(std::move(segments));
  return listing;
}

void ReadLogs(const OpenSegment& open, const std::vector<Log>& logs, Notes& note_counts,
              const std::function<void(const Event&, const EventPlace&)>& sink) {
  if (logs.size() > 100) AllowManyFiles();
  std::vector<Cursor> cursors;
  for (const Log& log : logs) {
    cursors.emplace_back(open, log, note_counts);
    if (logs.size() > 1) cursors.back().Peek();
  }
  using Turn = std::pair<int64_t, size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (size_t k = 0; k < cursors.size(); ++k) turns.emplace(cursors[k].time(), k);
  while (!turns.empty()) {
    const size_t log = turns.top().second;
    turns.pop();
    Cursor& cursor = cursors[log];
    if (cursor.opened()) sink(cursor.event(), cursor.place(log));
    bool more = cursor.Next();
    // Continues without the heap while no other log is earlier.
    while (more && (turns.empty() || Turn{cursor.time(), log} < turns.top())) {
      sink(cursor.event(), cursor.place(log));
      more = cursor.Next();
    }
    if (more) turns.emplace(cursor.time(), log);
  }
}

}  // namespace stepscope::goodput
