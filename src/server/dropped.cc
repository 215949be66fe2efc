// Writes dropped files to a folder that only this user can read.
#include "server/dropped.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file_writer.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostNameBytes = 200;

Error CannotKeep(std::string what, std::string_view name, std::string hint = "") {
  return {"cannot keep this file: " + std::move(what), std::string(name), std::move(hint)};
}

}  // namespace

std::string SafeName(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find_last_of("/\\") + 1));
  std::string safe;
  for (const char c : name.substr(0, kMostNameBytes)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool plain = letter || (c >= '0' && c <= '9') || c == '.' || c == '-';
    safe += plain ? c : '_';
  }
  while (safe.starts_with('.')) safe.erase(0, 1);
  return safe;
}

Dropped::~Dropped() {
  std::error_code ignored;
  if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
}

Result<void> Dropped::MakeFolder(Files& files, uint64_t drop, const std::string& first) {
  std::error_code failed;
  if (root_.empty()) {
    std::string made = (std::filesystem::temp_directory_path(failed) / "stepscope-XXXXXX").string();
    if (failed || mkdtemp(made.data()) == nullptr) {
      return std::unexpected(CannotKeep("there is no folder for it", made, "set TMPDIR"));
    }
    root_ = made;
  }
  // The page calls the run by the last part: its first file.
  const std::string own = fmt::format("{}/{}", root_, drop);
  files.folder = own + "/" + first;
  if (mkdir(own.c_str(), S_IRWXU) == 0 && mkdir(files.folder.c_str(), S_IRWXU) == 0) return {};
  return std::unexpected(CannotKeep("its folder is taken", files.folder, "drop it again"));
}

Result<void> Dropped::Append(uint64_t drop, std::string_view name, uint64_t at,
                             std::string_view bytes) {
  const std::string safe = SafeName(name);
  if (safe.empty()) return std::unexpected(CannotKeep("it has no name", name));
  const std::lock_guard lock(mutex_);
  Files& files = drops_[drop];
  if (files.done) return std::unexpected(CannotKeep("its drop is complete", name));
  if (files.folder.empty()) {
    if (auto made = MakeFolder(files, drop, safe); !made) {
      drops_.erase(drop);
      return made;
    }
  }
  const auto [file, is_new] = files.sizes.try_emplace(safe, 0);
  if (file->second != at) return std::unexpected(CannotKeep("a part of it is missing", name));
  if (bytes_ + bytes.size() > limits_.bytes || files_ + (is_new ? 1 : 0) > limits_.files) {
    return std::unexpected(
        CannotKeep("the server holds as much as it may", name, "start it with the path instead"));
  }
  files_ += is_new ? 1 : 0;
  if (auto written = AppendToFile(files.folder + "/" + safe, bytes); !written) return written;
  file->second += bytes.size();
  bytes_ += bytes.size();
  return {};
}

Result<std::string> Dropped::Finish(uint64_t drop) {
  const std::lock_guard lock(mutex_);
  const auto found = drops_.find(drop);
  if (found == drops_.end()) return std::unexpected(CannotKeep("nothing was dropped", ""));
  found->second.done = true;
  return found->second.folder;
}

}  // namespace stepscope::server
