// Looks for trace files in folders.
#include "ingest/discover.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

#include "ingest/rank_name.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

bool LooksLikeTrace(const fs::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_regular_file(error)) return false;
  const std::string name = entry.path().filename();
  return !name.starts_with('.') && (name.ends_with(".json") || name.ends_with(".gz"));
}

// "rank-2" before "rank-10": runs of digits compare by value.
bool NaturalLess(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    size_t x = i;
    size_t y = j;
    while (x < a.size() && digit(a[x])) ++x;
    while (y < b.size() && digit(b[y])) ++y;
    if (x - i != y - j) return x - i < y - j;
    if (const int order = a.compare(i, x - i, b, j, y - j); order != 0) return order < 0;
    i = x, j = y;
  }
  return a.size() - i < b.size() - j;
}

struct Listing {
  std::vector<std::string> traces;
  std::vector<std::string> folders;
};

Result<Listing> List(const std::string& folder) {
  std::error_code error;
  Listing listing;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (LooksLikeTrace(*at)) listing.traces.push_back(at->path());
    if (at->is_directory(ignored)) listing.folders.push_back(at->path());
  }
  if (error) {
    return std::unexpected(Error{"cannot list the folder: " + error.message(), folder,
                                 "check the permissions of the folder"});
  }
  std::ranges::sort(listing.traces, NaturalLess);
  std::ranges::sort(listing.folders, NaturalLess);
  return listing;
}

// Traces of the subfolders that are named by ranks. `others` collects subfolders that hold traces
// and are not, for the error message.
std::vector<std::string> TracesOfRankFolders(const std::vector<std::string>& folders,
                                             std::vector<std::string>& others) {
  std::vector<std::string> traces;
  for (const std::string& folder : folders) {
    const auto listing = List(folder);
    if (!listing || listing->traces.empty()) continue;
    if (RankFromPath(fs::path(folder).filename().string())) {
      traces.insert(traces.end(), listing->traces.begin(), listing->traces.end());
    } else {
      others.push_back(folder);
    }
  }
  return traces;
}

Result<std::vector<std::string>> TracesOfFolder(const std::string& folder) {
  auto listing = List(folder);
  if (!listing) return std::unexpected(listing.error());
  if (!listing->traces.empty()) return std::move(listing->traces);
  std::vector<std::string> others;
  auto traces = TracesOfRankFolders(listing->folders, others);
  if (!traces.empty()) return traces;
  std::string hint = "give a folder that holds the traces of one job, or the files themselves";
  if (!others.empty())
    hint = "its subfolders hold traces of their own; give one of them, such as " + others[0];
  return std::unexpected(Error{"no traces (*.json, *.json.gz) in this folder", folder, hint});
}

}  // namespace

Result<std::vector<std::string>> FindTraces(std::span<const std::string> paths) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::directory) {
      auto traces = TracesOfFolder(path);
      if (!traces) return std::unexpected(traces.error());
      found.insert(found.end(), traces->begin(), traces->end());
    } else if (fs::exists(status)) {
      found.push_back(path);
    } else {
      const bool missing = status.type() == fs::file_type::not_found;
      return std::unexpected(Error{missing ? "there is no such file or folder"
                                           : "cannot look at this path: " + error.message(),
                                   path, "check the spelling and the current folder"});
    }
  }
  std::vector<std::string> unique;
  std::set<std::string> seen;
  for (std::string& path : found) {
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    if (seen.insert(error ? path : canonical.string()).second) unique.push_back(std::move(path));
  }
  return unique;
}

}  // namespace stepscope
