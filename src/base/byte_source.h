// Reads the raw bytes of an input file and inflates them when they are gzip.
//
// Gzip is told by its first bytes, not by the file's name. Checksums are verified: traces cut short
// by a full disk or a killed job are common, and their whole part is still worth reading.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/stored_file.h"
#include "stepscope/result.h"

namespace stepscope {

// How the bytes of an input came to their end.
enum class InputEnd : uint8_t {
  kOpen,           // not there yet
  kClean,          // where the file says it ends
  kTruncated,      // compressed data stops in the middle
  kCorrupt,        // compressed data is damaged, or its checksum is wrong
  kTrailingBytes,  // clean, followed by bytes that belong to nothing
  kReadError,      // the system could not read on
};

// Why a file could not be read to its end.
struct ReadFailure {
  // Of several parts that fail the first counts. `refused`: what was read before is not to be used.
  void Set(const Error& error, bool refused = false);
  std::optional<Error> Get() const;
  bool refused() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
  bool refused_ = false;
};

// How much a compressed input may inflate to: small files that become huge are attacks or damage,
// and would run for minutes.
struct InputLimit {
  uint64_t bytes = uint64_t{64'000'000'000};
  // Bytes for each compressed one, once there are more than `ratio_from`; traces have 10 to 50.
  // 0: any.
  uint64_t most_ratio = 1000;
  uint64_t ratio_from = uint64_t{1'000'000'000};
};

// The limit that somebody set; 0: nobody did.
inline InputLimit LimitOf(int64_t max_input) {
  if (max_input <= 0) return {};
  return {.bytes = static_cast<uint64_t>(max_input), .most_ratio = 0};
}

class ByteSource {
 public:
  // Opens a file. `bytes_read`, if given, is kept up to date with the bytes taken from disk and
  // must outlive the source. Fails when the file cannot be opened or is a folder.
  static Result<ByteSource> Open(const std::string& path,
                                 std::atomic<int64_t>* bytes_read = nullptr);

  // The same of a file in a storage. What goes wrong later is told to `failure`, if given, which
  // must outlive the source and its parts. What stops the caller stops reading, which then ends
  // early.
  static Result<ByteSource> OpenStored(StoredFile file, std::atomic<int64_t>* bytes_read = nullptr,
                                       ReadFailure* failure = nullptr);

  // Bytes already in memory, which must outlive the source.
  static ByteSource FromMemory(std::string_view bytes);

  // Ends what inflates to more with InputEnd::kReadError, and says so to `failure`, if given, which
  // must outlive the source. Without this call the limit is InputLimit{}.
  void LimitInflated(const InputLimit& limit, ReadFailure* failure);

  // Fills `out` from its front and returns how many bytes that were; fewer than out.size() only
  // when the end is reached, which end() then explains.
  size_t Read(std::span<char> out);

  InputEnd end() const;

  // The first `count` bytes of what Read() would give, fewer at the end; they are not taken.
  // REQUIRES: nothing was read yet.
  std::string_view Peek(size_t count);

  // What is neither compressed nor a pipe can also be read at any place; Read() is not disturbed.
  bool CanSeek() const;
  // REQUIRES: CanSeek().
  uint64_t size() const;
  // Fills `out` from `offset` on; fewer bytes at the end, or where the system cannot read on.
  size_t ReadAt(uint64_t offset, std::span<char> out);

  // The bytes [from, to) alone, as they are, as a source of its own that counts what it reads with
  // this one. Of memory and of files only; another thread may read it. Fails when the system has no
  // more descriptors. REQUIRES: CanSeek().
  Result<ByteSource> Part(uint64_t from, uint64_t to) const;

  // Goes on `bytes` further, or at the end. REQUIRES: this is a Part().
  void Skip(uint64_t bytes);

  // Whether reading is work: the input is gzip.
  bool compressed() const;

  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

 private:
  struct State;
  explicit ByteSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What is left, `most` bytes of it at most, in memory for little more than it is.
std::string ReadUpTo(ByteSource& source, size_t most);

}  // namespace stepscope
