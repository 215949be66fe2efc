// Lets SQLite read a database from any input: a file, what was gzip, a storage.
//
// Nothing is ever written, locked or looked for beside the input: no journal, no write-ahead log.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "ingest/common/seekable_bytes.h"

namespace stepscope {

class SeekableVfs {
 public:
  // Registers itself under name(), until destroyed: connections must be closed before.
  explicit SeekableVfs(SeekableBytes bytes);
  ~SeekableVfs();
  SeekableVfs(const SeekableVfs&) = delete;
  SeekableVfs& operator=(const SeekableVfs&) = delete;

  const std::string& name() const { return name_; }
  // Bytes there are, which may be fewer than the header of the database tells.
  uint64_t size() const { return bytes_.size(); }
  // Whether they are fewer, or compressed data ended early.
  bool truncated() const;
  InputEnd end() const { return bytes_.end(); }
  // Throws what reading threw meanwhile, such as Stopped; SQLite must not see exceptions.
  void Rethrow();

 private:
  struct File;  // what SQLite holds of an open file
  static const sqlite3_io_methods kMethods;
  static SeekableVfs& Of(sqlite3_file* file);
  int Read(char* out, int size, int64_t offset);
  int64_t SizeByHeader() const { return size_by_header_; }

  SeekableBytes bytes_;
  int64_t size_by_header_ = 0;
  std::string name_;
  std::exception_ptr thrown_;
  sqlite3_vfs vfs_{};
};

}  // namespace stepscope
