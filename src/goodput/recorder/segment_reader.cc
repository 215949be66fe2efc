// Reads the slots of a segment in windows; events that cross a boundary start the next window.
#include "goodput/recorder/segment_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/read_at.h"
#include "base/system_error.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kWindowSlots = 2048;  // 64 KB
static_assert(kMaxSlots < kWindowSlots);

// Enough for all threads of a process storing at once; more means damage.
constexpr size_t kMaxDoubtful = 4096;

bool AllZero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

// A file that stays open while readers use it.
class File {
 public:
  File(int file, std::string path) : file_(file), path_(std::move(path)) {}
  File(File&& other) noexcept
      : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (file_ >= 0) close(file_);
  }

  Result<size_t> operator()(char* out, size_t size, uint64_t offset) const {
    const auto got = ReadAt(file_, {out, size}, static_cast<int64_t>(offset));
    if (!got) return std::unexpected(SystemError("cannot read the segment", errno, path_));
    return *got;
  }

 private:
  int file_;
  std::string path_;
};

}  // namespace

std::expected<SegmentReader::Source, SegmentError> OpenSegmentFile(const std::string& path) {
  // Without O_NONBLOCK a pipe of that name would wait for somebody who writes into it.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) return File(file, path);
  const int number = errno;
  const bool gone = number == ENOENT || number == ENOTDIR;
  return std::unexpected(
      SegmentError{SystemError("cannot open the segment", number, path),
                   gone ? SegmentError::Kind::kGone : SegmentError::Kind::kSystem});
}

std::expected<SegmentReader, SegmentError> SegmentReader::Open(const std::string& path) {
  auto file = OpenSegmentFile(path);
  if (!file) return std::unexpected(file.error());
  auto reader = Open(std::move(*file), path);
  if (reader) reader->path_ = path;
  return reader;
}

std::expected<SegmentReader, SegmentError> SegmentReader::Open(Source source,
                                                               const std::string& name) {
  std::string head(kSlotsBegin, '\0');
  const auto got = source(head.data(), head.size(), 0);
  if (!got) return std::unexpected(SegmentError{got.error(), SegmentError::Kind::kSystem});
  head.resize(*got);
  auto header = DecodeHeader(head);
  if (header) {
    const auto mark = DecodeMark(head, header->salt);
    return SegmentReader(std::move(source), std::move(*header), mark);
  }
  const bool never_written = AllZero(head);
  const char* const what =
      never_written ? "never written to" : "not a segment, or its header is damaged";
  return std::unexpected(SegmentError{
      {what, name, ""},
      never_written ? SegmentError::Kind::kNeverWritten : SegmentError::Kind::kDamaged});
}

SegmentReader::SegmentReader(Source source, SegmentHeader header, std::optional<SegmentMark> mark)
    : source_(std::move(source)), header_(std::move(header)), mark_(mark) {
  event_.job = header_.job;
  event_.attempt = header_.attempt;
  event_.writer = header_.writer;
}

size_t SegmentReader::Load(uint64_t first, size_t slots) {
  slots = first < header_.slots ? std::min<uint64_t>(slots, header_.slots - first) : 0;
  window_.resize(slots * kSlotBytes);
  window_first_ = first;
  return Read(window_.data(), window_.size(), kSlotsBegin + first * kSlotBytes) / kSlotBytes;
}

size_t SegmentReader::Read(char* out, size_t size, uint64_t offset) {
  auto got = source_(out, size, offset);
  if (got) return *got;
  failed_ = std::move(got.error());
  return 0;
}

bool SegmentReader::WindowIsEmpty(size_t slots) const {
  return AllZero(std::string_view(window_).substr(0, slots * kSlotBytes));
}

// Reads the event that begins at slot `at` of the window and fills `slots` slots. False:
// unreadable.
bool SegmentReader::Take(size_t at, size_t slots, Notes& note_counts, const EventSink& sink) {
  const std::string_view bytes =
      std::string_view(window_).substr(at * kSlotBytes, slots * kSlotBytes);
  bool text_cut = false;
  if (event_.attempt != header_.attempt) event_.attempt = header_.attempt;
  if (event_.writer != header_.writer) event_.writer = header_.writer;
  if (!DecodeRecord(bytes, header_.salt, window_first_ + at, event_, text_cut)) return false;
  ++taken_;
  filled_ += static_cast<int64_t>(slots);
  const auto first = static_cast<int64_t>(window_first_ + at),
             end = first + static_cast<int64_t>(slots);
  end_ = std::max(end_, end);
  const int64_t marked = mark_ ? static_cast<int64_t>(mark_->slots) : 0;
  synced_ += std::max<int64_t>(0, std::min(end, marked) - first);
  if (text_cut) note_counts.Add(NoteKind::kCutText);
  if (event_.kind == EventKind::kNone) {
    note_counts.Add(NoteKind::kUnknownKind);
  } else {
    sink(event_);
  }
  return true;
}

// Reads `slots` slots of the window and returns how many are done: all except those of an event
// that continues in the next window, and except empty ones at the end.
size_t SegmentReader::TakeWindow(size_t slots, bool last, Notes& note_counts,
                                 const EventSink& sink) {
  size_t at = 0, done = 0;
  while (at < slots) {
    const char* const slot = &window_[at * kSlotBytes];
    const SlotState state = CheckSlot(slot, header_.salt, window_first_ + at);
    size_t taken = 1;
    if (state == SlotState::kEvent) {
      taken = SlotsFrom(slot);
      if (at + taken > slots && !last) {
        done = at;
        break;
      }
      taken = std::min(taken, slots - at);
      const bool whole = taken == SlotsFrom(slot);
      if (!whole || !Take(at, taken, note_counts, sink)) doubtful_.push_back(window_first_ + at);
    } else if (state != SlotState::kMore) {
      doubtful_.push_back(window_first_ + at);
    }
    at += taken;
    if (state != SlotState::kEmpty) done = at;
  }
  // Empty slots at the end are those that will be written next.
  while (!doubtful_.empty() && doubtful_.back() >= window_first_ + done) doubtful_.pop_back();
  return done;
}

