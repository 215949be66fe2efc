// Tells what is wrong with a server: each problem once, and once that it is over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_units.h"

namespace stepscope::goodput {

class Problems {
 public:
  using Tell = std::function<void(const std::string& sentence)>;

  explicit Problems(Tell tell) : tell_(std::move(tell)) {}

  // The problem is there. `source` has one at a time: of a database that is gone, errors say this
  // and then that. `now`: ns of a clock that is never set. Empty: nothing is.
  void See(std::string_view source, const std::string& problem, int64_t now);

  // Call now and then: tells what was not seen for a while.
  void TellOver(int64_t now);

  // A problem that comes back sooner was not over.
  static constexpr int64_t kQuiet = 10 * kSecond;

 private:
  struct Trouble {
    int64_t first = 0, last = 0;
    std::vector<std::string> told;  // sentences
  };

  Tell tell_;
  std::map<std::string, Trouble, std::less<>> troubles_;  // by source
};

}  // namespace stepscope::goodput
