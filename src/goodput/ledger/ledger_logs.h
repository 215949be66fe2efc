// The events of a ledger: segments, put together to logs, and the logs of a job to one.
//
// A log is what one recorder or one import wrote, in the order in which it did. Where several logs
// of a job overlap in time their events are merged by time; the order within each is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/oddities.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct LogFile {
  std::string name;     // in a folder: the path below it
  int64_t bytes = 0;    // its size
  int64_t changed = 0;  // when, as the file system has it
  int64_t made = 0;     // the header's time
  int64_t done = 0;     // so many events at its beginning are in the rollup: not given again
};

using Log = std::vector<LogFile>;  // in the order they were written

// The logs of each job, by its name, in the order of their names.
using JobLogs = std::map<std::string, std::vector<Log>>;

// Whose segment it is: names of one log differ in what stands behind the last dash.
struct Segment {
  std::string job;
  LogFile file;
};

// Puts segments together, which come in the order of their names.
JobLogs JoinSegments(std::vector<Segment> segments);

// The segments in `folder` and the folders in it, by their names.
std::vector<std::string> SegmentNames(const std::string& folder, std::error_code& failed);

// All segments in `folder` and the folders in it. One that cannot be read is counted; one that was
// made and never written to holds nothing. Fails when there is no such folder.
Result<JobLogs> ListLogs(const std::string& folder, Oddities& oddities);

// Where an event stands: in which log and file of it, and as which of its events.
struct EventPlace {
  size_t log = 0, file = 0;
  int64_t number = 0;
};

// Opens a segment by its name.
using OpenSegment = std::function<Result<SegmentReader>(const std::string& name)>;

// Gives all events of the logs. An event without a writer has no sequence number either.
void ReadLogs(const OpenSegment& open, const std::vector<Log>& logs, Oddities& oddities,
              const std::function<void(const Event&, const EventPlace&)>& sink);

}  // namespace stepscope::goodput
