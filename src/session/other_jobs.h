// Tells files of different jobs in one directory, whoever recorded them.
#pragma once

#include <span>

#include "session/job_of_files.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// Fails where it is certain that the recordings are of different jobs, and lists which belong
// together: devices of different makers, or recordings by the calendar that lie two months apart.
Result<void> CheckOneJob(std::span<const FileOfJob> files);

// Notes that recordings of different profilers were taken together, and which.
void NoteProfilers(std::span<const FileOfJob> files, RunInfo& info);

}  // namespace stepscope
