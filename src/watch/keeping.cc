// Makes, counts and removes folders of windows.
#include "watch/keeping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/folder_bytes.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "window-";

bool IsWindowFolder(const fs::path& path) {
  const std::string name = path.filename();
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::all_of(name.begin() + kPrefix.size(), name.end(),
                     [](unsigned char c) { return std::isdigit(c) || c == '-'; }) &&
         fs::symlink_status(path).type() == fs::file_type::directory;
}

}  // namespace

Result<std::string> MakeWindowFolder(const std::string& folder, int64_t time) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (int number = 0; number < 100; ++number) {
    const std::string path = fmt::format("{}/{}{}{}", folder, kPrefix, time / kSecond,
                                         number == 0 ? "" : fmt::format("-{}", number));
    if (!fs::create_directory(path, error)) {
      if (error) break;
      continue;
    }
    fs::permissions(path, fs::perms::owner_all, error);
    return path;
  }
  return std::unexpected(Error{"cannot make a folder for a window: " + error.message(), folder,
                               "give a folder that you may write (-o)"});
}

void RemoveWindowFolder(const std::string& path) {
  std::error_code ignored;
  if (IsWindowFolder(path)) fs::remove_all(path, ignored);
}

void RemoveOldest(const std::string& folder, int64_t runs, int64_t bytes,
                  const std::string& spared) {
  std::vector<std::pair<std::string, int64_t>> kept;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!IsWindowFolder(at->path())) continue;
    kept.emplace_back(at->path(), BytesIn(at->path()));
    total += kept.back().second;
  }
  std::ranges::sort(kept);  // names are times, of as many digits
  auto count = static_cast<int64_t>(kept.size());
  for (const auto& [path, size] : kept) {
    if (count <= runs && total <= bytes) break;
    if (path == spared) continue;
    RemoveWindowFolder(path);
    --count;
    total -= size;
  }
}

}  // namespace stepscope
