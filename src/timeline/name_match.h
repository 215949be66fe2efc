// Says which names a search means: those that hold a text, or match a regular expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"
#include "stepscope/timeline.h"
#include "timeline/state.h"

namespace re2 {
class RE2;
}

namespace stepscope {

class NameMatcher {
 public:
  // Fails for what is no regular expression, or one that would need too much memory.
  static Result<NameMatcher> Of(const TimelineSearch& search);
  NameMatcher(NameMatcher&&) noexcept;
  NameMatcher& operator=(NameMatcher&&) noexcept;
  ~NameMatcher();

  bool Matches(std::string_view name) const;
  // By the names of a recording, whether events have it and it matches. Once stopped, whatever it
  // has by then.
  std::vector<bool> NamesOf(const Timeline::State& state, size_t recording,
                            const std::stop_token& stop) const;

 private:
  NameMatcher();
  std::string lower_;  // where there is no expression
  std::unique_ptr<re2::RE2> expression_;
};

// How many events of the recording have one of these of its names.
uint64_t EventsNamed(const RecordedEvents& recording, const std::vector<bool>& names);

// By recording, its number for exactly this name, where events have it; else kNoString.
std::vector<uint32_t> NumbersOf(const Timeline::State& state, std::string_view name);

}  // namespace stepscope
