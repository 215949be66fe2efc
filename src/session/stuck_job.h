// Tells what a stuck job left behind from traces, where somebody asks for traces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingest/discover.h"
#include "ingest/places.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// Where the paths lead to dumps of a Flight Recorder, stacks or the status of NCCL's RAS service:
// what is there, and the command that reads it. Looks into directories, and those in them.
std::optional<Error> OfStuckJob(std::span<const std::string> paths, const Places& places);

// Whether all the files are such ones, by their first bytes.
bool AreOfStuckJob(std::span<const std::string> files);

struct LookedAt {
  int64_t files = 0, bytes = 0;
};

// Notes that such files lie in the directories that the traces are of. Looks at the first bytes of
// at most kMostNoted files that are not compressed, so that opening a run stays as fast in a full
// directory; says at how much it looked.
inline constexpr int64_t kMostNoted = 256;
LookedAt NoteStuckJob(std::span<const std::string> paths, const FoundTraces& traces,
                      const Places& places, std::vector<Note>& notes);

}  // namespace stepscope
