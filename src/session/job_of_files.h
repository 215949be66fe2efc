// Tells whether the files of a run are of one job, and which of its ranks have none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/intervals.h"
#include "facts/activity/rank_activity.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// What a recording says of its job.
struct FileOfJob {
  std::string path;
  std::optional<int64_t> world_size;
  bool tells_rank = false;  // itself, not only its name or place
  const RankActivity* recording = nullptr;
  std::string process = {};  // its number; empty: unknown
};

// The last part of its path.
std::string NameOf(const FileOfJob& file);

// From the first activity to the start of the last, without a hundredth of them at either end,
// whose times may be wrong. Nothing without activities.
std::optional<Interval> CoreOf(const RankActivity& rank);

// Fails where recordings are of worlds of different sizes: those of one job are not, unless it was
// started anew, and nothing that adds them up is true. Says which files belong together.
Result<void> CheckSameWorld(std::span<const FileOfJob> files);

// Fails where a rank was recorded in two folders at the same time: no rank is twice in a run. Names
// alone tell that only of one machine, since ranks may be numbered on each. Files of one folder are
// taken as its owner left them. n log n.
Result<void> CheckOneRun(std::span<const FileOfJob> files);

// Fails where most ranks were recorded in two processes each, one after the other or at once: these
// are two starts of a job, or two jobs, whose steps and ranks are not the same. Lists which files
// belong to which. A rank's recordings of one process are its windows.
Result<void> CheckOneStart(std::span<const FileOfJob> files);

// Notes which ranks have no recording, and what makes doubtful that all are of one job: process
// groups that contradict each other, ranks of one machine that were not recorded at one time, and
// numbers of steps that begin again.
void NoteJob(std::span<const FileOfJob> files, RunInfo& info);

}  // namespace stepscope
