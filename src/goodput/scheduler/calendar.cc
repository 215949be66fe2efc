// Converts calendar times with the C library.
#include "goodput/scheduler/calendar.h"

#include <array>
#include <charconv>
#include <ctime>
#include <utility>

#include "base/time_units.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kLatest = int64_t{1} << 33;  // seconds: the year 2242
constexpr size_t kDateAndTime = std::string_view("2026-11-21T15:43:15").size();

std::optional<int> Digits(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

// Seconds east of UTC of "Z", "+01:00" or "-0530".
std::optional<int64_t> Zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto hours = Digits(text.substr(1, 2)), minutes = Digits(text.substr(text.size() - 2));
  if (!hours || !minutes || *hours > 24 || *minutes > 59) return std::nullopt;
  return (*hours * 3600 + *minutes * 60) * (text[0] == '-' ? -1 : 1);
}

}  // namespace

std::optional<int64_t> SecondsOf(std::string_view text, std::optional<int64_t> utc_offset) {
  constexpr auto kLengths = std::to_array<size_t>({4, 2, 2, 2, 2, 2});
  constexpr std::string_view kSeparators = "--T::";
  if (text.size() != kDateAndTime) return std::nullopt;
  std::array<int, kLengths.size()> parts{};  // year, month, day, hour, minute, second
  for (size_t p = 0, at = 0; p < parts.size(); at += kLengths[p] + 1, ++p) {
    if (p > 0 && text[at - 1] != kSeparators[p - 1]) return std::nullopt;
    const auto part = Digits(text.substr(at, kLengths[p]));
    if (!part) return std::nullopt;
    parts[p] = *part;
  }
  if (parts[0] < 1971) return std::nullopt;
  std::tm tm{};
  tm.tm_year = parts[0] - 1900;
  tm.tm_mon = parts[1] - 1;
  tm.tm_mday = parts[2];
  tm.tm_hour = parts[3];
  tm.tm_min = parts[4];
  tm.tm_sec = parts[5];
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
