// Implements the few functions that SQLite needs of an immutable file.
#include "ingest/sqlite/seekable_vfs.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kHeader = 100;
constexpr int kLongestPath = 64;
// Of the header: which versions of the journal's format may write and read. 2 is the write-ahead
// log, for which SQLite would look for another file.
constexpr int64_t kVersions = 18;
constexpr int64_t kVersionsEnd = 20;

uint32_t BigEndian(const unsigned char* at, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value = value << 8 | at[i];
  return value;
}

int Nothing(sqlite3_file*, int) { return SQLITE_OK; }

}  // namespace

struct SeekableVfs::File {
  sqlite3_file base;
  SeekableVfs* vfs;
};

SeekableVfs& SeekableVfs::Of(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->vfs; }

const sqlite3_io_methods SeekableVfs::kMethods = {
    .iVersion = 1,
    .xClose = [](sqlite3_file*) { return SQLITE_OK; },
    .xRead =
        [](sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
          return Of(file).Read(static_cast<char*>(out), size, offset);
        },
    .xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; },
    .xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; },
    .xSync = Nothing,
    .xFileSize =
        [](sqlite3_file* file, sqlite3_int64* size) {
          *size = std::max(static_cast<int64_t>(Of(file).size()), Of(file).SizeByHeader());
          return SQLITE_OK;
        },
    .xLock = Nothing,
    .xUnlock = Nothing,
    .xCheckReservedLock =
        [](sqlite3_file*, int* reserved) {
          *reserved = 0;
          return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; },
};

SeekableVfs::SeekableVfs(SeekableBytes bytes) : bytes_(std::move(bytes)) {
  static std::atomic<uint64_t> count = 0;
  name_ = "stepscope-" + std::to_string(++count);
  unsigned char header[kHeader] = {};
  bytes_.ReadAt(0, std::span(reinterpret_cast<char*>(header), kHeader));
  const uint32_t page = BigEndian(header + 16, 2);
  size_by_header_ = int64_t{page == 1 ? 65536 : page} * BigEndian(header + 28, 4);
  vfs_ = {.iVersion = 1, .szOsFile = sizeof(File), .mxPathname = kLongestPath};
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = [](sqlite3_vfs* vfs, const char*, sqlite3_file* file, int flags, int* out) {
    file->pMethods = nullptr;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
    reinterpret_cast<File*>(file)->vfs = static_cast<SeekableVfs*>(vfs->pAppData);
    file->pMethods = &kMethods;
    if (out != nullptr) *out = flags;
    return SQLITE_OK;
  };
  vfs_.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
  vfs_.xAccess = [](sqlite3_vfs*, const char*, int, int* is_there) {
    *is_there = 0;
    return SQLITE_OK;
  };
  vfs_.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", path);
    return SQLITE_OK;
  };
  vfs_.xRandomness = [](sqlite3_vfs*, int size, char* out) {
    std::memset(out, 0, static_cast<size_t>(size));
    return size;
  };
  vfs_.xSleep = [](sqlite3_vfs*, int) { return 0; };
  vfs_.xCurrentTime = [](sqlite3_vfs*, double* now) {
    *now = 0;
    return SQLITE_OK;
  };
  vfs_.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
  sqlite3_vfs_register(&vfs_, 0);
}

SeekableVfs::~SeekableVfs() { sqlite3_vfs_unregister(&vfs_); }

bool SeekableVfs::truncated() const {
  return static_cast<int64_t>(bytes_.size()) < size_by_header_ || bytes_.end() != InputEnd::kClean;
}

// What is missing reads as zeros, which no page consists of.
int SeekableVfs::Read(char* out, int size, int64_t offset) {
  const std::span<char> wanted(out, static_cast<size_t>(size));
  try {
    const size_t got = bytes_.ReadAt(static_cast<uint64_t>(offset), wanted);
    std::ranges::fill(wanted.subspan(got), '\0');
    for (int64_t at = std::max(kVersions, offset); at < std::min(kVersionsEnd, offset + size); ++at)
      out[at - offset] = '\1';
    return got == wanted.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  } catch (...) {
    thrown_ = std::current_exception();
    return SQLITE_IOERR;
  }
}

void SeekableVfs::Rethrow() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace stepscope
