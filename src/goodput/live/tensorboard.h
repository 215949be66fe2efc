// Writes goodput of live jobs as TensorBoard scalars with the reference library's tags
// goodput/goodput and badput/<bucket>, and adds goodput/last_5m, ..., step_time, disruptions.
// The step is the last productive one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "goodput/live/live.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class TensorBoard {
 public:
  // `folder` gets a directory per job; empty: Write does nothing.
  explicit TensorBoard(std::string folder) : folder_(std::move(folder)) {}

  // Appends the state of jobs with new events, at most twice a minute. Fails if a file cannot be
  // written; the next call tries again.
  Result<void> Write(std::map<std::string, LiveJob>& jobs, int64_t now);

 private:
  struct File {
    std::string path;
    int64_t events = 0;  // of the job, when it was written
  };

  Result<void> Append(const std::string& name, LiveJob& job, int64_t now);

  std::string folder_;
  std::optional<int64_t> written_;
  std::map<std::string, File> files_;  // by job
};

// Encodes a job's name as a directory name: characters other than letters, digits and "._-" become
// %XX; long names end in a checksum.
std::string FolderName(std::string_view job);

// CRC-32C (Castagnoli), the checksum of TFRecords.
uint32_t Crc32c(std::string_view bytes);

}  // namespace stepscope::goodput
