// Converts calendar times with the C library: strptime() reads them, and only mktime() knows this
// machine's zone (C++20's zones are missing in GCC 12).
#include "goodput/scheduler/calendar.h"

#include <chrono>
#include <ctime>
#include <string>

#include "base/time_units.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kLatest = int64_t{1} << 33;  // seconds: the year 2242
constexpr size_t kDateAndTime = std::string_view("2026-11-21T15:43:15").size();

// Whether all of `text` has the form `format` of strptime().
bool Parse(std::string_view text, const char* format, std::tm& tm) {
  const std::string copy(text);  // which ends with zero
  return strptime(copy.c_str(), format, &tm) == copy.c_str() + copy.size();
}

// February has no 30th, which strptime() does not check.
bool DayExists(const std::tm& tm) {
  using namespace std::chrono;
  return (year(tm.tm_year + 1900) / (tm.tm_mon + 1) / tm.tm_mday).ok();
}

// Seconds east of UTC of "Z", "+01:00" or "-0530".
std::optional<int64_t> Zone(std::string_view text) {
  std::tm tm{};
  return Parse(text == "z" ? "Z" : text, "%z", tm) ? std::optional(tm.tm_gmtoff) : std::nullopt;
}

}  // namespace

std::optional<int64_t> SecondsOf(std::string_view text, std::optional<int64_t> utc_offset) {
  std::tm tm{};
  if (text.size() != kDateAndTime || !Parse(text, "%Y-%m-%dT%H:%M:%S", tm)) return std::nullopt;
  if (tm.tm_year < 71 || !DayExists(tm)) return std::nullopt;
  tm.tm_isdst = -1;  // by the zone's rules
  const int64_t seconds = utc_offset ? timegm(&tm) - *utc_offset : mktime(&tm);
  return seconds > 0 && seconds < kLatest ? std::optional(seconds) : std::nullopt;
}

std::optional<int64_t> Rfc3339(std::string_view text) {
  if (text.size() <= kDateAndTime) return std::nullopt;
  std::string_view rest = text.substr(kDateAndTime);
  int64_t fraction = 0, unit = kSecond;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1)) {
      unit /= 10;  // 0 for digits below a nanosecond
      fraction += (rest[0] - '0') * unit;
    }
  }
  const auto zone = Zone(rest);
  const auto seconds = zone ? SecondsOf(text.substr(0, kDateAndTime), zone) : std::nullopt;
  return seconds ? std::optional(*seconds * kSecond + fraction) : std::nullopt;
}

}  // namespace stepscope::goodput
