// Finds runs, ledgers and memory snapshots under the given paths, with the names and ids that a
// page shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stepscope/find_runs.h"
#include "stepscope/result.h"

namespace stepscope::server {

struct SourceRun {
  FoundRun run;
  std::string id;    // short, and the same for the same path tomorrow
  std::string name;  // for people; no two are the same
};

// What is asked as a whole: a ledger, or what a stuck job left behind.
struct PathView {
  std::string id, name, path;
};
using LedgerView = PathView;
using HangView = PathView;

// A memory snapshot, and the traces beside it; empty: there are none.
struct SnapshotView {
  std::string id, name, path, trace;
};

struct Sources {
  std::vector<SourceRun> runs;
  std::vector<LedgerView> ledgers;
  std::vector<SnapshotView> snapshots;
  std::vector<HangView> hangs;
};

// Each path once. Runs first to last as the paths are given, by name within a folder. Paths that
// hold dumps of a stuck job are hangs too, and no run where they hold nothing else; `hangs` are
// given as such.
inline constexpr size_t kMostRuns = 1000;
Sources FindSources(const std::vector<std::string>& paths, const StorageRef& storage = nullptr,
                    const std::vector<std::string>& hangs = {});

// Short, and the same for the same text.
std::string ShortId(std::string_view text);

// Fails when there are no paths, or one of them leads nowhere. A folder with nothing in it yet is
// fine, and so is what a storage holds.
Result<void> CheckPaths(const std::vector<std::string>& paths, const StorageRef& storage = nullptr);

// Fails when one of these files does not exist.
Result<void> CheckFiles(const std::vector<std::string>& files);

}  // namespace stepscope::server
