// Creates, fills and closes the file of a segment.
#include "goodput/recorder/segment_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

namespace stepscope::goodput {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPrepareBytes = size_t{256} << 10;

#ifndef MADV_POPULATE_WRITE
constexpr int MADV_POPULATE_WRITE = 23;  // Linux 5.14; older kernels refuse, which is harmless
#endif

// Allocates the blocks of a new file. Returns an errno, 0 on success.
int TakeBlocks(int file, size_t bytes) {
  // Exceeding this limit raises a signal that ends the process.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) return EFBIG;
  int failed = EINTR;
  while (failed == EINTR) failed = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  return failed;
}

// Returns an error number, 0 when all was written.
int WriteHeader(int file, const SegmentHeader& header) {
  char bytes[kSlotsBegin];
  EncodeHeader(header, bytes);
  PutMark({}, header.salt, bytes);  // says that it has all its room from now on
  for (size_t done = 0; done < sizeof bytes;) {
    const ssize_t written =
        pwrite(file, bytes + done, sizeof bytes - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    done += static_cast<size_t>(written);
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<SegmentFile>> SegmentFile::Create(const std::string& path,
                                                         const SegmentHeader& header,
                                                         Sharing sharing) {
  const auto error = [&](int number) {
    return std::unexpected(Error{"cannot create a segment: " + std::string(std::strerror(number)),
                                 path, number == ENOSPC ? "free space on this disk" : ""});
  };
  const int file = OpenCreating(path, O_RDWR | O_EXCL, sharing);
  if (file < 0) return error(errno);
  const size_t bytes = kSlotsBegin + header.slots * kSlotBytes;
  int failed = TakeBlocks(file, bytes);
  if (failed == 0) failed = WriteHeader(file, header);
  void* mapped = MAP_FAILED;
  if (failed == 0) {
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) failed = errno;
  }
  if (failed != 0) {
    close(file);
    unlink(path.c_str());
    return error(failed);
  }
  madvise(mapped, bytes, MADV_DONTFORK);  // a child must not write into its parent's segment
  return std::unique_ptr<SegmentFile>(
      new SegmentFile(path, file, static_cast<char*>(mapped), header));
}

SegmentFile::SegmentFile(std::string path, int file, char* mapped, const SegmentHeader& header)
    : path_(std::move(path)),
      file_(file),
      mapped_(mapped),
      mapped_bytes_(kSlotsBegin + header.slots * kSlotBytes),
      salt_(header.salt),
      job_(header.job),
      capacity_(header.slots),
      contents_{.writer = header.writer} {
  Prepare();
}

SegmentFile::~SegmentFile() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
  if (file_ >= 0) close(file_);
}

SegmentFile::Written SegmentFile::Write(Record& record, size_t slots,
                                        std::atomic<int64_t>& sequence) {
  const uint64_t first = given_.fetch_add(slots, std::memory_order_acq_rel);
  if (first + slots > capacity_) {
    if (first >= capacity_) return Written::kFull;
    done_.fetch_add(capacity_ - first, std::memory_order_release);
    return Written::kLast;
  }
  record.sequence = sequence.fetch_add(1, std::memory_order_relaxed);
  EncodeRecord(record, slots, salt_, first, mapped_ + kSlotsBegin + first * kSlotBytes);
  done_.fetch_add(slots, std::memory_order_release);
  const uint64_t half = capacity_ / 2;
  return first < half && first + slots >= half ? Written::kHalf : Written::kYes;
}

size_t SegmentFile::Used() const {
  return std::min<size_t>(given_.load(std::memory_order_acquire), capacity_);
}

void SegmentFile::Prepare() {
  if (mapped_ == nullptr) return;
  const size_t from = (kSlotsBegin + Used() * kSlotBytes) / kPage * kPage;
  if (from >= mapped_bytes_) return;
  madvise(mapped_ + from, std::min(kPrepareBytes, mapped_bytes_ - from), MADV_POPULATE_WRITE);
}

// Leading slots of which none is still being stored; 0 where that is not known now.
size_t SegmentFile::Complete() const {
  const uint64_t done = done_.load(std::memory_order_acquire);
  const uint64_t given = given_.load(std::memory_order_acquire);
  return done == given && given <= capacity_ ? done : 0;
}

void SegmentFile::Mark(const SegmentMark& mark) {
  EncodeMark(mark, salt_, mapped_ + next_copy_ * kHeaderBytes + kMarkAt);
  next_copy_ = 1 - next_copy_;
}

bool SegmentFile::Sync() {
  if (file_ < 0) return true;
  if (marked_ < durable_ && !closing_) {
    Mark({.slots = durable_});
    marked_ = durable_;
  }
  const size_t used = Used(), complete = Complete();
  if (used == synced_ && complete <= durable_) return true;
  if (fdatasync(file_) != 0) return false;
  synced_ = used;
  durable_ = std::max(durable_, complete);
  return true;
}

// The record says only what a sync before it has put on disk, and is on disk before the cut.
void SegmentFile::WriteClosingRecord(size_t used) {
  if (closing_ || removed_ || fdatasync(file_) != 0) return;
  const char* const slots = mapped_ + kSlotsBegin;
  constexpr char kZeros[kSlotBytes] = {};
  while (used > 0 && std::memcmp(slots + (used - 1) * kSlotBytes, kZeros, kSlotBytes) == 0) --used;
  if (used == 0) return;
  const SegmentMark closing = ClosingMark({slots, used * kSlotBytes});
  Mark(closing);
  Mark(closing);
  if (fdatasync(file_) != 0) return;
  closing_ = closing;
  std::tie(contents_.from, contents_.until) = NumbersOf({slots, used * kSlotBytes});
}

void SegmentFile::Close() {
  if (file_ < 0) return;
  const uint64_t used =
      std::min<uint64_t>(given_.fetch_add(capacity_, std::memory_order_acq_rel), capacity_);
  done_.fetch_add(capacity_ - used, std::memory_order_release);
  if (used == 0 && !told_made_) {
    unlink(path_.c_str());
    removed_ = true;
    return;
  }
  // Without a record, as when a thread is still storing, a cut file would look damaged.
  if (done_.load(std::memory_order_acquire) >= capacity_) WriteClosingRecord(used);
  if (!closing_) {
    Sync();
    return;
  }
  // A failed cut loses nothing: the rest is empty.
  if (used < capacity_ &&
      ftruncate(file_, static_cast<off_t>(kSlotsBegin + used * kSlotBytes)) != 0) {
    errno = 0;
  }
}

bool SegmentFile::Release() {
  if (mapped_ == nullptr) return true;
  if (done_.load(std::memory_order_acquire) < capacity_) return false;
  WriteClosingRecord(capacity_);
  munmap(mapped_, mapped_bytes_);
  close(file_);
  mapped_ = nullptr;
  file_ = -1;
  return true;
}

ManifestEntry SegmentFile::Made(int64_t first) {
  told_made_ = true;
  ManifestEntry entry = EntryOf(SegmentMark(), path_.substr(path_.rfind('/') + 1), salt_, job_);
  entry.contents = {.writer = contents_.writer, .from = first, .until = first + 1};
  return entry;
}

std::optional<ManifestEntry> SegmentFile::News() {
  const bool is_new = closing_ ? !told_closed_ : durable_ > 0 && !told_open_;
  if (!is_new) return std::nullopt;
  const SegmentMark mark = closing_.value_or(SegmentMark{.slots = durable_});
  ManifestEntry entry = EntryOf(mark, path_.substr(path_.rfind('/') + 1), salt_, job_);
  if (!closing_) {
    std::tie(contents_.from, contents_.until) =
        NumbersOf({mapped_ + kSlotsBegin, durable_ * kSlotBytes});
  }
  entry.contents = contents_;
  (closing_ ? told_closed_ : told_open_) = true;
  return entry;
}

}  // namespace stepscope::goodput
