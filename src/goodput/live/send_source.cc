// Reads segments by windows and log files by events, and batches them.
#include "goodput/live/send_source.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/byte_source.h"
#include "base/system_error.h"
#include "goodput/events/event_lines.h"
#include "goodput/events/json_lines.h"
#include "goodput/recorder/log_writer.h"

namespace stepscope::goodput {
namespace {

// Batch size: some thousands of events, below the limits of servers and proxies.
constexpr size_t kManyBytes = size_t{768} << 10;
constexpr size_t kBlock = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{16} << 20;

// "a/20260131T235959Z-77-1a2b3c4d-000001.goodput" belongs to the log
// "20260131T235959Z-77-1a2b3c4d", which numbers its events without writer.
std::string LogName(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  return name.substr(0, name.rfind('-'));
}

}  // namespace

void SendBatch::Add(const Event& event) {
  if (!state_) return;
  AppendJsonLine(event, lines_);
  ++events_;
  if (lines_.size() >= kManyBytes) Flush();
}

void SendBatch::Reached(const std::string& source, const SendPosition& position) {
  if (!reached_.empty() && reached_.back().first == source) {
    reached_.back().second = position;
  } else {
    reached_.emplace_back(source, position);
  }
}

void SendBatch::Flush() {
  if (state_ && events_ > 0) state_ = deliver_(lines_, events_);
  if (!state_) return;
  for (const auto& [source, position] : reached_) cursor_.Set(source, position);
  reached_.clear();
  lines_.clear();
  events_ = 0;
}

Result<void> SegmentSource::Poll(const SendCursor& cursor, SendBatch& batch, Notes& note_counts) {
  namespace fs = std::filesystem;
  ++polls_;
  failed_.reset();
  std::error_code failed;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder_, kOptions, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() != kSegmentSuffix) continue;
    const std::string name = entry->path().lexically_relative(folder_);
    const auto [file, is_new] = files_.try_emplace(name);
    if (is_new) file->second.done = cursor.At(name).done;
  }
  if (failed)
    return std::unexpected(SystemError("cannot read the directory", failed.value(), folder_));
  for (auto& [name, file] : files_) {
    if (!file.done) Read(name, file, cursor, batch, note_counts);
    if (!batch.state()) return batch.state();
  }
  batch.Flush();
  CloseIdle();
  if (!batch.state() || follow_ || !failed_) return batch.state();
  return std::unexpected(*failed_);
}

// A file in creation can be read later, one that the system cannot read now perhaps; a damaged one
// never.
void SegmentSource::Skip(const SegmentError& error, Notes& note_counts) {
  if (error.kind == SegmentError::Kind::kSystem) {
    failed_ = error;
  } else if (!follow_ && error.kind != SegmentError::Kind::kNeverWritten) {
    note_counts.Add(NoteKind::kBadSegment);
  }
}

bool SegmentSource::Failed(const SegmentReader& reader) {
  if (reader.failed()) failed_ = reader.failed();
  return reader.failed().has_value();
}

void SegmentSource::Read(const std::string& name, File& file, const SendCursor& cursor,
                         SendBatch& batch, Notes& note_counts) {
  if (!file.reader) {
    auto opened = SegmentReader::Open(folder_ + "/" + name);
    if (!opened) return Skip(opened.error(), note_counts);
    file.reader = std::move(*opened);
    file.reader->StartAt(cursor.At(name).at);
  }
  SegmentReader& reader = *file.reader;
  const EventSink sink = [&](const Event& event) {
    file.grew = polls_;
    if (!event.writer.empty()) return batch.Add(event);
    Event numbered = event;
    numbered.writer = std::string(kLogWriter) + LogName(name);
    batch.Add(numbered);
  };
  const bool closed = reader.WasClosed();
  while (closed ? reader.FinishWindow(note_counts, sink) : reader.FollowWindow(note_counts, sink)) {
    batch.Reached(name, {.at = reader.Position()});
    if (!batch.state()) return;
  }
  if (Failed(reader)) return;
  batch.Reached(name, {.at = reader.Position(), .done = closed});
  if (follow_ && !closed) return;
  // After a hole left by a killed recorder more may follow, but a live one also writes there later.
  while (batch.state() && !closed && reader.FinishWindow(note_counts, sink)) {
  }
  if (Failed(reader)) return;
  file.done = true;
  file.reader.reset();
}

// What they had is confirmed: the next call goes on from there.
void SegmentSource::CloseIdle() {
  std::vector<std::pair<uint64_t, File*>> by_silence;
  for (auto& [name, file] : files_) {
    if (file.reader) by_silence.emplace_back(file.grew, &file);
  }
  if (by_silence.size() <= most_open_) return;
  std::ranges::stable_sort(by_silence, {}, &std::pair<uint64_t, File*>::first);
  by_silence.resize(by_silence.size() - most_open_);
  for (const auto& [grew, file] : by_silence) file->reader.reset();
}

