// The levers on goodput: each is a change of the model's parameters, stated in words.
//
// A lever whose effect is not in the parameters rests on an assumption; they come from outside,
// with their sources (include/stepscope/goodput_model.h).
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
  std::optional<int64_t> spares;  // else as many as 99 % of failures need
  double repair_s = 0;
  double save_speedup = 1;
};

struct Lever {
  std::string key;                    // "hot_spares"
  std::string title;                  // "hot spares"
  std::string change;                 // what becomes what; or what has to be known to say so
  std::optional<Parameters> becomes;  // no value: not enough is known
  int64_t extra_nodes = 0;            // that have to be paid for
};

inline constexpr std::string_view kAllLevers = "all";  // key of the last one

// All levers, in a fixed order: the best interval, the others each with the interval as it is, and
// last all that are known together with the best interval for them.
std::vector<Lever> Levers(const Parameters& now, const LeverAssumptions& assumed);

}  // namespace stepscope::goodput
