// Keeps every path below the roots.
#include "mcp/roots.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "base/url_word.h"
#include "mcp/say.h"

namespace stepscope::mcp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostEntries = 100'000;

}  // namespace

Result<Roots> Roots::Open(const std::vector<std::string>& directories) {
  Roots roots;
  if (directories.empty())
    return std::unexpected(Error{"nothing may be read", "", "give the directories of traces"});
  for (const std::string& directory : directories) {
    std::error_code failed;
    const fs::path canonical = fs::canonical(directory, failed);
    if (failed || !fs::is_directory(canonical, failed))
      return std::unexpected(
          Error{"there is no such directory", directory, "give directories that hold traces"});
    roots.roots_.push_back(canonical);
  }
  return roots;
}

bool Roots::IsBelow(const fs::path& canonical) const {
  return std::ranges::any_of(roots_, [&](const fs::path& root) {
    const auto [in_root, in_path] = std::ranges::mismatch(root, canonical);
    return in_root == root.end();
  });
}

bool Roots::Holds(const std::string& path) const {
  std::error_code failed;
  const fs::path canonical = fs::canonical(path, failed);
  return !failed && IsBelow(canonical);
}

std::string Roots::Say() const {
  std::string text;
  for (const fs::path& root : roots_) text += (text.empty() ? "" : ", ") + Quoted(root.string());
  return text;
}

Error Roots::Outside(std::string_view path) const {
  return {"this path is outside the directories that may be read", std::string(path),
          "give a path below " + Say()};
}

Result<std::string> Roots::Resolve(const std::string& path) const {
  std::error_code failed;
  if (path.empty() || path.contains('\0'))
    return std::unexpected(Error{"a path is missing", "", "give a path below " + Say()});
  fs::path asked = path;
  if (asked.is_relative()) {
    const auto has = [&](const fs::path& root) { return fs::exists(root / path, failed); };
    const auto root = std::ranges::find_if(roots_, has);
    asked = (root == roots_.end() ? roots_.front() : *root) / path;
  }
  // Of what does not exist, the part that does.
  const fs::path canonical = fs::weakly_canonical(asked, failed);
  if (failed || !IsBelow(canonical)) return std::unexpected(Outside(path));
  const fs::file_status status = fs::status(canonical, failed);
  if (!fs::exists(status))
    return std::unexpected(NoFileAt(path, "paths start at " + Say() + "; try 'open' with '.'"));
  if (!fs::is_regular_file(status) && !fs::is_directory(status))
    return std::unexpected(Error{"this is neither a file nor a directory", path, ""});
  return canonical.string();
}

Result<void> Roots::CheckLinks(const std::string& resolved) const {
  std::vector<fs::path> open = {resolved};
  std::set<fs::path> seen;
  size_t looked_at = 0;
  while (!open.empty()) {
    const fs::path folder = std::move(open.back());
    open.pop_back();
    std::error_code failed;
    if (!fs::is_directory(folder, failed) || !seen.insert(folder).second) continue;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
      if (++looked_at > kMostEntries)
        return std::unexpected(
            Error{"there are too many files below this directory", resolved, "give a run in it"});
      std::error_code ignored;
      fs::path entry = at->path();
      if (at->is_symlink(ignored)) {
        entry = fs::canonical(entry, ignored);
        if (ignored) continue;  // leads nowhere
        if (!IsBelow(entry)) return std::unexpected(Outside(at->path().string()));
      }
      if (fs::is_directory(entry, ignored)) open.push_back(std::move(entry));
    }
  }
  return {};
}

}  // namespace stepscope::mcp
