// Parses key:value lists and enumerations.
#include "ingest/xplane/xplane_details.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace stepscope {
namespace {

// Calls visit(key, value) for every key:value of the text.
template <class Visit>
void ForEachDetail(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = part.find(':');
    if (colon != part.npos) visit(part.substr(0, colon), part.substr(colon + 1));
  }
}

template <class T>
T Number(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? number : T{-1};
}

}  // namespace

LaunchConfig LaunchConfigOfDetails(std::string_view details) {
  constexpr int32_t kMostRegisters = 1024;  // no device has more per thread; ROCm writes garbage
  constexpr double kPercent = 0.01;
  LaunchConfig config;
  int64_t shared = -1;
  ForEachDetail(details, [&](std::string_view key, std::string_view value) {
    if (key == "grid") config.grid = SizesOf(value);
    if (key == "block") config.block = SizesOf(value);
    if (key == "static_shared" || key == "dynamic_shared") {
      const auto bytes = Number<int32_t>(value);
      if (bytes >= 0) shared = std::max<int64_t>(shared, 0) + bytes;
    }
    if (key == "regs") {
      const auto registers = Number<int32_t>(value);
      if (registers <= kMostRegisters) config.registers = registers;
    }
    if (key == "occ_pct") {
      const auto percent = Number<double>(value);
      if (percent > 0 && percent <= 100) config.occupancy = static_cast<float>(percent * kPercent);
    }
  });
  if (shared <= std::numeric_limits<int32_t>::max())
    config.shared_memory = static_cast<int32_t>(shared);
  return config;
}

int64_t BytesOfDetails(std::string_view details) {
  int64_t bytes = -1;
  ForEachDetail(details, [&](std::string_view key, std::string_view value) {
    if (key == "size" || key == "num_bytes") bytes = Number<int64_t>(value);
  });
  return bytes;
}

std::string_view DataTypeName(int64_t type) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"",         "float32",   "float64", "int32",       "uint8",        "int16",   "int8",
       "string",   "complex64", "int64",   "bool",        "qint8",        "quint8",  "qint32",
       "bfloat16", "qint16",    "quint16", "uint16",      "complex128",   "float16", "resource",
       "variant",  "uint32",    "uint64",  "float8_e5m2", "float8_e4m3fn"});
  const bool known = type >= 0 && type < static_cast<int64_t>(kNames.size());
  return known ? kNames[static_cast<size_t>(type)] : std::string_view();
}

}  // namespace stepscope
