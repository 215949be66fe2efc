// Packs the part of a timeline that goes into a report.html: complete levels of detail, as fine as
// fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "stepscope/timeline.h"

namespace stepscope::server {

struct EmbeddedTimeline {
  // JSON:
  //   info    as /api/runs/ID/timeline
  //   finest  of each track, in the order of its tracks: the level below which it has no tiles
  //   events  "track.event" -> details, of the events that last longest
  //   least   {device, other}: from so many ns on, each event of a device, and of another track, is
  //           a box of its finest level; 0: all are
  std::string json;
  // By level, as PackedText(): the tiles of all tracks that have it, one after another; those that
  // are missing have nothing in them. Side by side, as what repeats from step to step and from rank
  // to rank then packs well.
  std::map<uint32_t, std::string> tiles;
};

// With tiles of at most about `most_bytes` as text.
//
// All tracks have the coarsest level, in which one tile holds the run. From there each kind of
// track gets finer levels, until a finer one would show no more, or as far as its share of the room
// goes: half of it is for the streams of devices. So what is left out of a track is exactly
// what is shorter than a bucket of its finest level, and that is still there as density.
//
// On up to `threads` threads, 0: one per processor; what is chosen is the same on any number.
EmbeddedTimeline EmbedTimeline(const Timeline& timeline, size_t most_bytes, int threads);

}  // namespace stepscope::server
