// Tells whether the files of a run are of one job, and which of its ranks have none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// What a recording says of its job.
struct FileOfJob {
  std::string path;
  std::optional<int64_t> world_size;
  const RankActivity* recording = nullptr;
};

// Fails where recordings are of worlds of different sizes: those of one job are not, unless it was
// started anew, and nothing that adds them up is true. Says which files belong together.
Result<void> CheckSameWorld(std::span<const FileOfJob> files);

// Notes which ranks have no recording, and what makes doubtful that all are of one job: process
// groups that contradict each other, and ranks of one machine that were not recorded at one time.
void NoteJob(std::span<const FileOfJob> files, RunInfo& info);

}  // namespace stepscope
