// Says of which trace the partial of a rank was made, and opens that trace again: for a timeline,
// and for all that partials do not hold.
//
//   const auto held = stepscope::HoldTraces(session.TracesOf(4242), {});
//   if (held) auto run = Session::Open(held->paths, {.storage = held->storage});
//
// Partials are input, and may name any file of the machine. A trace is held only where it is an
// ordinary file that has the size, the time, and the first and last 64 KB that the partial names,
// so whoever wrote the partial has seen them; and what is read later is what was looked at,
// whatever becomes of its path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

// The trace of a rank as it was when it was read, or when its partial was made.
struct RankTrace {
  int64_t rank = 0;
  bool read = false;    // the run has it; else its partial
  std::string path;     // absolute, but in a storage; empty: not known
  int64_t bytes = -1;   // -1: not known, here and below where it is 0 or empty
  int64_t written = 0;  // as StoredItem
  std::string version;  // of one in a storage
  std::string ends;     // a hash of its first and last 64 KB
};

// The command that asks `command`, such as "stepscope serve", of the trace that the partial of the
// rank was made of, as a shell takes it; empty where the run has the trace, or nothing names it.
// `traces`: by rank.
std::string CommandOfTrace(int64_t rank, std::span<const RankTrace> traces,
                           std::string_view command);

// Files that stay open, as a storage that holds nothing else: no other path of the machine is read
// through it.
struct HeldTraces {
  std::vector<std::string> paths;
  StorageRef storage;
};

// The files of these traces, each once. Fails with the reason, and what to try, where one is gone,
// was changed, cannot be read, is no ordinary file, lies in none of the `folders` (none: anywhere),
// or in a storage.
Result<HeldTraces> HoldTraces(std::span<const RankTrace> traces,
                              const std::vector<std::string>& folders);

}  // namespace stepscope
