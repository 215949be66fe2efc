// Writes many small files that are synced together: each fsync of a small file costs a commit of
// the file system's journal.
//
// A file has its name only after its bytes are on disk, as with FileWriter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_writer.h"
#include "base/sharing.h"
#include "stepscope/result.h"

namespace stepscope {

class FileBatch {
 public:
  // Files go into `folder`, which must exist before the first one, and into directories below it.
  FileBatch(std::string folder, Sharing sharing) : folder_(std::move(folder)), sharing_(sharing) {}
  ~FileBatch();  // removes what was not committed
  FileBatch(const FileBatch&) = delete;
  FileBatch& operator=(const FileBatch&) = delete;

  // Writes a file that replaces the one at `path`, and commits once enough files are held.
  Result<void> Add(const std::string& path, std::string_view bytes);

  // Syncs the held files and gives them their names. The names survive a crash once their directory
  // is synced (SyncFolder). After a failure some of them may have their names; none is held.
  Result<void> Commit();

 private:
  Result<void> Hold(const std::string& path, std::string_view bytes);
  Result<void> SyncAll();

  std::string folder_;
  Sharing sharing_;
  int folder_file_ = -1;  // opened before the first write, so that its sync tells of each error
  std::vector<FileWriter> files_;
  size_t bytes_ = 0;
  bool in_folder_ = true;  // all of them, so that one syncfs concerns all
};

}  // namespace stepscope
