// A private folder in which a process writes its trace, before it is taken into the run.
//
// libkineto writes below /tmp, or below KINETO_ONDEMAND_TRACE_DIR of the process, alone. A process
// in a container has a /tmp of its own, which is reached through /proc/PID/root.
#pragma once

#include <cstdint>
#include <string>

#include "capture/common/process.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// Whether a trace is there, as the folder shows it.
struct Staged {
  std::string file;     // the trace, whole and renamed; empty: not there
  bool begun = false;   // there is a temporary file
  int64_t written = 0;  // bytes in it
};

class Staging {
 public:
  // Makes the folder, mode 0700, with a name that nobody can guess; removes those that killed
  // captures left.
  static Result<Staging> Make(const Process& process);
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  ~Staging();  // removes the folder and what is left in it, unless Keep() was called

  // What the process is to write, in its own view of the file system.
  std::string FileForProcess() const { return inside_ + "/trace.json"; }
  Staged Look() const;
  // The trace stays, because the run could not take it; returns the folder's new path.
  std::string Keep();
  const std::string& path() const { return outside_; }
  // Bytes that the file system has left for this user; -1: unknown.
  int64_t Free() const;

 private:
  Staging(std::string inside, std::string outside)
      : inside_(std::move(inside)), outside_(std::move(outside)) {}

  std::string inside_, outside_;
  bool kept_ = false;
};

// Whether a process has written this trace, whole and renamed, since a moment. `file`: as it was
// asked for, in the view of the process; libkineto puts "_PID" before its ending.
bool IsWritten(const Process& process, const std::string& file, int64_t since);

// Folders below which a process may write.
std::string TraceFolderOf(const Process& process);

}  // namespace stepscope::capture
