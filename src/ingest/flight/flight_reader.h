// Finds and reads the dumps of a stuck job.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingest/flight/rank_dump.h"
#include "ingest/places.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct FoundDumps {
  std::vector<RankDump> dumps;   // by rank, one each
  std::vector<InputFile> files;  // all that were looked at and seem to be dumps
  std::vector<Note> notes;
};

// Reads the dumps under the paths, on `threads` threads (0: one per processor). A directory stands
// for the dumps in it, told by content, whatever their names; where it has none, for those of its
// subdirectories. A file that looks like a dump and cannot be read is a note. Of several dumps of
// one rank the one with the newest operation counts. Fails where no dump is found. A rank is read
// from the file's name ("nccl_trace_rank_3", "_dump_3", "3.json"), else from its content.
Result<FoundDumps> ReadDumps(std::span<const std::string> paths, int threads,
                             const Places& places = Places());

// Reads one dump; `path` says its rank, if it can. Fails on what is not one.
Result<RankDump> ReadFlightDump(ByteSource source, const std::string& path);

}  // namespace stepscope
