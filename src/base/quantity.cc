// Reads quantities.
#include "base/quantity.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace stepscope {
namespace {

std::unexpected<Error> Unreadable(std::string_view text, std::string what, std::string hint) {
  return std::unexpected(
      Error{"cannot read '" + std::string(text) + "' as " + std::move(what), "", std::move(hint)});
}

// The number at the start of `text`, which is taken off it.
std::optional<double> TakeNumber(std::string_view& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return value;
}

// Seconds of the unit at the start of `text`, which is taken off it.
std::optional<double> TakeUnit(std::string_view& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1e-9},      {"us", 1e-6}, {"\u00b5s", 1e-6},  // micro sign
      {"\u03bcs", 1e-6},                                   // Greek mu
      {"ms", 1e-3},      {"min", 60},  {"m", 60},         {"s", 1},
      {"h", 3600},       {"d", 86400}, {"w", 604800},
  };
  for (const auto& [name, seconds] : kUnits) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return seconds;
  }
  return std::nullopt;
}

}  // namespace

Result<double> ReadDuration(std::string_view text) {
  const auto unreadable =
      Unreadable(text, "a time", "write it as 90, 90s, 30m, 1h30m, 12h, 7d or 250ms");
  std::string_view rest = text;
  double sum = 0;
  for (bool first = true; first || !rest.empty(); first = false) {
    const auto number = TakeNumber(rest);
    if (!number || *number < 0) return unreadable;
    if (first && rest.empty()) return *number;
    const auto unit = TakeUnit(rest);
    if (!unit) return unreadable;
    sum += *number * *unit;
  }
  if (!std::isfinite(sum)) return unreadable;
  return sum;
}

Result<double> ReadNanoseconds(std::string_view text) {
  constexpr double kPrecision = 1e-3;
  const auto seconds = ReadDuration(text);
  if (!seconds) return seconds;
  return std::round(*seconds * 1e9 / kPrecision) * kPrecision;
}

Result<double> ReadShare(std::string_view text) {
  std::string_view rest = text;
  const auto number = TakeNumber(rest);
  if (number && rest.empty()) return *number;
  if (number && rest == "%") return *number / 100;
  return Unreadable(text, "a share", "write it as 0.1 or 10%");
}

Result<double> ReadPoints(std::string_view text) {
  std::string_view rest = text;
  const auto number = TakeNumber(rest);
  if (number && rest == "pp") return *number / 100;
  return Unreadable(text, "a difference of shares", "write it as 5pp");
}

Result<double> ReadSize(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},          {"B", 1},
      {"kB", 1e3},      {"MB", 1e6},
      {"GB", 1e9},      {"TB", 1e12},
      {"KiB", 1 << 10}, {"MiB", 1 << 20},
      {"GiB", 1 << 30}, {"TiB", 1024.0 * (1 << 30)}};
  std::string_view rest = text;
  const auto number = TakeNumber(rest);
  for (const auto& [name, bytes] : kUnits) {
    if (number && *number >= 0 && rest == name) return *number * bytes;
  }
  return Unreadable(text, "a size", "write it as 512MiB or 80GB");
}

Result<double> ReadBandwidth(std::string_view text) {
  const auto unreadable = Unreadable(text, "a bandwidth", "write it as 40GB/s or 400Gbit/s");
  if (!text.ends_with("/s")) return unreadable;
  std::string_view rest = text.substr(0, text.size() - 2);
  if (rest.ends_with("bit")) {
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"bit", 1}, {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}, {"Tbit", 1e12}};
    const auto number = TakeNumber(rest);
    for (const auto& [name, bits] : kUnits) {
      if (number && *number >= 0 && rest == name) return *number * bits / 8;
    }
    return unreadable;
  }
  if (!rest.ends_with('B')) return unreadable;
  const auto bytes = ReadSize(rest);
  return bytes ? bytes : unreadable;
}

Result<double> ReadNumber(std::string_view text) {
  std::string_view rest = text;
  const auto number = TakeNumber(rest);
  if (number && rest.empty()) return *number;
  return Unreadable(text, "a number", "write it as 16384 or 540.35e9");
}

}  // namespace stepscope
