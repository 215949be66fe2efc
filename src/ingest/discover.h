// Finds the trace files under the paths a user gives.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ingest/natural_less.h"
#include "ingest/places.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct FoundTraces {
  std::vector<std::string> files;
  std::vector<Note> notes;  // what was left out
  // How Stepscope captured the run: "torch", "grpc", "debug", "serving"; empty where it did not.
  std::string captured;
};

// Files stand for themselves. A folder stands for the traces in it (*.json, *.json.gz, *.gz,
// *.xplane.pb, *.sqlite, *results.db); if it holds none, for those of its subfolders that are named
// by ranks (rank_0/, rank_1/), with a note where others hold traces too; else for the newest
// profile below it as TensorBoard keeps them, the files of one plugins/profile/RUN/. Fails where
// these are of several jobs, or other traces lie in a folder beside them. What a profiler writes
// beside its *.xplane.pb about the same time is left out. The same file reached twice is listed
// once. Sorted by name within a folder, numbers by value: rank-2 before rank-10. Fails when a path
// does not exist, or leads to no file that could be a trace. Stopped is thrown where a storage is
// waited for and the caller is to stop.
Result<FoundTraces> FindTraces(std::span<const std::string> paths, const Places& places = Places());

// That nothing is at the path. `stored`: it is no path of this machine.
Error NothingAt(const std::string& path, bool stored = false);

// The traces of one folder, or of its subfolders that are named by ranks; none when it holds none
// or cannot be listed. Looks no deeper.
std::vector<std::string> TracesOfRun(const std::string& folder, const Places& places = Places());

// The folders in a folder, sorted as above; none when it cannot be listed.
std::vector<std::string> FoldersIn(const std::string& folder, const Places& places = Places());

// Profiles in the plugins/profile/RUN/ of folders of this folder, as processes of one host write
// them. `together`: they are of one job of several processes, the newest of which are `files`.
struct ProcessProfiles {
  bool together = false;
  std::vector<std::string> files;
  std::vector<std::string> others;  // the folders of all profiles that `files` are not of
};
ProcessProfiles ProfilesOfProcesses(const std::string& folder, const Places& places = Places());

}  // namespace stepscope
