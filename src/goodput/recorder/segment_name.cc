// Builds segment names from clocks and random bits.
#include "goodput/recorder/segment_name.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "base/time_units.h"
#include "goodput/recorder/segment.h"

namespace stepscope::goodput {
namespace {

int64_t Clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

}  // namespace

int64_t WallClock() { return Clock(CLOCK_REALTIME); }
int64_t MonotonicClock() { return Clock(CLOCK_MONOTONIC); }

uint32_t RandomNumber() {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof value)) {
    value = static_cast<uint32_t>(MonotonicClock()) ^ static_cast<uint32_t>(getpid() << 16);
  }
  return value;
}

std::string NowInName() {
  const time_t now = static_cast<time_t>(WallClock() / kSecond);
  tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
  return text.data();
}

std::string SegmentPrefix(uint32_t random) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "-%d-%08x-", static_cast<int>(getpid()), random);
  return NowInName() + text.data();
}

std::string SegmentName(const std::string& prefix, uint32_t index) {
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%06u", index);
  return prefix + number.data() + std::string(kSegmentSuffix);
}

}  // namespace stepscope::goodput
