// Writes files that only this user can read, and that appear under their name when they are whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope::capture {

// Writes `path` + ".partial" with mode 0600, syncs it and gives it its name. `fill` is called with
// what appends bytes. On failure nothing is left. Returns the size.
using Append = std::function<Result<void>(std::string_view)>;
Result<int64_t> WritePrivateFile(const std::string& path,
                                 const std::function<Result<void>(const Append&)>& fill);

// A file of ours that others wrote: opened only if it is an ordinary file, and no link.
class GivenFile {
 public:
  static Result<GivenFile> Open(const std::string& path);
  GivenFile(GivenFile&& other) noexcept;
  GivenFile& operator=(GivenFile&&) = delete;
  ~GivenFile();

  int64_t size() const { return size_; }
  // The bytes from `from`, at most `most`.
  Result<std::string> Read(int64_t from, size_t most) const;

 private:
  GivenFile(std::string path, int file, int64_t size)
      : path_(std::move(path)), file_(file), size_(size) {}

  std::string path_;
  int file_;
  int64_t size_;
};

}  // namespace stepscope::capture
