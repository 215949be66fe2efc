// Matches names, by RE2 where they are sought by a regular expression: its time is linear in the
// name, whatever the expression is.
#include "timeline/name_match.h"

#include <re2/re2.h>

#include <utility>

#include "base/ascii.h"

namespace stepscope {
namespace {

constexpr size_t kMostPattern = 1000;              // bytes of an expression
constexpr int64_t kMostMemory = int64_t{8} << 20;  // that it may take, compiled

re2::RE2::Options ExpressionOptions() {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  options.set_never_capture(true);
  return options;
}

}  // namespace

NameMatcher::NameMatcher() = default;
NameMatcher::NameMatcher(NameMatcher&&) noexcept = default;
NameMatcher& NameMatcher::operator=(NameMatcher&&) noexcept = default;
NameMatcher::~NameMatcher() = default;

Result<NameMatcher> NameMatcher::Of(const TimelineSearch& search) {
  NameMatcher matcher;
  if (!search.regex) {
    matcher.lower_ = Lower(search.text);
    return matcher;
  }
  if (search.text.size() > kMostPattern) {
    return std::unexpected(Error{"this regular expression is longer than 1000 bytes", "", ""});
  }
  matcher.expression_ = std::make_unique<re2::RE2>(search.text, ExpressionOptions());
  if (!matcher.expression_->ok()) {
    return std::unexpected(Error{"this is no regular expression: " + matcher.expression_->error(),
                                 search.text,
                                 "github.com/google/re2/wiki/Syntax lists what there is"});
  }
  return matcher;
}

bool NameMatcher::Matches(std::string_view name) const {
  if (expression_ == nullptr) return Lower(name).contains(lower_);
  return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *expression_);
}

std::vector<bool> NameMatcher::NamesOf(const Timeline::State& state, size_t recording,
                                       const std::stop_token& stop) const {
  const RecordedEvents& of = state.recordings[recording];
  std::vector<bool> matches(of.names(), false);
  for (uint32_t name = 0; name < of.names() && !stop.stop_requested(); ++name) {
    if (of.Uses(name) > 0) matches[name] = Matches(state.names[of.Shared(name)]);
  }
  return matches;
}

uint64_t EventsNamed(const RecordedEvents& recording, const std::vector<bool>& names) {
  uint64_t events = 0;
  for (uint32_t name = 0; name < names.size(); ++name) {
    if (names[name]) events += recording.Uses(name);
  }
  return events;
}

std::vector<uint32_t> NumbersOf(const Timeline::State& state, std::string_view name) {
  std::vector<uint32_t> numbers(state.recordings.size(), kNoString);
  for (size_t r = 0; r < state.recordings.size(); ++r) {
    const RecordedEvents& recording = state.recordings[r];
    for (uint32_t n = 0; n < recording.names(); ++n) {
      if (recording.Uses(n) > 0 && state.names[recording.Shared(n)] == name) numbers[r] = n;
    }
  }
  return numbers;
}

}  // namespace stepscope
