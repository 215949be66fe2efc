// Parses dates and times of day.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope::goodput {

// Parses "2026-11-21T15:43:15", `utc_offset` seconds east of UTC or in this machine's zone, as
// seconds since 1970. Absent for anything else, and for years before 1971 or after 2242.
std::optional<int64_t> SecondsOf(std::string_view date_and_time, std::optional<int64_t> utc_offset);

// RFC 3339, "2026-11-21T15:43:15.123456Z" or "...+01:00", as ns since 1970; absent for
// anything else.
std::optional<int64_t> Rfc3339(std::string_view text);

}  // namespace stepscope::goodput
