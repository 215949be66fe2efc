// Merges logs with a heap ordered by their next events.
#include "goodput/ledger/ledger_logs.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <queue>
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

std::vector<std::string> SegmentNames(const std::string& folder, std::error_code& failed) {
  std::vector<std::string> names;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, kOptions, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() != kSegmentSuffix) continue;
    names.push_back(entry->path().lexically_relative(folder));
  }
  std::ranges::sort(names);
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

Result<JobLogs> ListLogs(const std::string& folder, Notes& note_counts) {
  std::error_code failed;
  const std::vector<std::string> names = SegmentNames(folder, failed);
  if (failed) return std::unexpected(SystemError("cannot read the ledger", failed.value(), folder));
  std::vector<Segment> segments;
  for (const std::string& name : names) {
    std::string path = folder;
    path.append("/").append(name);
    struct stat state{};
    if (stat(path.c_str(), &state) != 0) continue;
    const auto reader = SegmentReader::Open(path);
    if (!reader) {
      if (!reader.error().never_written) note_counts.Add(NoteKind::kBadSegment);
      continue;
    }
    segments.push_back(
        {.job = reader->header().job,
         .file = {.name = name,
                  .bytes = state.st_size,
                  .changed = int64_t{state.st_mtim.tv_sec} * kSecond + state.st_mtim.tv_nsec,
                  .made = reader->header().time}});
  }
  return JoinSegments(std::move(segments));
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
