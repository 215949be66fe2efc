// Lists the levers on goodput: each changes the model's parameters and is described in words.
//
// A lever whose effect is not in the parameters uses an assumption, which the caller passes in.
// Their sources are in include/stepscope/goodput_model.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/model/model.h"

namespace stepscope::goodput {

struct LeverAssumptions {
  double sigterm_share = 0;      // of failures that are announced
  std::optional<double> pull_s;  // of Parameters::restart_s
  double pull_speedup = 1;
  std::optional<double> compile_s;  // of Parameters::restart_s
  double compile_cached_share = 0;
  std::optional<double> capacity_wait_s;  // of Parameters::reschedule_s
  int64_t spares_now = 0;
  std::optional<int64_t> spares;  // absent: enough for 99% of failures
  double repair_s = 0;
  double save_speedup = 1;
};

struct Lever {
  std::string key;                    // "hot_spares"
  std::string title;                  // "hot spares"
  std::string change;                 // "restart 600 s to 60.0 s", or the missing input
  std::optional<Parameters> becomes;  // no value: an input is missing
  int64_t extra_nodes = 0;            // that have to be paid for
};

inline constexpr std::string_view kAllLevers = "all";  // key of the last one

// Returns all levers in a fixed order: the best interval, the others at the current interval, and
// last all known ones together at their best interval.
std::vector<Lever> Levers(const Parameters& now, const LeverAssumptions& assumed);

}  // namespace stepscope::goodput
