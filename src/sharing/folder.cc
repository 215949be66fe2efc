// Compares what is there with the list.
#include "sharing/folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/file_writer.h"
#include "base/system_error.h"

namespace stepscope::sharing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ReadList(const std::string& folder) {
  std::ifstream in(fs::path(folder) / kListName);
  std::vector<std::string> names;
  for (std::string line; std::getline(in, line);) names.push_back(line);
  std::ranges::sort(names);
  return names;
}

}  // namespace

Result<std::vector<std::string>> PrepareTarget(const std::string& folder) {
  if (folder.empty()) {
    return std::unexpected(Error{"missing directory to write to", "`folder`", "set `folder`"});
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return std::unexpected(SystemError("cannot create the directory", failed.value(), folder));
  const std::vector<std::string> ours = ReadList(folder);
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) continue;
    std::string name = at->path().lexically_relative(folder).string();
    if (name.ends_with(kPartialSuffix)) name.resize(name.size() - kPartialSuffix.size());
    if (name == kListName || std::ranges::binary_search(ours, name)) continue;
    return std::unexpected(
        Error{"cannot use the directory: it contains " + name + ", which is not a redacted file",
              folder, "choose an empty or new directory; other files are never overwritten"});
  }
  if (failed)
    return std::unexpected(SystemError("cannot list the directory", failed.value(), folder));
  return ours;
}

Result<void> FinishTarget(const std::string& folder, const std::vector<std::string>& before,
                          std::vector<std::string> now) {
  std::ranges::sort(now);
  for (const std::string& name : before) {
    std::error_code ignored;
    // The list may be a stranger's: nothing above the directory is removed.
    const bool within = !fs::path(name).is_absolute() && !("/" + name + "/").contains("/../");
    if (within && !std::ranges::binary_search(now, name))
      fs::remove(fs::path(folder) / name, ignored);
  }
  std::string list;
  for (const std::string& name : now) list += name + "\n";
  return WriteFile((fs::path(folder) / kListName).string(), list);
}

}  // namespace stepscope::sharing
