// Makes the folder of a captured run and puts files into it: private to the user, limited in size,
// each file whole or not there.
//
// Names of files are made here from numbers and a host's name; none comes from the wire. A run
// without a folder of its own gets one in CaptureOptions::kept, with a marker file; only folders
// with it are removed again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// In the folder of each run: what was captured and what is missing. No trace.
inline constexpr std::string_view kCaptureFile = "stepscope-capture.json";
// In folders that may be removed when they are the oldest.
inline constexpr std::string_view kMarkerFile = ".stepscope-capture";

// "rank-3.host.4711.pt.trace.json" of a target with this suffix; only letters, digits, '-', '_' and
// '.' of the host.
std::string FileNameOf(const CaptureTarget& target, std::string_view suffix);

class RunFolder {
 public:
  // Makes the folder; of those in `kept`, removes the oldest beyond the limits. Fails if the folder
  // is not empty.
  static Result<RunFolder> Make(const CaptureOptions& options, std::string_view door, int64_t now);

  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }

  // Writes a file. `name` may have one folder before it: "stacks/rank-0.txt". Returns its size.
  Result<int64_t> Write(const std::string& name, std::string_view bytes);

  // Takes a trace that a profiler wrote, and removes it there; where `target` has a rank and the
  // trace names none, it is added (AddedMembers()). On failure the trace stays where it is.
  Result<int64_t> TakeTrace(const std::string& from, const std::string& name,
                            const CaptureTarget& target);

  // Writes kCaptureFile and syncs; removes the folder again if there is no trace and it was made
  // here. Sets `result.folder`.
  Result<void> Finish(CaptureResult& result);

 private:
  RunFolder(std::string path, int64_t limit, bool made)
      : path_(std::move(path)), limit_(limit), made_(made) {}
  Result<void> Fits(int64_t more) const;

  std::string path_;
  int64_t limit_;      // bytes
  bool made_;          // by us, just now
  int64_t bytes_ = 0;  // so far
};

// What a chrome trace lacks of rank, world size and host, as text behind its first brace:
// "\"distributedInfo\": {...}, ". `head` and `tail` are its first and last bytes, which hold all
// its members but its events. Empty: nothing is missing, or it is no such trace.
std::string AddedMembers(std::string_view head, std::string_view tail, const CaptureTarget& target);

// The text of kCaptureFile.
std::string CaptureText(const CaptureResult& result);

}  // namespace stepscope::capture
