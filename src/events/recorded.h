// Holds the events of a rank as they were read, one file behind the other.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "events/links.h"
#include "events/steps_at.h"
#include "stepscope/events.h"
#include "trace/trace.h"

namespace stepscope {

// One file. Its events are numbered from `first` on among all of the rank.
struct RecordedFile {
  std::shared_ptr<const Trace> read;
  uint32_t first = 0;

  const Trace& trace() const { return *read; }
  size_t size() const { return read->size(); }
};

struct RankRecord {
  int64_t rank = 0;
  std::vector<RecordedFile> files;
  StepsAt steps;

  size_t size() const { return files.empty() ? 0 : files.back().first + files.back().size(); }
};

// The events of these files, in this order. REQUIRES: fewer than 2^31 events in all.
EventTable EventsOf(int64_t rank, std::vector<std::shared_ptr<const Trace>> files,
                    std::vector<EventStep> steps);

}  // namespace stepscope
