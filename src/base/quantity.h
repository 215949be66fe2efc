// Reads quantities as people write them.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// Seconds from "90", "90s", "30m", "1h30m", "1000d", "2w", "250ms", "5us", "5µs"; a bare number is
// seconds. Nothing negative.
Result<double> ReadDuration(std::string_view text);

// The same in nanoseconds, rounded to a thousandth of one: factors of units below a second are not
// exact in seconds.
Result<double> ReadNanoseconds(std::string_view text);

// 0.1 from "0.1" or "10%".
Result<double> ReadShare(std::string_view text);

// Bytes from "512", "80GB" (1e9), "1.5GiB" (2^30).
Result<double> ReadSize(std::string_view text);

// Bytes per second from "40GB/s" (1e9), "1.5GiB/s" (2^30), "400Gbit/s" (1e9 / 8). A number without
// a unit is none: links are known in GB/s, in Gbit/s and in bytes per second.
Result<double> ReadBandwidth(std::string_view text);

// 0.05 from "5pp": a difference of shares.
Result<double> ReadPoints(std::string_view text);

// A finite number: "16384", "540.35e9".
Result<double> ReadNumber(std::string_view text);

}  // namespace stepscope
