// Finds runs in directories.
#include "stepscope/find_runs.h"

#include <xxhash.h>

#include <filesystem>
#include <system_error>

#include "ingest/discover.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

uint64_t Mix(uint64_t seed, const void* bytes, size_t size) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

uint64_t VersionOf(const std::vector<std::string>& files) {
  uint64_t version = 1;
  for (const std::string& file : files) {
    std::error_code failed;
    const uint64_t size = fs::file_size(file, failed);
    const int64_t written = fs::last_write_time(file, failed).time_since_epoch().count();
    version = Mix(version, file.data(), file.size());
    version = Mix(version, &size, sizeof size);
    version = Mix(version, &written, sizeof written);
  }
  return version;
}

class Search {
 public:
  std::vector<FoundRun> Of(const std::string& path) && {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      if (fs::exists(path, failed)) Add(path, {path});
      return std::move(runs_);
    }
    if (!AddFolder(path)) {
      for (const std::string& below : FoldersIn(path)) AddFolder(below);
    }
    return std::move(runs_);
  }

 private:
  // Whether the folder is a run, or TensorBoard's.
  bool AddFolder(const std::string& folder) {
    if (const auto files = TracesIn(folder); !files.empty()) return Add(folder, files);
    const std::string profiles = (fs::path(folder) / "plugins" / "profile").string();
    bool any = false;
    for (const std::string& run : FoldersIn(profiles)) {
      const auto files = TracesIn(run);
      any = (!files.empty() && Add(run, files)) || any;
    }
    return any;
  }

  bool Add(const std::string& path, const std::vector<std::string>& files) {
    runs_.push_back({.path = path, .version = VersionOf(files)});
    return true;
  }

  std::vector<std::string> TracesIn(const std::string& folder) {
    if (++looked_at_ > kMostRunFolders) return {};
    return TracesOfRun(folder);
  }

  std::vector<FoundRun> runs_;
  size_t looked_at_ = 0;
};

}  // namespace

std::vector<FoundRun> FindRuns(const std::string& path) { return Search().Of(path); }

}  // namespace stepscope
