// Writes files that appear under their name only when they are complete and on disk.
//
// Files that grow in place have readers that accept a truncated end: AppendToFile().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/gzip.h"
#include "base/sharing.h"
#include "stepscope/result.h"

namespace stepscope {

inline constexpr std::string_view kPartialSuffix = ".partial";

// Replaces the file at `path`: bytes go to a temporary file in the same directory, which is synced
// and then renamed. A link stays a link, and a file that is replaced passes on its mode. What is
// not an ordinary file (/dev/stdout wherever it leads, /dev/null, a pipe) is written to directly.
// On failure a file that was there before is untouched.
//
// The order of use: Create, Append as often as needed, Finish, Commit.
class FileWriter {
 public:
  enum class Temporary : uint8_t {
    kUnnamed,  // held open: nothing is left of it when the process is killed
    kNamed,    // `path` + kPartialSuffix; holds no descriptor between calls, so thousands are cheap
  };

  // With `gzip` the file is one gzip member, compressed by it; it must outlive the writer and may
  // serve several, one call at a time.
  explicit FileWriter(std::string path, GzipCompressor* gzip = nullptr,
                      Temporary temporary = Temporary::kUnnamed);
  // The same, of a file that only its owner, or its group too, may read unless it exists.
  FileWriter(std::string path, Sharing sharing) : FileWriter(std::move(path)) {
    sharing_ = sharing;
  }
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();  // removes what was not committed

  // Begins an empty file; an old temporary file of the same name is overwritten.
  Result<void> Create();
  Result<void> Append(std::string_view bytes);
  // Ends the file and syncs it.
  Result<void> Finish();
  // The two apart, where others sync many files at once. REQUIRES: Temporary::kUnnamed.
  Result<void> FinishUnsynced();
  Result<void> Sync();
  // Gives the file its name; SyncFolder() then makes the name survive a crash.
  Result<void> Commit();
  // Commits, and syncs the directory where its file system can.
  Result<void> CommitAndSync();

  const std::string& path() const { return path_; }
  int64_t raw_bytes() const { return raw_bytes_; }

 private:
  Result<void> Failed(int error) const;
  Result<void> OpenTemporary();
  bool GiveName();
  Result<void> Write(std::string_view bytes, bool sync = false);

  std::string path_;
  GzipCompressor* gzip_;
  bool named_;
  std::optional<Sharing> sharing_;  // nothing: as the umask says
  bool in_place_ = false;           // there is no temporary file: the bytes went to `path_`
  GzipMember member_;
  int64_t raw_bytes_ = 0;
  std::string target_;     // `path_`, links followed
  std::string temporary_;  // the name to remove or rename; empty: there is none
  int fd_ = -1;
};

// Writes the whole file at once and syncs its directory.
Result<void> WriteFile(const std::string& path, std::string_view bytes);

// Appends to a file that grows in place, and is created if missing. After a failure it may end with
// a part of the bytes. Not synced. A new file is for those that `sharing` says; without it, as the
// umask says.
Result<void> AppendToFile(const std::string& path, std::string_view bytes,
                          std::optional<Sharing> sharing = {});

}  // namespace stepscope
