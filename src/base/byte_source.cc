// Reads files plainly, and inflates gzip as a stream with ISA-L.
#include "base/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/system_error.h"

namespace stepscope {
namespace {

constexpr size_t kDiskRead = size_t{128} << 10;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

void ReadFailure::Set(const Error& error, bool refused) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  refused_ = refused_ || refused;
}

std::optional<Error> ReadFailure::Get() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

bool ReadFailure::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

struct ByteSource::State {
  explicit State(File opened) : file(std::move(opened)) {}

  size_t ReadDisk(std::span<char> out);
  ssize_t ReadFile(std::span<char> out);
  size_t Inflate(std::span<char> out);
  size_t TakeHeld(std::span<char> out);
  bool RefillInput();
  void FinishMember();
  void CheckLimit();
  bool InMemory() const { return file.fd() < 0 && !stored; }
  ssize_t ReadStored(std::optional<size_t> got);

  File file;
  std::optional<StoredFile> stored;  // instead of a file
  ReadFailure* failure = nullptr;    // of `stored`, or of what inflates to too much
  InputLimit limit;
  uint64_t inflated = 0, compressed = 0;  // bytes so far
  std::string_view memory;                // instead of a file
  std::atomic<int64_t>* bytes_read = nullptr;
  bool is_part = false;
  uint64_t part_begin = 0, part_end = 0;  // of a part, and of what is stored: what is left of it
  InputEnd end = InputEnd::kOpen;
  bool disk_done = false;
  std::unique_ptr<inflate_state> inflater;  // null: the input is not compressed
  bool damaged = false;                     // which ends it once all in front of it was taken
  bool member_open = false;                 // inside a gzip member
  std::vector<char> input;                  // compressed bytes; plain input: those read to sniff
  size_t input_begin = 0;
  size_t input_end = 0;
  std::string ahead;       // read by Peek(), not yet by Read()
  std::string_view whole;  // the memory, all of it
  int64_t file_size = -1;  // of a plain file; -1: a pipe or the like
  uint64_t furthest = 0;   // up to where ReadAt() has counted bytes as read
};

// What `stored` got, as read(2) would.
ssize_t ByteSource::State::ReadStored(std::optional<size_t> got) {
  if (got) return static_cast<ssize_t>(*got);
  if (failure != nullptr) failure->Set(*stored->error());
  errno = EIO;
  return -1;
}

// As read(2).
ssize_t ByteSource::State::ReadFile(std::span<char> out) {
  if (stored) {
    const ssize_t got = ReadStored(stored->ReadOn(part_begin, part_end, out));
    if (got > 0) part_begin += static_cast<uint64_t>(got);
    return got;
  }
  if (!is_part) return read(file.fd(), out.data(), out.size());
  const size_t wanted = std::min<uint64_t>(out.size(), part_end - part_begin);
  const ssize_t got = pread(file.fd(), out.data(), wanted, static_cast<off_t>(part_begin));
  if (got > 0) part_begin += static_cast<uint64_t>(got);
  return got;
}

size_t ByteSource::State::ReadDisk(std::span<char> out) {
  size_t filled = 0;
  if (InMemory()) {
    filled = std::min(out.size(), memory.size());
    std::memcpy(out.data(), memory.data(), filled);
    memory.remove_prefix(filled);
  }
  while (!InMemory() && filled < out.size() && !disk_done) {
    const ssize_t got = ReadFile(out.subspan(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) end = InputEnd::kReadError;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  if (filled < out.size()) disk_done = true;
  if (bytes_read != nullptr) *bytes_read += static_cast<int64_t>(filled);
  return filled;
}

bool ByteSource::State::RefillInput() {
  input_begin = 0;
  input_end = ReadDisk(input);
  return input_end > 0;
}

// At the end of a gzip member: another one may follow, as in files joined with cat.
void ByteSource::State::FinishMember() {
  member_open = false;
  if (input_begin == input_end && !RefillInput()) {
    if (end == InputEnd::kOpen) end = InputEnd::kClean;
  } else if (static_cast<unsigned char>(input[input_begin]) == 0x1f) {
    isal_inflate_reset(inflater.get());
    inflater->crc_flag = ISAL_GZIP;
    member_open = true;
  } else {
    end = InputEnd::kTrailingBytes;
  }
}

// Ends the input where it inflates to too much.
void ByteSource::State::CheckLimit() {
  const bool too_long = inflated > limit.bytes;
  const bool too_dense = limit.most_ratio > 0 && inflated > limit.ratio_from &&
                         inflated / limit.most_ratio > compressed;
  if (!too_long && !too_dense) return;
  end = InputEnd::kReadError;
  if (failure == nullptr) return;
  constexpr double kGB = 1e9;
  const auto gigabytes = [](uint64_t bytes) {
    return fmt::format("{:g} GB", static_cast<double>(bytes) / kGB);
  };
  const std::string what =
      too_long ? fmt::format("the file inflates to more than {}", gigabytes(limit.bytes))
               : fmt::format("the file inflates to {} times its size and more than {}",
                             limit.most_ratio, gigabytes(limit.ratio_from));
  failure->Set({what, "", "if that is right, allow more bytes with `max_input`"},
               /*refused=*/true);
}

size_t ByteSource::State::Inflate(std::span<char> out) {
  inflate_state& z = *inflater;
  size_t filled = 0;
  while (filled < out.size() && end == InputEnd::kOpen && !damaged) {
    if (input_begin == input_end && !RefillInput()) {
      // The inflater may hold output back, so it is asked once more without input below.
      if (end == InputEnd::kReadError) break;
    }
    const size_t room = std::min<size_t>(out.size() - filled, UINT32_MAX);
    z.next_in = reinterpret_cast<uint8_t*>(input.data() + input_begin);
    z.avail_in = static_cast<uint32_t>(input_end - input_begin);
    z.next_out = reinterpret_cast<uint8_t*>(out.data() + filled);
    z.avail_out = static_cast<uint32_t>(room);
    const int error = isal_inflate(&z);
    const size_t made = room - z.avail_out;
    filled += made;
    const size_t rest = input_end - z.avail_in;
    compressed += rest - input_begin;
    inflated += made;
    input_begin = rest;
    if (error < 0) {
      damaged = true;
    } else if (z.block_state == ISAL_BLOCK_FINISH) {
      FinishMember();
    } else if (disk_done && input_begin == input_end && made == 0) {
      end = InputEnd::kTruncated;
    }
    if (end == InputEnd::kOpen) CheckLimit();
  }
  return damaged && end == InputEnd::kOpen ? filled + TakeHeld(out.subspan(filled)) : filled;
}

// What the inflater had made in front of the damage, and had no room for.
size_t ByteSource::State::TakeHeld(std::span<char> out) {
  inflate_state& z = *inflater;
  const auto held = static_cast<size_t>(std::max(z.tmp_out_valid - z.tmp_out_processed, 0));
  const size_t taken = std::min(out.size(), held);
  std::memcpy(out.data(), z.tmp_out_buffer + z.tmp_out_processed, taken);
  z.tmp_out_processed += static_cast<int32_t>(taken);
  inflated += taken;
  if (taken == held) end = InputEnd::kCorrupt;
  return taken;
}

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {
  State& s = *state_;
  // Of bytes in memory one more than there are, so that their end is met as that of a file is.
  s.input.resize(s.InMemory() ? std::min(kDiskRead, s.memory.size() + 1) : kDiskRead);
  if (s.is_part) return;
  s.RefillInput();
  const bool gzip = s.input_end >= 2 && static_cast<unsigned char>(s.input[0]) == 0x1f &&
                    static_cast<unsigned char>(s.input[1]) == 0x8b;
  if (gzip) {
    s.inflater = std::make_unique<inflate_state>();
    isal_inflate_init(s.inflater.get());
    s.inflater->crc_flag = ISAL_GZIP;
    s.member_open = true;
  }
}

ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::Open(const std::string& path, std::atomic<int64_t>* bytes_read) {
  const auto fail = [&](int error) {
    return std::unexpected(SystemError("cannot read the file", error, path));
  };
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return fail(errno);
  struct stat status{};
  if (fstat(file.fd(), &status) != 0) return fail(errno);
  if (S_ISDIR(status.st_mode)) return fail(EISDIR);
  auto state = std::make_unique<State>(std::move(file));
  state->bytes_read = bytes_read;
  if (S_ISREG(status.st_mode)) state->file_size = status.st_size;
  return ByteSource(std::move(state));
}

Result<ByteSource> ByteSource::OpenStored(StoredFile file, std::atomic<int64_t>* bytes_read,
                                          ReadFailure* failure) {
  auto state = std::make_unique<State>(File(-1));
  if (file.item().any_order) state->file_size = file.item().bytes;
  state->stored = std::move(file);
  state->bytes_read = bytes_read;
  state->failure = failure;
  state->part_end = UINT64_MAX;
  ByteSource source(std::move(state));
  if (const auto& error = source.state_->stored->error()) return std::unexpected(*error);
  return source;
}

ByteSource ByteSource::FromMemory(std::string_view bytes) {
  auto state = std::make_unique<State>(File(-1));
  state->memory = bytes;
  state->whole = bytes;
  return ByteSource(std::move(state));
}

void ByteSource::LimitInflated(const InputLimit& limit, ReadFailure* failure) {
  state_->limit = limit;
  if (failure != nullptr) state_->failure = failure;
}

size_t ByteSource::Read(std::span<char> out) {
  State& s = *state_;
  if (!s.ahead.empty()) {
    const size_t taken = std::min(out.size(), s.ahead.size());
    std::memcpy(out.data(), s.ahead.data(), taken);
    s.ahead.erase(0, taken);
    return taken == out.size() ? taken : taken + Read(out.subspan(taken));
  }
  if (s.inflater) return s.Inflate(out);
  const size_t sniffed = std::min(out.size(), s.input_end - s.input_begin);
  std::memcpy(out.data(), s.input.data() + s.input_begin, sniffed);
  s.input_begin += sniffed;
  const size_t filled = sniffed + s.ReadDisk(out.subspan(sniffed));
  if (filled < out.size() && s.end == InputEnd::kOpen) s.end = InputEnd::kClean;
  return filled;
}

InputEnd ByteSource::end() const { return state_->end; }

std::string_view ByteSource::Peek(size_t count) {
  std::string bytes(std::max(count, state_->ahead.size()), '\0');
  bytes.resize(Read(bytes));
  state_->ahead = std::move(bytes);
  return std::string_view(state_->ahead).substr(0, count);
}

bool ByteSource::CanSeek() const {
  const State& s = *state_;
  return !s.inflater && (s.InMemory() || s.file_size >= 0);
}

uint64_t ByteSource::size() const {
  const State& s = *state_;
  return s.InMemory() ? s.whole.size() : static_cast<uint64_t>(s.file_size);
}

size_t ByteSource::ReadAt(uint64_t offset, std::span<char> out) {
  State& s = *state_;
  if (offset >= size()) return 0;
  size_t filled = 0;
  if (s.InMemory()) {
    filled = std::min<size_t>(out.size(), s.whole.size() - offset);
    std::memcpy(out.data(), s.whole.data() + offset, filled);
  }
  if (s.stored) {
    const ssize_t got = s.ReadStored(s.stored->ReadAt(offset, out));
    if (got > 0) filled = static_cast<size_t>(got);
  }
  while (s.file.fd() >= 0 && filled < out.size()) {
    const ssize_t got = pread(s.file.fd(), out.data() + filled, out.size() - filled,
                              static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  const uint64_t end = offset + filled;
  if (s.bytes_read != nullptr && end > s.furthest)
    *s.bytes_read += static_cast<int64_t>(end - s.furthest);
  s.furthest = std::max(s.furthest, end);
  return filled;
}

Result<ByteSource> ByteSource::Part(uint64_t from, uint64_t to) const {
  const bool is_file = state_->file.fd() >= 0;
  File file(is_file ? fcntl(state_->file.fd(), F_DUPFD_CLOEXEC, 0) : -1);
  if (is_file && file.fd() < 0) {
    return std::unexpected(SystemError("cannot read the file", errno, ""));
  }
  auto state = std::make_unique<State>(std::move(file));
  state->stored = state_->stored;  // what it has is not asked for again
  state->failure = state_->failure;
  if (state->InMemory()) state->memory = state_->whole.substr(from, to - from);
  state->bytes_read = state_->bytes_read;
  state->is_part = true;
  state->part_begin = from;
  state->part_end = to;
  return ByteSource(std::move(state));
}

void ByteSource::Skip(uint64_t bytes) {
  State& s = *state_;
  if (s.InMemory())
    s.memory.remove_prefix(std::min<uint64_t>(bytes, s.memory.size()));
  else
    s.part_begin += std::min(bytes, s.part_end - s.part_begin);
}

bool ByteSource::compressed() const { return state_->inflater != nullptr; }

std::string ReadUpTo(ByteSource& source, size_t most) {
  constexpr size_t kLeast = size_t{16} << 10;
  std::string text;
  while (text.size() < most) {
    const size_t filled = text.size();
    text.resize(std::min(most, std::max(2 * filled, kLeast)));
    const size_t room = text.size() - filled;
    const size_t got = source.Read({text.data() + filled, room});
    text.resize(filled + got);
    if (got < room) break;
  }
  return text;
}

}  // namespace stepscope
