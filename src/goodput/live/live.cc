// Follows the segments of a directory and accounts for their events by job.
#include "goodput/live/live.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/system_error.h"
#include "base/time_units.h"
#include "goodput/recorder/segment_name.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kAhead = 3600 * kSecond;
// Attempts to read a header before it counts as damaged; the file may still be in creation.
constexpr int kTries = 3;

std::optional<int64_t> Known(int64_t number) {
  return number == kUnknown ? std::nullopt : std::optional(number);
}

}  // namespace

void LiveJob::Note(const Event& event) {
  const int64_t time = TimeOf(event);
  first = std::min(first.value_or(time), time);
  latest = std::max(latest.value_or(time), time);
  if (event.kind == EventKind::kStepStart && time >= step_time.value_or(time)) {
    step = Known(event.step);
    step_time = time;
  } else if (event.kind == EventKind::kCheckpointCommit ||
             (event.kind == EventKind::kCheckpointSave && !commits_)) {
    commits_ = commits_ || event.kind == EventKind::kCheckpointCommit;
    if (time < checkpoint_time.value_or(time)) return;
    checkpoint_step = Known(event.step);
    checkpoint_time = time;
  }
}

void LiveJob::Add(const Event& recorded, int64_t now) {
  const Event& event = job_.servers_clock.Move(recorded, job_.note_counts);
  if (AccountFor(event, now + kAhead, job_) && TimeOf(event) >= 0) Note(event);
  job_.accounting.ThinOld();
}

std::optional<double> LiveJob::GoodputOfLast(int64_t window, int64_t now) {
  return accounting()
      .Query({.at = now, .window = Interval{now - window, now}, .silence = kSilence})
      .goodput();
}

void Live::Take(const Event& event, int64_t now) {
  if (last_job_ == nullptr || *last_name_ != event.job) {
    const auto known = jobs_.find(event.job);
    if (known == jobs_.end() && jobs_.size() >= kMostLive) {
      return note_counts_.Add(NoteKind::kOtherJob);
    }
    const auto job = known != jobs_.end() ? known : jobs_.try_emplace(event.job).first;
    last_name_ = &job->first;
    last_job_ = &job->second;
  }
  last_job_->Add(event, now);
}

// True if the file needs no further attempt.
bool Live::Open(const std::string& path, int& tries, int64_t now) {
  auto reader = SegmentReader::Open(path);
  if (reader) {
    open_.try_emplace(path, std::move(*reader), now);
    return true;
  }
  const SegmentError& error = reader.error();
  if (error.kind == SegmentError::Kind::kSystem) Fail(error);
  // Created and not yet written to, or not readable now: try again without limit.
  if (error.kind == SegmentError::Kind::kSystem ||
      error.kind == SegmentError::Kind::kNeverWritten || ++tries < kTries) {
    return false;
  }
  note_counts_.Add(NoteKind::kBadSegment);
  return true;
}

Result<void> Live::LookForFiles(int64_t now) {
  struct stat folder{};
  if (stat(folder_.c_str(), &folder) != 0) {
    return std::unexpected(SystemError("cannot read the directory", errno, folder_));
  }
  const int64_t changed = folder.st_mtim.tv_sec * kSecond + folder.st_mtim.tv_nsec;
  // File system clocks are coarse: a second change may have the same time.
  const bool settled = changed == folder_changed_ && now - changed > 2 * kSecond;
  if (settled) return {};
  const auto files = SegmentsIn(folder_);
  if (!files) return std::unexpected(files.error());
  for (const std::string& file : *files) {
    if (met_.insert(file).second) unopened_.try_emplace(file, 0);
  }
  folder_changed_ = changed;
  return {};
}

// As many as may be open at once: a start may find more.
void Live::OpenFiles(int64_t now) {
  auto file = unopened_.begin();
  while (file != unopened_.end() && open_.size() < 2 * most_open_) {
    file = Open(file->first, file->second, now) ? unopened_.erase(file) : std::next(file);
  }
  crowded_ = file != unopened_.end();
}

// False: there is more to read.
bool Live::ReadOn(File& file, int64_t now, int64_t until) {
  const EventSink sink = [&](const Event& event) {
    file.grew = now;
    Take(event, now);
  };
  const bool closed = file.reader.WasClosed();
  while (file.reader.FollowWindow(note_counts_, sink)) {
    if (MonotonicClock() >= until) return false;
  }
  while (closed && file.reader.FinishWindow(note_counts_, sink)) {
    if (MonotonicClock() >= until) return false;
  }
  const bool failed = file.reader.failed().has_value();
  if (failed) Fail(*file.reader.failed());
  file.done = closed && !failed;
  return true;
}

// From at_ on. False: there is more to read.
bool Live::Follow(int64_t now, int64_t until) {
  for (auto file = open_.lower_bound(*at_); file != open_.end();) {
    if (!ReadOn(file->second, now, until)) {
      at_ = file->first;
      return false;
    }
    file = file->second.done ? open_.erase(file) : std::next(file);
  }
  return true;
}

void Live::CloseIdle() {
  if (open_.size() <= most_open_) return;
  std::vector<std::pair<int64_t, std::string>> by_silence;
  for (const auto& [path, file] : open_) by_silence.emplace_back(file.grew, path);
  std::ranges::sort(by_silence);
  by_silence.resize(open_.size() - most_open_);
  for (const auto& [grew, path] : by_silence) open_.erase(path);
}

void Live::Fail(const Error& error) {
  if (!failed_) failed_ = error;
}

Result<void> Live::Poll(int64_t now) {
  // What a round that has begun has passed may have grown.
  for (bool whole = !at_.has_value();; whole = true) {
    auto polled = PollFor(now, kDay);
    while (polled && !*polled) polled = PollFor(now, kDay);
    if (!polled) return std::unexpected(polled.error());
    if (whole) return {};
  }
}

Result<bool> Live::PollFor(int64_t now, int64_t budget) {
  const int64_t until = MonotonicClock() + budget;
  Result<void> looked;
  if (!at_) {
    failed_.reset();
    looked = LookForFiles(now);
    OpenFiles(now);
    at_ = "";
  }
  if (!Follow(now, until)) return looked ? Result<bool>(false) : std::unexpected(looked.error());
  at_.reset();
  CloseIdle();
  if (!looked) return std::unexpected(looked.error());
  if (failed_) return std::unexpected(*failed_);
  return !crowded_;
}

}  // namespace stepscope::goodput
