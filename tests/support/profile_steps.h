// Profiles with a host and a GPU, and the steps that a reader finds in them, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/read_profile.h"
#include "tests/support/sample_xspace.h"

namespace stepscope {

using Steps = std::vector<std::pair<std::string, int64_t>>;

// A profile with a host and a GPU. Kernels are found by their names.
struct Profile {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& thread = host.Line(1, "python");
  SampleLine& stream = file.Plane("/device:GPU:0").Line(7, "Stream #7(Compute)");

  // A launch of 1 ns at `at` on `line`, and its kernel 100 ns later.
  void Launch(SampleLine& line, int64_t at, const std::string& kernel, int64_t correlation) {
    line.Event("cuLaunchKernel", at, 1, {{"correlation_id", correlation}});
    stream.Event(kernel, at + 100, 5, {{"correlation_id", correlation}});
  }
  Trace Read() { return ReadProfile(file.Bytes()); }
};

// Names and steps of device activity, or of the markers, in the order of the trace.
inline Steps StepsOf(const Trace& t, bool work) {
  Steps steps;
  for (EventId e = 0; e < t.size(); ++e) {
    if (IsDeviceActivity(t.kinds()[e]) != work) continue;
    const auto step = t.Ints(IntField::kStep).Find(e);
    if (work || step) steps.emplace_back(t.strings[t.names()[e]], step.value_or(-1));
  }
  return steps;
}
inline Steps Work(const Trace& t) { return StepsOf(t, true); }
inline Steps Markers(const Trace& t) { return StepsOf(t, false); }

// Start and duration of each marker, in the order of the trace.
inline std::vector<std::pair<int64_t, int64_t>> Spans(const Trace& t) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (EventId e = 0; e < t.size(); ++e) {
    if (!IsDeviceActivity(t.kinds()[e]) && t.Ints(IntField::kStep).Find(e))
      spans.emplace_back(t.starts()[e], t.durations()[e]);
  }
  return spans;
}

}  // namespace stepscope
