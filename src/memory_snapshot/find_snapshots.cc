// Tells snapshots from other pickles by the first keys that PyTorch writes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "stepscope/memory_snapshot.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 10'000;  // that are looked at
constexpr size_t kMostSnapshots = 1'000;

bool NamesPickle(const fs::path& path) {
  const std::string end = path.extension();
  return end == ".pickle" || end == ".pkl" || end == ".snapshot";
}

bool IsSnapshot(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(1024, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  if (head.size() < 2 || head[0] != '\x80' || head[1] < 2 || head[1] > 5) return false;
  return head.contains("segments") || head.contains("device_traces") || head.contains("total_size");
}

}  // namespace

std::vector<std::string> FindMemorySnapshots(const std::string& path) {
  std::error_code failed;
  const fs::path at(path);
  if (fs::is_regular_file(at, failed))
    return IsSnapshot(at) ? std::vector{path} : std::vector<std::string>();
  std::vector<std::string> found;
  size_t seen = 0;
  fs::directory_iterator files(at, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && files != fs::directory_iterator(); files.increment(failed)) {
    if (++seen > kMostFiles || found.size() >= kMostSnapshots) break;
    std::error_code unknown;
    if (!files->is_regular_file(unknown) || !NamesPickle(files->path())) continue;
    if (IsSnapshot(files->path())) found.push_back(files->path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace stepscope
