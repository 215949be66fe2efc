// POSIX writes, gzip framing, and errors with the system's reason.
#include "base/partial_file.h"

#include <fcntl.h>
#include <isa-l/crc.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/write_all.h"

namespace stepscope {
namespace {

constexpr size_t kRoom = size_t{256} << 10;  // of output, at a time

// Of a gzip member without a name or time, made by a fast compressor on Unix.
constexpr std::string_view kGzipHeader{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\x03", 10};
// An empty last block: ends the deflate stream.
constexpr std::string_view kLastBlock{"\x03\x00", 2};

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<Error> Failed(std::string what, const std::string& where) {
  const int reason = errno;
  std::string hint = std::string("the system says: ") + std::strerror(reason);
  if (reason == ENOSPC) hint += "; free some space, or write less";
  return std::unexpected(Error{.what = std::move(what), .where = where, .hint = std::move(hint)});
}

void PutLittleEndian(uint32_t value, std::string& out) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}

}  // namespace

std::string_view Deflater::Compress(std::string_view text) {
  isal_deflate_init(&stream_);
  stream_.level = 1;
  stream_.level_buf = level_buffer_.data();
  stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
  stream_.gzip_flag = IGZIP_DEFLATE;
  size_t used = 0;
  while (!text.empty()) {
    // The library counts in 32 bits.
    const std::string_view piece = text.substr(0, size_t{1} << 30);
    text.remove_prefix(piece.size());
    // ISA-L reads its input only, but asks for a pointer to mutable bytes.
    stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uint32_t>(piece.size());
    stream_.flush = FULL_FLUSH;
    do {
      if (out_.size() < used + kRoom) out_.resize(used + 2 * kRoom);
      const size_t room = out_.size() - used;
      stream_.next_out = out_.data() + used;
      stream_.avail_out = static_cast<uint32_t>(room);
      isal_deflate(&stream_);
      used += room - stream_.avail_out;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
  }
  return {reinterpret_cast<const char*>(out_.data()), used};
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::move(other.path_)),
      compress_(other.compress_),
      exists_(std::exchange(other.exists_, false)),
      crc_(other.crc_),
      raw_bytes_(other.raw_bytes_) {}

PartialFile::~PartialFile() {
  if (exists_) unlink(PartialPath().c_str());
}

Result<void> PartialFile::Create() {
  const Descriptor file(PartialPath(), O_WRONLY | O_CREAT | O_TRUNC);
  if (file.get() < 0) return Failed("cannot create a file", PartialPath());
  exists_ = true;
  if (compress_ && !WriteAll(file.get(), kGzipHeader)) {
    return Failed("cannot write a file", PartialPath());
  }
  return {};
}

Result<void> PartialFile::Append(std::string_view text, Deflater& deflater) {
  raw_bytes_ += static_cast<int64_t>(text.size());
  if (!compress_) return AppendBytes(text, false);
  crc_ = crc32_gzip_refl(crc_, reinterpret_cast<const uint8_t*>(text.data()), text.size());
  return AppendBytes(deflater.Compress(text), false);
}

Result<void> PartialFile::Finish() {
  std::string trailer;
  if (compress_) {
    trailer = kLastBlock;
    PutLittleEndian(crc_, trailer);
    PutLittleEndian(static_cast<uint32_t>(raw_bytes_), trailer);
  }
  return AppendBytes(trailer, true);
}

Result<void> PartialFile::AppendBytes(std::string_view bytes, bool sync) {
  const Descriptor file(PartialPath(), O_WRONLY | O_APPEND);
  if (file.get() < 0 || !WriteAll(file.get(), bytes) || (sync && fsync(file.get()) != 0)) {
    return Failed("cannot write a file", PartialPath());
  }
  return {};
}

Result<void> PartialFile::Commit() {
  if (rename(PartialPath().c_str(), path_.c_str()) != 0) {
    return Failed("cannot give a file its name", path_);
  }
  exists_ = false;
  return {};
}

}  // namespace stepscope
