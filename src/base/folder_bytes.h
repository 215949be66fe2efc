// Tells how much room a folder takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace stepscope {

// The bytes of all files in it, as deep as they are. What cannot be read counts for nothing.
inline int64_t BytesIn(const std::filesystem::path& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) bytes += static_cast<int64_t>(at->file_size(ignored));
  }
  return bytes;
}

}  // namespace stepscope
