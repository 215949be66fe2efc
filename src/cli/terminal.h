// Writes errors and progress to the terminal, and finds its color and width.
#pragma once

#include <string_view>

#include "stepscope/result.h"
#include "stepscope/session.h"
#include "stepscope/write.h"

namespace stepscope::cli {

// Color and width of text on stdout; color only on a terminal and without NO_COLOR.
TextStyle StdoutStyle();

// The language that was given; else, for people, that of the locale, where it is one of ours in
// UTF-8.
Language LanguageOf(const std::string& given, bool for_people);

// Prints to stderr, where that is possible: a reader that has gone is no reason to end. Text that
// comes from files must be printable (base/printable.h).
void ShowRaw(std::string_view text);

// Prints "stepscope: TEXT", which may come from anywhere, as a line to stderr.
void Tell(std::string_view text);

// Prints an error to stderr: what, where, what to try. Fields of the core become options.
void PrintError(const Error& error);

// A line of progress on stderr. It appears after half a second of reading and disappears at the
// end. Without a terminal nothing is printed.
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
