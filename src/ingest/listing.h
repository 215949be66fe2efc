// Lists what of a folder can be traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/places.h"
#include "stepscope/result.h"

namespace stepscope {

// How names of XPlane files end.
inline constexpr std::string_view kXPlane = ".xplane.pb";
// Beside captured traces: which workers gave one, and which did not (src/capture/common).
inline constexpr std::string_view kCaptureFile = "stepscope-capture.json";

// Each sorted by name, numbers by value.
struct Listing {
  std::vector<std::string> traces;  // by their names; what repeats another one is left out
  std::vector<std::string> folders;
  std::vector<std::string> reports;  // of Nsight Systems, not exported
};
Result<Listing> List(const Places& places, const std::string& folder);

// A report of Nsight Systems as it is recorded.
bool IsNsysReport(const std::string& path);

}  // namespace stepscope
