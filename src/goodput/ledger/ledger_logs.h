// Reads the events of a ledger: joins segments into logs and merges the logs of a job.
//
// A log is the output of one recorder or import, in order. Overlapping logs of a job are merged by
// time; the order within each log is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/notes.h"
#include "goodput/ledger/ledger_faults.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct LogFile {
  std::string name;     // in a directory: the relative path
  int64_t bytes = 0;    // its size
  int64_t changed = 0;  // modification time
  int64_t made = 0;     // the header's time
  int64_t done = 0;     // leading events in the rollup, which are skipped
  bool faulty = false;  // a fault says already what is lost of it
};

using Log = std::vector<LogFile>;  // in the order they were written

// The logs of each job by job name, sorted by log name.
using JobLogs = std::map<std::string, std::vector<Log>>;

// The log of a segment: names of one log differ only after the last dash.
struct Segment {
  std::string job;
  LogFile file;
};

// Joins segments, which come sorted by name.
JobLogs JoinSegments(std::vector<Segment> segments);

// The segments below `folder`, by name, and its manifests if they are asked for. Fails on a
// directory that cannot be read, but for the lost+found of a file system.
std::vector<std::string> SegmentNames(const std::string& folder, std::error_code& failed,
                                      std::vector<std::string>* manifests = nullptr);

struct Listing {
  JobLogs logs;
  FolderManifest manifest;
  std::vector<SegmentFault> faults;
  std::vector<std::string> unreadable;  // paths of segments that no manifest lists
};

// All segments below `folder`, and what they lack by its manifests. Counts damaged ones that no
// manifest lists; those never written to hold nothing. Fails if `folder` does not exist, or the
// system cannot open or read a file: that says nothing of what is in it.
Result<Listing> ListLogs(const std::string& folder, Notes& note_counts);

// The position of an event: log, file, and index in the file.
struct EventPlace {
  size_t log = 0, file = 0;
  int64_t number = 0;
};

// Opens a segment by name.
using OpenSegment = std::function<Result<SegmentReader>(const std::string& name)>;

// Reads all events of the logs. An event without writer has no sequence number either.
void ReadLogs(const OpenSegment& open, const std::vector<Log>& logs, Notes& note_counts,
              const std::function<void(const Event&, const EventPlace&)>& sink);

}  // namespace stepscope::goodput
