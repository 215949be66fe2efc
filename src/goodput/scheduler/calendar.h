// Parses dates and times of day.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope::goodput {

// "2026-11-21T15:43:15" as seconds since the epoch, if the clock that showed it is `utc_offset`
// seconds east of UTC; without, it is in this machine's zone. Nothing for whatever else, or for a
// year before 1971 or after 2242.
std::optional<int64_t> SecondsOf(std::string_view date_and_time, std::optional<int64_t> utc_offset);

// RFC 3339, "2026-11-21T15:43:15.123456Z" or "...+01:00", as ns since the epoch; kUnknown for
// whatever else.
int64_t Rfc3339(std::string_view text);

}  // namespace stepscope::goodput
