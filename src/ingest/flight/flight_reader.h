// Finds and reads what a stuck job left behind: dumps, stacks, the status of NCCL's RAS service.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/flight/rank_dump.h"
#include "ingest/flight/unusable_dump.h"
#include "ingest/places.h"
#include "ingest/ras/ras_status.h"
#include "ingest/stacks/rank_stack.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct FoundDumps {
  std::vector<RankDump> dumps;    // by rank, one each
  std::vector<RankStack> stacks;  // by rank, one each: the last by name
  std::vector<RasStatus> ras;     // by name
  // Of ranks without another dump: files that are named as the dumps are and cannot be read.
  std::vector<UnusableDump> unusable;
  std::vector<InputFile> files;  // all that were looked at and seem to be one of these
  std::vector<Note> notes;
};

// Reads what lies under the paths, on `threads` threads (0: one per processor). A directory stands
// for the files in it, told by content, whatever their names; where it has no dumps, for those of
// its subdirectories too, else for the stacks and the status in subdirectories without dumps. A
// file that looks like one of these and cannot be read is a note. Of several dumps of one rank the
// one with the newest operation counts. Fails where nothing is found, and where dumps of several
// jobs or attempts are (several_jobs.h). A rank is read as rank_of_dump.h says.
Result<FoundDumps> ReadDumps(std::span<const std::string> paths, int threads,
                             const Places& places = Places());

// What the first bytes of a file tell. Takes a few KB.
enum class HangFile : uint8_t { kNone, kDump, kStacks, kRas };
HangFile HangFileOf(std::string_view bytes);
inline constexpr size_t kHangSniff = 8 << 10;
// The same, but of what may be a dump only what has a dump's keys: there are other pickles.
HangFile SureHangFileOf(std::string_view bytes);

// Reads one dump; `path` says its rank, if it can. Fails on what is not one.
Result<RankDump> ReadFlightDump(ByteSource source, const std::string& path);

}  // namespace stepscope
