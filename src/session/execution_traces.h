// Execution traces of PyTorch that lie beside the traces of a run, and give their operators shapes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ingest/execution_trace/execution_trace.h"
#include "ingest/places.h"
#include "stepscope/report.h"
#include "trace/trace.h"

namespace stepscope {

class ExecutionTraces {
 public:
  // Takes the execution traces out of `files`, told by their first bytes.
  ExecutionTraces(std::vector<std::string>& files, const Places& places, size_t threads);

  const std::vector<std::string>& paths() const { return paths_; }
  // Reads them. Those that cannot be read are noted.
  void Read(const Places& places, size_t threads);

  // Gives operators of the trace at `path` that have no inputs those of the execution trace of its
  // process whose names agree; notes say what was joined. Not if several fit alike. Of several that
  // fit, the file of the same rank counts, then the one with most nodes in common. May be called
  // for several traces at once. REQUIRES: the trace keeps operators and annotations.
  void Join(const std::string& path, Trace& trace, std::vector<Note>& notes);

  // About files that could not be read or fit no trace. After all traces were joined.
  std::vector<Note> NotesOfFiles() const;
  // Of each trace that was joined, which file it was.
  std::map<std::string, std::string> Joined() const;

 private:
  struct File {
    ExecutionTrace trace;
    Phrase problem;
    std::string used_by;  // the first trace
  };

  std::vector<std::string> paths_;
  std::vector<File> files_;  // of each path, once read
  std::map<std::string, std::string> joined_;
  mutable std::unique_ptr<std::mutex> mutex_;  // for what Join() writes
};

// Execution traces in subdirectories of these directories that hold no other JSON: where people
// keep them apart from the traces in the directory itself. Without those among `files`.
std::vector<std::string> ExecutionTracesBelow(std::span<const std::string> paths,
                                              std::span<const std::string> files,
                                              const Places& places);

// The same for a trace that is read again.
void JoinAgain(const std::string& execution_trace, const Places& places, Trace& trace);

}  // namespace stepscope
