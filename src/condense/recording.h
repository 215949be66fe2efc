// Holds a recording that is to be condensed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "facts/facts.h"
#include "stepscope/rank_trace.h"
#include "stepscope/report.h"

namespace stepscope {

struct RecordingToCondense {
  const RankActivity* rank = nullptr;
  const StringTable* names = nullptr;
  int64_t events = 0, gpu_events = 0;  // of the file
  std::vector<Note> notes;             // about it
  std::string process;                 // its number, where the recording tells its rank; else empty
  RankTrace source;                    // its file

  // What facts/derived asks of one recording by itself: it, and its names. It keeps what is
  // derived.
  Facts OwnFacts() const {
    Facts facts;
    facts.names = names;
    facts.ranks = {rank, 1};
    return facts;
  }
};

}  // namespace stepscope
