// Lets a test have few files open.
#pragma once

#include <sys/resource.h>

namespace stepscope::testing {

// The process may open so many files while it lives.
class FilesLimit {
 public:
  explicit FilesLimit(rlim_t files) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{files, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FilesLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  FilesLimit(const FilesLimit&) = delete;
  FilesLimit& operator=(const FilesLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace stepscope::testing
