// Finds profiles as TensorBoard keeps them, and tells which are of one job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/places.h"

namespace stepscope {

// A profile as TensorBoard keeps them: the files of all hosts in one folder.
struct Profile {
  std::string folder;
  std::vector<std::string> files;
  int64_t written = INT64_MIN;  // the latest of the files

  // Names are times: "2025_01_31_23_59_59".
  std::string Name() const { return std::filesystem::path(folder).filename(); }
  auto Age() const { return std::tuple(Name(), written, folder); }
  // LOGS/process0 of LOGS/process0/plugins/profile/2025_01_31_23_59_59.
  std::filesystem::path Process() const {
    return std::filesystem::path(folder).parent_path().parent_path().parent_path();
  }
  // LOGS of LOGS/process0/plugins/profile/2025_01_31_23_59_59.
  std::filesystem::path Logs() const { return Process().parent_path(); }
};

// All plugins/profile/RUN/ at any depth. Links are followed, each folder once.
std::vector<Profile> ProfilesBelow(const Places& places, const std::string& folder);

// Those of folder/plugins/profile/.
std::vector<Profile> ProfilesIn(const Places& places, const std::string& folder);

// The profiles of each job, one or more. Processes of a job on one host need folders of their own:
// these are side by side and hold profiles of one time, or are named by ranks.
std::vector<std::vector<Profile>> JobsOf(std::vector<Profile> profiles);

// The profiles of the newest one's job: that one, and the newest of each folder beside its own.
// They leave `profiles`.
std::vector<Profile> TakeNewestJob(std::vector<Profile>& profiles);

}  // namespace stepscope
