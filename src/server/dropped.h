// Keeps the files that a browser drops on the page, in a folder of their own until the server ends.
//
// Only the names' last parts count, and of these only letters, digits and . - _: no name of a
// request leads anywhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope::server {

class Dropped {
 public:
  struct Limits {
    uint64_t bytes = uint64_t{16} << 30;  // of all files
    size_t files = 4096;
  };

  Dropped() = default;
  explicit Dropped(const Limits& limits) : limits_(limits) {}
  Dropped(const Dropped&) = delete;
  Dropped& operator=(const Dropped&) = delete;
  ~Dropped();  // removes all

  // Appends bytes to a file of a drop, a number that the browser makes up; `at`: how many it has so
  // far, so that a part that is sent twice, or lost, is told. Fails where the limits are reached or
  // the disk is full.
  Result<void> Append(uint64_t drop, std::string_view name, uint64_t at, std::string_view bytes);
  // The folder of the files of a drop, called as the first: all of them are there now. Fails for
  // one without files.
  Result<std::string> Finish(uint64_t drop);

 private:
  struct Files {
    std::string folder;
    std::map<std::string, uint64_t> sizes;  // by name
    bool done = false;
  };
  Result<void> MakeFolder(Files& files, uint64_t drop, const std::string& first);

  Limits limits_;
  std::mutex mutex_;  // over all below
  std::string root_;  // empty: nothing was dropped yet
  std::map<uint64_t, Files> drops_;
  uint64_t bytes_ = 0;
  size_t files_ = 0;
};

// "a/b c.json" is "b_c.json"; empty for what is no name.
std::string SafeName(std::string_view name);

}  // namespace stepscope::server
