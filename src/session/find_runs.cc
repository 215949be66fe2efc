// Finds runs in directories.
#include "stepscope/find_runs.h"

#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/stop.h"
#include "ingest/discover.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

uint64_t Mix(uint64_t seed, const void* bytes, size_t size) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

uint64_t VersionOf(const std::vector<std::string>& files, const Places& places) {
  uint64_t version = 1;
  for (const std::string& file : files) {
    const StoredItem item = places.Find(file).value_or(StoredItem());
    version = Mix(version, file.data(), file.size());
    version = Mix(version, &item.bytes, sizeof item.bytes);
    version = Mix(version, &item.written, sizeof item.written);
    version = Mix(version, &item.version, sizeof item.version);
  }
  return version;
}

class Search {
 public:
  explicit Search(Places places) : places_(std::move(places)) {}

  std::vector<FoundRun> Of(const std::string& path) && {
    const StoredItem item = places_.Find(path).value_or(StoredItem());
    if (item.kind == StoredItem::Kind::kFile) Add(path, {path});
    if (item.kind == StoredItem::Kind::kFolder && !AddFolder(path) && !AddProcesses(path, true)) {
      for (const std::string& below : FoldersIn(path, places_)) {
        if (!AddFolder(below)) AddProcesses(below, false);
      }
    }
    return std::move(runs_);
  }

 private:
  // Whether the folder is a run, or TensorBoard's.
  bool AddFolder(const std::string& folder) {
    if (const auto files = TracesIn(folder); !files.empty()) return Add(folder, files);
    const std::string profiles = (fs::path(folder) / "plugins" / "profile").string();
    return AddEach(FoldersIn(profiles, places_));
  }

  // Whether processes of one job, or any, wrote profiles into folders of the folder.
  bool AddProcesses(const std::string& folder, bool only_together) {
    if (looked_at_ > kMostRunFolders) return false;
    if (only_together && HoldsRuns(folder)) return false;
    const ProcessProfiles found = ProfilesOfProcesses(folder, places_);
    looked_at_ += found.others.size();
    if (!found.together && only_together) return false;
    if (found.together) Add(folder, found.files);
    return AddEach(found.others) || found.together;
  }

  bool HoldsRuns(const std::string& folder) {
    return std::ranges::any_of(FoldersIn(folder, places_),
                               [&](const std::string& below) { return !TracesIn(below).empty(); });
  }

  bool AddEach(const std::vector<std::string>& folders) {
    bool any = false;
    for (const std::string& run : folders) {
      const auto files = TracesIn(run);
      any = (!files.empty() && Add(run, files)) || any;
    }
    return any;
  }

  bool Add(const std::string& path, const std::vector<std::string>& files) {
    runs_.push_back({.path = path, .version = VersionOf(files, places_)});
    return true;
  }

  std::vector<std::string> TracesIn(const std::string& folder) {
    if (++looked_at_ > kMostRunFolders) return {};
    return TracesOfRun(folder, places_);
  }

  Places places_;
  std::vector<FoundRun> runs_;
  size_t looked_at_ = 0;
};

}  // namespace

std::vector<FoundRun> FindRuns(const std::string& path, const StorageRef& storage) {
  try {
    return Search(Places(storage)).Of(path);
  } catch (const Stopped&) {
    return {};
  }
}

}  // namespace stepscope