bool SegmentReader::ScanWindow(bool to_end, Notes& note_counts, const EventSink& sink) {
  failed_.reset();
  const size_t slots = Load(next_, kWindowSlots);
  if (slots == 0) return false;
  if (WindowIsEmpty(slots)) {
    next_ += to_end ? slots : 0;
    return to_end;
  }
  next_ += TakeWindow(slots, slots < kWindowSlots, note_counts, sink);
  if (doubtful_.size() > kMaxDoubtful) GiveUp(doubtful_.size() - kMaxDoubtful, note_counts);
  return true;
}

// Gives up the first `count` doubtful slots.
void SegmentReader::GiveUp(size_t count, Notes& note_counts) {
  const auto end = doubtful_.begin() + static_cast<ptrdiff_t>(count);
  for (auto first = doubtful_.begin(); first != end; ++first) {
    if (mark_ && *first < mark_->slots) ++lost_;
    if (Load(*first, 1) == 1 && !WindowIsEmpty(1)) note_counts.Add(NoteKind::kBadRecord);
  }
  doubtful_.erase(doubtful_.begin(), end);
}

// Reads doubtful slots that have become readable.
void SegmentReader::LookAgain(Notes& note_counts, const EventSink& sink) {
  std::erase_if(doubtful_, [&](uint64_t first) {
    const size_t slots = Load(first, kMaxSlots);
    if (slots == 0) return false;
    const SlotState state = CheckSlot(window_.data(), header_.salt, first);
    if (state != SlotState::kEvent) return state == SlotState::kMore;
    const size_t needed = SlotsFrom(window_.data());
    return needed <= slots && Take(0, needed, note_counts, sink);
  });
}

// Gives memory back, since there may be thousands of readers. Assigning an empty string would keep
// it.
void SegmentReader::Rest() {
  std::string().swap(window_);
  doubtful_.shrink_to_fit();
}

void SegmentReader::Follow(Notes& note_counts, const EventSink& sink) {
  LookAgain(note_counts, sink);
  while (ScanWindow(false, note_counts, sink)) {
  }
  Rest();
}

bool SegmentReader::FollowWindow(Notes& note_counts, const EventSink& sink) {
  if (ScanWindow(false, note_counts, sink)) return true;
  LookAgain(note_counts, sink);
  Rest();
  return false;
}

bool SegmentReader::WasClosed() {
  if (!path_.empty() && access(path_.c_str(), F_OK) != 0) return true;
  char last = 0;
  const auto got = source_(&last, 1, kSlotsBegin + header_.slots * kSlotBytes - 1);
  return got && *got == 0;
}

uint64_t SegmentReader::Position() const {
  const auto first = std::ranges::min_element(doubtful_);
  return first == doubtful_.end() ? next_ : std::min(next_, *first);
}

void SegmentReader::Finish(Notes& note_counts, const EventSink& sink) {
  LookAgain(note_counts, sink);
  while (FinishWindow(note_counts, sink)) {
  }
}

bool SegmentReader::FinishWindow(Notes& note_counts, const EventSink& sink) {
  if (ScanWindow(true, note_counts, sink)) return true;
  if (failed_) return false;
  GiveUp(doubtful_.size(), note_counts);
  CountLost(note_counts);
  return false;
}

// Once, at the end: what the mark says to be there and is not. A closing record knows the number of
// events; of an open segment only that its synced slots were full.
void SegmentReader::CountLost(Notes& note_counts) {
  if (!mark_ || !from_start_ || std::exchange(ended_, true)) return;
  if (mark_->closed && mark_->events >= 0) {
    lost_ = std::max<int64_t>(mark_->events - taken_, 0);
  } else if (synced_ < static_cast<int64_t>(mark_->slots)) {
    lost_ = std::max<int64_t>(lost_, 1);
  }
  if (lost_ > 0) note_counts.Add(NoteKind::kLostEvents, lost_);
}

// A file that was never written to does not count.
Result<void> ReadSegment(const std::string& path, Notes& note_counts, const EventSink& sink) {
  auto reader = SegmentReader::Open(path);
  if (reader) {
    reader->Finish(note_counts, sink);
    return reader->failed() ? std::unexpected(*reader->failed()) : Result<void>();
  }
  const SegmentError& error = reader.error();
  if (error.kind == SegmentError::Kind::kSystem) return std::unexpected(Error(error));
  if (error.kind != SegmentError::Kind::kNeverWritten) note_counts.Add(NoteKind::kBadSegment);
  return {};
}

Result<std::vector<std::string>> SegmentsIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == kSegmentSuffix) files.push_back(entry->path());
  }
  if (failed) {
    return std::unexpected(SystemError("cannot read the directory", failed.value(), folder));
  }
  std::ranges::sort(files);
  return files;
}

Result<void> ReadSegments(const std::string& path, Notes& note_counts, const EventSink& sink) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) {
    if (access(path.c_str(), R_OK) != 0) {
      return std::unexpected(SystemError("cannot read the segment", errno, path));
    }
    return ReadSegment(path, note_counts, sink);
  }
  const auto files = SegmentsIn(path);
  if (!files) return std::unexpected(files.error());
  for (const std::string& file : *files) {
    if (auto read = ReadSegment(file, note_counts, sink); !read) return read;
  }
  return {};
}

}  // namespace stepscope::goodput
