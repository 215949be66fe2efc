// Goodput of live jobs as scalars for TensorBoard, with the reference library's tags:
// goodput/goodput, badput/<bucket>, and beside them goodput/last_5m, ..., step_time, disruptions.
// The step is the last productive one. Nothing is needed to read them but TensorBoard.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "goodput/live/live.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class TensorBoard {
 public:
  // `folder` gets a folder of each job; empty: Write does nothing.
  explicit TensorBoard(std::string folder) : folder_(std::move(folder)) {}

  // Appends the state of jobs that had events since the last call, twice a minute at most. Fails
  // when a file cannot be written; the next call that writes tries again.
  Result<void> Write(std::map<std::string, LiveJob>& jobs, int64_t now);

 private:
  struct File {
    std::string path;
    int64_t events = 0;  // of the job, when it was written
  };

  Result<void> Append(const std::string& name, LiveJob& job, int64_t now);

  std::string folder_;
  int64_t written_ = kUnknown;
  std::map<std::string, File> files_;  // by job
};

// The name as that of a folder: what is not a letter, a digit or one of "._-" becomes %XX, and long
// names end in a checksum instead.
std::string FolderName(std::string_view job);

// CRC-32C (Castagnoli), as TFRecord files check themselves with.
uint32_t Crc32c(std::string_view bytes);

}  // namespace stepscope::goodput
