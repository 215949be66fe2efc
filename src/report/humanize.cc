// Chooses units and digits for display. Doubles suffice for display.
#include "report/humanize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

namespace stepscope {
namespace {

struct Scale {
  double factor;
  std::string_view name;
};

constexpr auto kTimes = std::to_array<Scale>({{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}});
constexpr auto kSizes =
    std::to_array<Scale>({{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}});

constexpr auto kOperations = std::to_array<Scale>({{1, "FLOP"},
                                                   {1e3, "kFLOP"},
                                                   {1e6, "MFLOP"},
                                                   {1e9, "GFLOP"},
                                                   {1e12, "TFLOP"},
                                                   {1e15, "PFLOP"}});

// Puts a comma between every three digits before the decimal point of a number in fixed notation.
std::string Grouped(std::string_view number) {
  const size_t point = std::min(number.find('.'), number.size());
  const size_t first = number.starts_with('-') ? 1 : 0;
  std::string out;
  for (size_t at = 0; at < number.size(); ++at) {
    if (at > first && at < point && (point - at) % 3 == 0) out += ',';
    out += number[at];
  }
  return out;
}

std::string ThreeDigits(double value) {
  const double size = std::fabs(value);
  if (size < 9.995) return fmt::format("{:.2f}", value);
  if (size < 99.95) return fmt::format("{:.1f}", value);
  return Grouped(fmt::format("{:.0f}", value));
}

// The whole number at or below `value`, or the end of int64 next to it.
int64_t Floor(double value) {
  constexpr double kEnd = 0x1p63;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  if (value < -kEnd) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(std::floor(value));
}

bool IsWhole(double value) { return value == std::trunc(value); }

// `value` in the smallest of `scales` that keeps it below 1000 once rounded, or in the largest.
std::string Scaled(double value, std::span<const Scale> scales) {
  size_t i = 0;
  while (i + 1 < scales.size() && std::fabs(value / scales[i].factor) >= 999.5) ++i;
  const std::string number = i == 0 && IsWhole(value) ? fmt::format("{:.0f}", value)
                                                      : ThreeDigits(value / scales[i].factor);
  return fmt::format("{} {}", number, scales[i].name);
}

std::string HumanNumber(double value, Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return fmt::format("{}", value);
    case Unit::kNanoseconds:
      return HumanTime(value);
    case Unit::kRatio:
      return HumanRatio(value);
    case Unit::kCount:
      return HumanCount(value);
    case Unit::kBytes:
      return HumanBytes(value);
    case Unit::kBytesPerSecond:
      return HumanBytes(value) + "/s";
    case Unit::kFlop:
      return HumanFlop(value);
    case Unit::kFlopPerSecond:
      return HumanFlop(value) + "/s";
    case Unit::kUnixTime:
      return HumanMoment(Floor(value));
    case Unit::kRatioDifference:
      return HumanPoints(value);
    case Unit::kRelativeChange:
      return HumanChange(value);
  }
  return {};
}

std::string HumanInteger(int64_t value, Unit unit) {
  if (unit == Unit::kNone) return fmt::format("{}", value);
  if (unit == Unit::kCount) return HumanCount(value);
  if (unit == Unit::kUnixTime) return HumanMoment(value);
  return HumanNumber(static_cast<double>(value), unit);
}

}  // namespace

std::string HumanTime(double ns) {
  // Minutes, hours and days read better than large numbers of seconds.
  constexpr auto kLong = std::to_array<Scale>({{24 * 3600e9, "d"}, {3600e9, "h"}, {60e9, "min"}});
  constexpr std::array<double, 3> kFrom = {72 * 3600e9, 2 * 3600e9, 600e9};
  for (size_t unit = 0; unit < kLong.size(); ++unit) {
    if (std::fabs(ns) < kFrom[unit]) continue;
    return fmt::format("{} {}", ThreeDigits(ns / kLong[unit].factor), kLong[unit].name);
  }
  return Scaled(ns, kTimes);
}

std::string HumanMoment(int64_t ns) {
  using namespace std::chrono;
  const auto second = floor<seconds>(sys_time<nanoseconds>(nanoseconds(ns)));
  const auto day = floor<days>(second);
  const year_month_day date(day);
  const hh_mm_ss time(second - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::string HumanBytes(double bytes) { return Scaled(bytes, kSizes); }

std::string HumanFlop(double flop) { return Scaled(flop, kOperations); }

std::string HumanRatio(double ratio) {
  if (ratio > 0 && ratio < 0.0005) return "<0.1%";
  if (ratio < 0 && ratio > -0.0005) return ">-0.1%";
  return Grouped(fmt::format("{:.{}f}", ratio * 100, std::abs(ratio) < 10 ? 1 : 0)) + "%";
}

std::string HumanChange(double change) {
  if (change >= 10) return fmt::format("{}×", HumanCount(std::round(change + 1)));
  const std::string text = HumanRatio(change);
  return change > 0 && text[0] != '<' ? "+" + text : text;
}

std::string HumanPoints(double difference) {
  std::string text = HumanRatio(difference);
  text.pop_back();
  return text + " pp";
}

std::string HumanCount(int64_t count) { return Grouped(fmt::format("{}", count)); }

std::string HumanCount(double count) {
  if (IsWhole(count)) return Grouped(fmt::format("{:.0f}", count));
  if (std::fabs(count) < 0.01) return fmt::format("{:.2g}", count);
  return ThreeDigits(count);
}

Phrase Plural(size_t count, std::string_view noun) {
  const std::string number = HumanCount(static_cast<int64_t>(count));
  return Phrase::OfForm(fmt::format("{{count}} {}", noun), {number},
                        fmt::format("{} {}{}", number, noun, count == 1 ? "" : "s"));
}

bool IsBlank(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty();
  if (const auto* number = std::get_if<double>(&cell)) return !std::isfinite(*number);
  return std::holds_alternative<std::monostate>(cell);
}

std::string HumanCell(const Cell& cell, Unit unit) {
  if (IsBlank(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return HumanInteger(*integer, unit);
  return HumanNumber(std::get<double>(cell) + 0.0, unit);  // -0.0 reads as 0
}

}  // namespace stepscope
