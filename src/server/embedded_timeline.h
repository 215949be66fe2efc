// The part of a timeline that goes into a report.html: whole levels of detail, as fine as fits.
#pragma once

#include <cstddef>
#include <string>

#include "stepscope/timeline.h"

namespace stepscope::server {

// JSON of at most about `most_bytes`:
//   info    as /api/runs/ID/timeline; each track has "finest": below that level it has no tiles
//   tiles   "track.level.index" -> base64 of gzip; of each level that is there, all of them
//   events  "track.event" -> details, of the events that last longest
//   says    how they were chosen, as a sentence
//
// All tracks have the coarsest level, in which one tile holds the run. From there each kind of
// track gets finer levels as far as its share of the room goes: half of it is for the streams of
// accelerators. So what is left out of a track is exactly what is shorter than a bucket of its
// finest level, and that is still there as density.
std::string EmbeddedTimelineJson(const Timeline& timeline, size_t most_bytes);

}  // namespace stepscope::server
