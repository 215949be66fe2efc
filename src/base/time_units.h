// Names the units of time in nanoseconds.
#pragma once

#include <cstdint>

namespace stepscope {

inline constexpr int64_t kMicrosecond = 1'000;
inline constexpr int64_t kMillisecond = 1'000 * kMicrosecond;
inline constexpr int64_t kSecond = 1'000 * kMillisecond;
inline constexpr int64_t kMinute = 60 * kSecond;
inline constexpr int64_t kHour = 60 * kMinute;
inline constexpr int64_t kDay = 24 * kHour;

// ns in seconds.
constexpr double Seconds(int64_t ns) { return static_cast<double>(ns) / kSecond; }
// `amount` within `ns`, per second.
constexpr double PerSecond(double amount, double ns) { return amount / ns * kSecond; }
// Seconds in ns, rounded towards 0. REQUIRES: it fits.
constexpr int64_t Nanoseconds(double seconds) { return static_cast<int64_t>(seconds * kSecond); }

}  // namespace stepscope
