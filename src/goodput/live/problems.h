// Tells what is wrong with a server: each problem once when it begins, and once when it is over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/time_units.h"

namespace stepscope::goodput {

class Problems {
 public:
  using Tell = std::function<void(const std::string& sentence)>;

  explicit Problems(Tell tell) : tell_(std::move(tell)) {}

  // The problem is there. `now`: ns of a clock that is never set. Empty: nothing is.
  void See(const std::string& problem, int64_t now);

  // Call now and then: tells what was not seen for a while.
  void TellOver(int64_t now);

  // A problem that comes back sooner was not over.
  static constexpr int64_t kQuiet = 10 * kSecond;

 private:
  struct Time {
    int64_t first = 0, last = 0;
  };

  Tell tell_;
  std::map<std::string, Time> seen_;
};

}  // namespace stepscope::goodput
