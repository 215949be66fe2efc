// Writes lines of a job's log in the form of the reference library; seconds count from kBegin.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/time_units.h"

namespace stepscope::testing {

inline constexpr int64_t kBegin = 1'780'000'000 * kSecond;

inline std::string Entry(const std::string& fields, const std::string& job = "j") {
  return fmt::format(R"({{"job_name": "{}", {}}})", job, fields) + "\n";
}

inline std::string At(const std::string& field, double seconds) {
  return fmt::format(R"("{}": {})", field, 1780000000 + seconds);
}

inline std::string Steps(int64_t first, int64_t last, double from, double each) {
  std::string text;
  for (int64_t s = first; s <= last; ++s) {
    text += Entry(fmt::format(R"("step_count": {}, )", s) +
                  At("step_start_time", from + each * static_cast<double>(s - first)));
  }
  return text;
}

}  // namespace stepscope::testing
