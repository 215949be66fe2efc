// The terminal: color, width, errors, progress.
#pragma once

#include "stepscope/result.h"
#include "stepscope/session.h"
#include "stepscope/write.h"

namespace stepscope::cli {

// Colour and width for text on stdout: colour only on a terminal, and not with NO_COLOR set.
TextStyle StdoutStyle();

// Prints an error to stderr: what, where, what to try. Fields of the core become options.
void PrintError(const Error& error);

// A line of progress on stderr that appears when reading takes over half a second and disappears
// when it is done; nothing when stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const Progress& progress);
  void Clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  int64_t started_ns_ = 0;
};

}  // namespace stepscope::cli
