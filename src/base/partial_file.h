// A file that grows piece by piece beside its name and appears under it only when it is whole.
#pragma once

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

inline constexpr std::string_view kPartialSuffix = ".partial";

// Compresses pieces of a deflate stream, each by itself, so that one compressor serves many files.
class Deflater {
 public:
  Deflater() : level_buffer_(ISAL_DEF_LVL1_DEFAULT) {}

  // The compressed form of `text`, which ends on a whole byte and is not the end of the stream.
  // Valid until the next call.
  std::string_view Compress(std::string_view text);

 private:
  isal_zstream stream_ = {};
  std::vector<uint8_t> level_buffer_;
  std::vector<uint8_t> out_;
};

// Holds no descriptor and no compressor between calls: a thousand of them cost nothing.
class PartialFile {
 public:
  // `compress`: the file is one gzip member.
  PartialFile(std::string path, bool compress) : path_(std::move(path)), compress_(compress) {}

  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();  // removes what was not committed

  // Starts anew, over the leftovers of an earlier attempt.
  Result<void> Create();
  Result<void> Append(std::string_view text, Deflater& deflater);
  // Ends the file and syncs it to disk.
  Result<void> Finish();
  // Gives the file its name. The folder must be synced by the caller.
  Result<void> Commit();

  const std::string& path() const { return path_; }
  int64_t raw_bytes() const { return raw_bytes_; }

 private:
  std::string PartialPath() const { return path_ + std::string(kPartialSuffix); }
  Result<void> AppendBytes(std::string_view bytes, bool sync);

  std::string path_;
  bool compress_;
  bool exists_ = false;  // under its partial name
  uint32_t crc_ = 0;
  int64_t raw_bytes_ = 0;
};

}  // namespace stepscope
