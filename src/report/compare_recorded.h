// Compares all that was recorded of two runs that mark no steps but did the same work.
#pragma once

#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// What the recordings of a rank take, ns; 0: steps are marked, or the runs did different work.
struct Recorded {
  double a = 0, b = 0;

  bool known() const { return a > 0 && b > 0; }
};

// The runs did the same work where nearly all of their operators run as often.
Recorded CompareRecorded(const ReportSet& a, const ReportSet& b);

// Adds a finding about the category that grew most, and returns what is said of it: "Recorded time:
// 1.51 s before, 2.75 s after (+82.0%), with the same operators." REQUIRES: recorded.known().
Phrase AddRecorded(const ReportSet& a, const ReportSet& b, const Recorded& recorded,
                   Report& report);

}  // namespace stepscope::comparison
