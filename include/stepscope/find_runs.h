// Finds the runs below a path, for faces that show several runs and for directories that grow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stepscope/storage.h"

namespace stepscope {

struct FoundRun {
  std::string path;      // what Session::Open() takes for this run
  uint64_t version = 0;  // of names, sizes and times of its files: another one when these change
};

// The runs of a path, by name.
//   - a file is one
//   - a folder that holds traces is one, and so is one with a folder of each rank (rank_0/,
//   rank_1/)
//   - of a folder as TensorBoard keeps them, each plugins/profile/RUN/ is one
//   - a folder in whose folders processes of one job wrote such profiles at one time is one, of the
//   newest; other profiles there are one each
//   - of any other folder, each folder in it that is one of the above is one
// None when there is no such path, or nothing in it yet that could be a trace. Looks at names and
// sizes only, no deeper than this, and at most at so many folders. `storage`: as in OpenOptions.
inline constexpr size_t kMostRunFolders = 10'000;
std::vector<FoundRun> FindRuns(const std::string& path, const StorageRef& storage = nullptr);

}  // namespace stepscope
