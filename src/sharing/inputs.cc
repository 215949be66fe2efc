// Walks directories, and gives files their new names.
#include "sharing/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "base/system_error.h"
#include "ingest/discover.h"
#include "ingest/rank_name.h"

namespace stepscope::sharing {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 1'000'000;

std::string NameOfFolder(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  const std::string name = normal.filename().string();
  return name.empty() ? normal.parent_path().filename().string() : name;
}

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

Result<void> ListFolder(const std::string& folder, const std::string& below,
                        std::vector<Input>& inputs) {
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (IsHidden(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    if (!at->is_regular_file(ignored) || inputs.size() >= kMostFiles) continue;
    const fs::path relative = at->path().lexically_relative(folder);
    inputs.push_back({.path = at->path().string(),
                      .relative = (fs::path(below) / relative).string(),
                      .target = {}});
  }
  if (!failed) return {};
  return std::unexpected(SystemError("cannot list the directory", failed.value(), folder));
}

std::string FolderOf(const std::string& path) { return fs::path(path).parent_path().string(); }

std::string RedactedNames(const std::string& relative, const redact::Redactor& redactor) {
  fs::path target;
  for (const fs::path& name : fs::path(relative)) target /= redactor.FileName(name.string());
  return target.string();
}

// Puts `text` before the name of a file.
std::string Before(const std::string& path, const std::string& text) {
  const fs::path of(path);
  return (of.parent_path() / (text + of.filename().string())).string();
}

// Ranks are told by names; see ingest/rank_name.h.
void KeepRank(Input& input) {
  const auto rank = RankFromPath(input.path);
  if (rank && RankFromPath("out/" + input.target) != rank)
    input.target = Before(input.target, fmt::format("rank{}.", *rank));
}

// Files without a rank get theirs by the order of names.
void KeepOrder(std::span<Input*> of_folder) {
  std::ranges::sort(of_folder,
                    [](const Input* a, const Input* b) { return NaturalLess(a->path, b->path); });
  const bool kept = std::ranges::is_sorted(
      of_folder, [](const Input* a, const Input* b) { return NaturalLess(a->target, b->target); });
  if (kept) return;
  for (size_t i = 0; i < of_folder.size(); ++i)
    of_folder[i]->target = Before(of_folder[i]->target, fmt::format("{:04}-", i));
}

}  // namespace

Result<std::vector<Input>> ListInputs(std::span<const std::string> paths) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) return std::unexpected(NothingAt(path));
    if (!fs::is_directory(status)) {
      inputs.push_back(
          {.path = path, .relative = fs::path(path).filename().string(), .target = {}});
      continue;
    }
    const std::string below = paths.size() > 1 ? NameOfFolder(path) : std::string();
    if (auto listed = ListFolder(path, below, inputs); !listed)
      return std::unexpected(listed.error());
  }
  std::ranges::stable_sort(inputs, {}, &Input::relative);
  if (!inputs.empty()) return inputs;
  return std::unexpected(Error{"there are no files in the directory",
                               paths.empty() ? std::string() : paths[0],
                               "give files, or directories with files"});
}

Result<void> NameTargets(std::vector<Input>& inputs, const redact::Redactor& redactor) {
  std::map<std::string, std::vector<Input*>> folders;
  for (Input& input : inputs) {
    input.target = RedactedNames(input.relative, redactor);
    KeepRank(input);
    folders[FolderOf(input.relative)].push_back(&input);
  }
  for (auto& [folder, of_folder] : folders) KeepOrder(of_folder);
  std::set<std::string> taken;
  for (const Input& input : inputs) {
    if (taken.insert(input.target).second) continue;
    return std::unexpected(Error{"two files would get the same name: " + input.target, input.path,
                                 "write them to directories of their own, one call for each"});
  }
  return {};
}

}  // namespace stepscope::sharing
