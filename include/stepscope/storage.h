// Lets a caller say where traces lie that are not files of this machine: in a bucket, behind a URL,
// in memory.
//
//   Storage bucket{.holds = [](std::string_view path) { return path.starts_with("s3://"); },
//                  .find = ..., .list = ..., .read = ...};
//   auto run = Session::Open(paths, {.storage = std::make_shared<const Storage>(bucket)});
//
// Paths that it does not hold are those of the file system. Which files of a directory are traces
// is decided by the same code for both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

// What there is at a path.
struct StoredItem {
  enum class Kind : uint8_t { kNone, kFile, kFolder };

  std::string path;  // parts are separated by "/"
  Kind kind = Kind::kNone;
  int64_t bytes = -1;    // of a file; -1: known when its end is reached
  int64_t written = 0;   // later is larger; 0: not known
  uint64_t version = 0;  // of its content, such as a hash of its ETag; 0: not known
  // Whether any place of it can be read at any time. If not, ranges are asked for one after
  // another, and all of it again from 0.
  bool any_order = true;
};

// Functions that begin something and return soon. Each later calls `done` once, from any thread,
// with the result or an Error that says what failed, where, and what to try. All may be called from
// several threads at once. Whoever asked may have gone when the answer comes.
struct Storage {
  template <class T>
  using Done = std::function<void(Result<T>)>;

  // Whether it is asked for this path. The only function that answers at once.
  std::function<bool(std::string_view path)> holds;
  // What there is: kNone is an answer, an Error is not being able to tell.
  std::function<void(const std::string& path, Done<StoredItem> done)> find;
  // What is in a folder, in any order.
  std::function<void(const std::string& folder, Done<std::vector<StoredItem>> done)> list;
  // `size` bytes from `offset` on; fewer only at the end. Fails where the file has changed since
  // find() or list() told of it.
  std::function<void(const std::string& path, uint64_t offset, size_t size, Done<std::string> done)>
      read;
};

using StorageRef = std::shared_ptr<const Storage>;  // null: only the file system

}  // namespace stepscope
