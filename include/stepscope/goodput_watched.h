// Records what `stepscope watch` saw of a job in the job's own directory of events, so that
// `stepscope goodput` tells when the job was slow, and why.
//
// A log writes segments of its own (docs/formats/goodput-segments.md), readable by their owner
// alone, and touches no others. Its events are no part of the job's course: readers that do not
// know them skip them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// Longer texts are cut.
inline constexpr size_t kMostWatchedText = 2048;

class WatchedLog {
 public:
  // `job`: its name; empty: the only one that has events there. Fails where the directory cannot be
  // read, or holds no job or several.
  static Result<WatchedLog> Open(const std::string& directory, const std::string& job);
  ~WatchedLog();
  WatchedLog(WatchedLog&&) noexcept;
  WatchedLog& operator=(WatchedLog&&) noexcept;

  const std::string& job() const;

  // Adds an event; it is on the disk when this returns. `time` is ns since 1970.
  Result<void> Add(int64_t time, std::string_view text);

 private:
  struct Log;
  explicit WatchedLog(std::unique_ptr<Log> log);
  std::unique_ptr<Log> log_;
};

}  // namespace stepscope
