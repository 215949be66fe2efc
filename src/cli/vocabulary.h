// Lists every option of the command line once, with its spelling, its value, its help, and the
// field of the core that it sets.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stepscope/report.h"

namespace stepscope::cli {

struct Word {
  std::string_view names;   // "--steps" or "-o,--output"
  std::string_view value;   // TIME, SHARE and N are read as such; empty: a switch
  std::string_view help;    // a noun or an imperative, with its unit
  std::string_view preset;  // the default; empty: none
  std::string_view fields;  // of the core, between spaces
};

std::span<const Word> Vocabulary();

// By its long name; null where there is none.
const Word* FindWord(std::string_view name);

// Errors, reasons and hints of the core name fields in backticks; here they become options:
// "`save_s` is missing" says "--save-time is missing". A field that a command answers becomes that
// command. Other fields stay as they are, and so does all text within 'quotes', which is data.
std::string WithOptions(std::string_view text);

// The same in an error. A place that is not a field stays as it is.
Error WithOptions(Error error);

// The same in an answer, before it is laid out for people, where a sentence can only name a field:
// in reasons and in hints. All other text may hold names of a trace, and stays as it is.
void UseOptions(ReportSet& answer);

}  // namespace stepscope::cli
