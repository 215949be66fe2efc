// Finds runs and ledgers by path.
#include "server/sources.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "base/url_word.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/hang.h"
#include "stepscope/memory_snapshot.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

std::string WholePath(const std::string& path) {
  std::error_code failed;
  auto whole = fs::absolute(path, failed).lexically_normal();
  if (failed) return path;
  return whole.has_filename() ? whole.string() : whole.parent_path().string();
}

std::string IdOf(const std::string& path) { return ShortId(WholePath(path)); }

std::string LastName(const std::string& path) {
  const fs::path whole = WholePath(path);
  return whole.has_filename() ? whole.filename().string() : path;
}

// Below a folder that was given, the path from there on; else the last part of it. Of profiles that
// lie as TensorBoard keeps them, what tells them apart: "job/2026_11_22" of
// job/plugins/profile/2026_11_22.
std::string NameIn(const std::string& given, const std::string& path) {
  if (path == given) return LastName(path);
  constexpr std::string_view kKept = "plugins/profile/";
  std::string name =
      fs::path(path).lexically_normal().lexically_relative(fs::path(given).lexically_normal());
  const size_t kept = name.find(kKept);
  if (kept == name.npos) return name;
  name.erase(kept, kKept.size());
  return kept == 0 ? LastName(given) + "/" + name : name;
}

// The snapshots of a folder or file, with the traces of a run beside them.
void AddSnapshots(const std::string& given, const std::string& path, const std::string& run,
                  std::set<std::string>& ids, Sources& found) {
  for (const std::string& snapshot : FindMemorySnapshots(path)) {
    if (found.snapshots.size() >= kMostRuns || !ids.insert(IdOf(snapshot)).second) continue;
    found.snapshots.push_back(
        {.id = IdOf(snapshot), .name = NameIn(given, snapshot), .path = snapshot, .trace = run});
  }
}

// Of a database. It may hold a password: it is no name.
bool IsAddress(const std::string& path) { return path.contains("://"); }

void AddHang(const std::string& path, std::set<std::string>& ids, Sources& found) {
  if (ids.insert(IdOf(path)).second)
    found.hangs.push_back({.id = IdOf(path), .name = LastName(path), .path = path});
}

// Where two have one name, both are called by their path, if it may be shown.
template <class View, class PathOf>
void TellApart(std::vector<View>& views, const PathOf& path_of) {
  std::map<std::string, int> times;
  for (const View& view : views) ++times[view.name];
  for (View& view : views)
    if (times[view.name] > 1 && !path_of(view).empty()) view.name = path_of(view);
}

}  // namespace

Sources FindSources(const std::vector<std::string>& paths, const StorageRef& storage,
                    const std::vector<std::string>& hangs) {
  Sources found;
  std::set<std::string> ids, of_hangs;
  for (const std::string& path : hangs) AddHang(path, of_hangs, found);
  for (const std::string& path : paths) {
    const bool stored = storage && storage->holds(path);
    const size_t before = found.snapshots.size();
    std::error_code failed;
    const bool folder = fs::is_directory(path, failed);
    if (!stored && !folder) AddSnapshots(path, path, "", ids, found);
    if (found.snapshots.size() > before) continue;  // the file itself is one
    const HoldsHang holds = stored ? HoldsHang::kNone : HangAt(path);
    if (holds != HoldsHang::kNone) AddHang(path, of_hangs, found);
    const auto runs = FindRuns(path, storage);
    for (const FoundRun& run : runs)
      if (!stored && folder && run.path != path) AddSnapshots(path, run.path, run.path, ids, found);
    const bool traced = std::ranges::find(runs, path, &FoundRun::path) != runs.end();
    if (!stored && folder) AddSnapshots(path, path, traced ? path : "", ids, found);
    if (holds == HoldsHang::kAlone) continue;
    if (runs.empty() && found.snapshots.size() == before && !stored && IsGoodputLedger(path) &&
        ids.insert(IdOf(path)).second) {
      const std::string name = IsAddress(path) ? "PostgreSQL" : LastName(path);
      found.ledgers.push_back({.id = IdOf(path), .name = name, .path = path});
    }
    for (const FoundRun& run : runs) {
      if (found.runs.size() >= kMostRuns || !ids.insert(IdOf(run.path)).second) continue;
      found.runs.push_back({.run = run, .id = IdOf(run.path), .name = NameIn(path, run.path)});
    }
  }
  const auto path_of = [](const auto& view) { return IsAddress(view.path) ? "" : view.path; };
  TellApart(found.runs, [](const SourceRun& run) { return run.run.path; });
  TellApart(found.ledgers, path_of);
  TellApart(found.hangs, path_of);
  TellApart(found.snapshots, path_of);
  return found;
}

std::string ShortId(std::string_view text) {
  return fmt::format("{:010x}", XXH3_64bits(text.data(), text.size()) >> 24);
}

Result<void> CheckFiles(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code failed;
    if (fs::exists(file, failed)) continue;
    return std::unexpected(Error{"there is no such file", file,
                                 "check the spelling; relative paths start at the current "
                                 "directory"});
  }
  return {};
}

Result<void> CheckPaths(const std::vector<std::string>& paths, const StorageRef& storage) {
  if (paths.empty()) {
    return std::unexpected(
        Error{"nothing to show", "", "give a directory of traces, or trace files"});
  }
  for (const std::string& path : paths) {
    std::error_code failed;
    if (storage && storage->holds(path)) continue;
    if (fs::exists(path, failed) || IsGoodputLedger(path)) continue;
    return std::unexpected(
        NoFileAt(path, "check the spelling; relative paths start at the current directory"));
  }
  return {};
}

}  // namespace stepscope::server