LogSource::~LogSource() {
  if (file_ >= 0) close(file_);
}

LogSource::LogSource(LogSource&& other) noexcept
    : path_(std::move(other.path_)),
      follow_(other.follow_),
      file_(std::exchange(other.file_, -1)),
      offset_(other.offset_),
      unfinished_(std::move(other.unfinished_)),
      events_(other.events_),
      known_(other.known_),
      mark_(other.mark_),
      unnumbered_(other.unnumbered_),
      job_(std::move(other.job_)) {}

void LogSource::Take(const Event& event, const SendCursor& cursor, SendBatch& batch) {
  event_ = event;
  if (event_.job.empty()) event_.job = job_;
  if (job_ != event_.job) job_ = event_.job;
  if (events_ == 0) {
    std::string line;
    AppendJsonLine(event_, line);
    mark_ = XXH3_64bits(line.data(), line.size());
    const SendPosition before = cursor.At(path_);
    known_ = before.mark == mark_ ? before.at : 0;
    unnumbered_ = 0;
  }
  FitToSegment(event_);
  if (event_.writer.empty()) {
    event_.writer = fmt::format("{}{:016x}", kLogWriter, mark_);
    event_.sequence = unnumbered_++;
  }
  if (++events_ <= known_) return;
  batch.Add(event_);
  batch.Reached(path_, {.at = events_, .mark = mark_});
}

Result<void> LogSource::Poll(const SendCursor& cursor, SendBatch& batch, Notes& note_counts) {
  if (follow_) {
    if (auto read = ReadAdded(cursor, batch, note_counts); !read) return read;
  } else {
    events_ = 0;
    auto source = ByteSource::Open(path_);
    if (!source) return std::unexpected(source.error());
    ReadJsonLines(std::move(*source), note_counts,
                  [&](const Event& event) { Take(event, cursor, batch); });
  }
  batch.Flush();
  return batch.state();
}

Result<void> LogSource::Open() {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) return std::unexpected(SystemError("cannot read the file", errno, path_));
  char head[2] = {};
  const ssize_t got = pread(file_, head, sizeof head, 0);
  const bool gzip = got == 2 && head[0] == '\x1f' && head[1] == '\x8b';
  if (got < 0 || gzip || head[0] == '[' || (head[0] == '{' && head[1] == '\n')) {
    return std::unexpected(Error{"cannot follow: the file is not plain JSON lines", path_,
                                 "send it once, without `follow`"});
  }
  offset_ = 0;
  events_ = 0;
  unfinished_.clear();
  return {};
}

bool LogSource::WasReplaced() const {
  struct stat here{}, there{};
  if (fstat(file_, &here) != 0) return true;
  if (here.st_size < offset_) return true;
  return stat(path_.c_str(), &there) == 0 &&
         (here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

void LogSource::ReadLines(std::string_view lines, const SendCursor& cursor, SendBatch& batch,
                          Notes& note_counts) {
  ByteSource source = ByteSource::FromMemory(lines);
  ReadJsonLines(std::move(source), note_counts,
                [&](const Event& event) { Take(event, cursor, batch); });
}

Result<void> LogSource::ReadAdded(const SendCursor& cursor, SendBatch& batch, Notes& note_counts) {
  if (file_ < 0) {
    // The file is being replaced: its successor appears soon.
    if (events_ > 0 && access(path_.c_str(), F_OK) != 0) return {};
    if (auto opened = Open(); !opened) return opened;
  }
  std::string block(kBlock, '\0');
  const bool replaced = WasReplaced();  // checked first, so that the end is read in any case
  ssize_t got = 0;
  while (batch.state() && (got = pread(file_, block.data(), block.size(), offset_)) > 0) {
    offset_ += got;
    unfinished_.append(block, 0, static_cast<size_t>(got));
    const size_t end = unfinished_.rfind('\n');
    if (end == unfinished_.npos) {  // incomplete line
      if (unfinished_.size() <= kLongestLine) continue;
      note_counts.Add(NoteKind::kLongLine);
      unfinished_.clear();
      continue;
    }
    ReadLines(std::string_view(unfinished_).substr(0, end + 1), cursor, batch, note_counts);
    unfinished_.erase(0, end + 1);
  }
  if (got < 0) return std::unexpected(SystemError("cannot read the file", errno, path_));
  if (!replaced) return {};
  ReadLines(unfinished_, cursor, batch, note_counts);
  close(std::exchange(file_, -1));
  return {};
}

}  // namespace stepscope::goodput
