// Writes a profile (XSpace) to a file as it arrives, and reads from it when and where it was
// recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::capture {

// A file of this user alone (0600), under another name until it is whole.
class ProfileFile {
 public:
  // Fails if the file cannot be made. `most` bytes are taken.
  static Result<ProfileFile> Make(std::string path, int64_t most);
  ProfileFile(ProfileFile&& other) noexcept;
  ProfileFile& operator=(ProfileFile&&) = delete;
  ~ProfileFile();  // removes it, unless Keep() did

  // False once writing failed: problem() says why.
  bool Append(std::string_view bytes);
  // Has the disk hold it, and gives it its name.
  Result<void> Keep();
  // Empties it, for another try.
  bool Clear();

  int64_t size() const { return size_; }
  const std::string& path() const { return path_; }        // its name in the end
  const std::string& partial() const { return partial_; }  // its name until then
  const std::optional<Error>& problem() const { return problem_; }

 private:
  ProfileFile(std::string path, std::string partial, int file, int64_t most)
      : path_(std::move(path)), partial_(std::move(partial)), file_(file), most_(most) {}

  std::string path_, partial_;
  int file_ = -1;
  int64_t most_, size_ = 0;
  std::optional<Error> problem_;
};

// What a profile says of itself.
struct ProfileFacts {
  bool readable = false;  // to its end
  int64_t start = 0;      // ns since 1970 on its host's clock; 0: it does not say
  int64_t stop = 0;       // the same
  int64_t lines = 0;      // with events
  std::vector<std::string> hosts, errors, warnings;  // printable, at most ten each
};

// Of bytes.
ProfileFacts ReadProfileFacts(std::string_view profile);
// Of a file that nobody else changes.
Result<ProfileFacts> ReadProfileFacts(const std::string& path);

}  // namespace stepscope::capture
