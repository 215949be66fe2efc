// Reads a file of a Storage by ranges of some megabytes.
//
// Who reads in order never waits for a range that could have been asked for before: while one is
// worked on, the next is under way. A stop ends every wait at once; what is under way is forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/awaited.h"
#include "stepscope/storage.h"

namespace stepscope {

class StoredFile {
 public:
  // What stops its creator stops its waits.
  StoredFile(StorageRef storage, StoredItem item);

  const StoredItem& item() const { return item_; }

  // Bytes from `offset` on, at least one unless there is none before `end`; nothing on an error().
  // Asks for what follows, and forgets what is before.
  std::optional<size_t> ReadOn(uint64_t offset, uint64_t end, std::span<char> out);

  // The same at any place, for those who come back: keeps some ranges, small ones at first.
  // REQUIRES: item().any_order.
  std::optional<size_t> ReadAt(uint64_t offset, std::span<char> out);

  // Why reading ended before the end.
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t size = 0;
    std::shared_ptr<Awaited<Result<std::string>>> bytes;
    uint64_t end() const { return begin + size; }
  };

  Range* Holding(uint64_t offset);
  void Ask(uint64_t begin, uint64_t end, uint64_t size);
  void AskBehind(uint64_t offset, uint64_t end);
  void ForgetOldest(uint64_t but_at);
  std::optional<size_t> Take(const Range& range, uint64_t offset, std::span<char> out);
  std::optional<size_t> Fail(Error error);

  StorageRef storage_;
  StoredItem item_;
  std::stop_token stop_;
  std::deque<Range> ranges_;  // in the order in which they were asked for
  std::optional<Error> error_;
};

// Waits for storage.find(). Throws Stopped when the caller is to stop.
Result<StoredItem> FindStored(const Storage& storage, const std::string& path);
// The same of storage.list().
Result<std::vector<StoredItem>> ListStored(const Storage& storage, const std::string& folder);

}  // namespace stepscope
