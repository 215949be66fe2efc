// Finds, lists and opens what paths lead to: in the file system, or in a storage that holds them.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

// What needs a storage waits for it: Stopped is thrown when the caller is to stop.
class Places {
 public:
  explicit Places(StorageRef storage = nullptr, const InputLimit& limit = {})
      : storage_(std::move(storage)), limit_(limit) {}

  // Whether the path is one of the storage.
  bool Stored(const std::string& path) const { return storage_ && storage_->holds(path); }

  // What there is; kNone where there is nothing. Pipes and the like are files.
  Result<StoredItem> Find(const std::string& path) const;

  // What is in a folder, without sizes and times; kNone is neither a plain file nor a folder.
  Result<std::vector<StoredItem>> List(const std::string& folder) const;

  // The one path of what several paths lead to; absent where nothing can be there.
  std::optional<std::string> Canonical(const std::string& path) const;

  // Opens a file, as ByteSource::Open() and OpenStored() do; the limit is for what it inflates to.
  Result<ByteSource> Open(const std::string& path, std::atomic<int64_t>* bytes_read = nullptr,
                          ReadFailure* failure = nullptr) const;

 private:
  StorageRef storage_;
  InputLimit limit_;
};

}  // namespace stepscope
