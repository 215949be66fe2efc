// Parses cells as a whole: SQLite bounds their length, and nlohmann takes them without exceptions.
#include "ingest/rocprof/rocpd_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace stepscope::rocprof {

namespace {

// A cell may have 64 MB, and what is parsed takes more than its text.
nlohmann::json Parse(std::string_view text) {
  constexpr size_t kLongest = size_t{4} << 20;
  if (text.size() > kLongest) return {};
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::string MemberOf(std::string_view json, const char* key) {
  const nlohmann::json object = Parse(json);
  if (!object.is_object()) return "";
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

void TakeEnvironment(std::string_view json, LaunchedRank& launched) {
  const nlohmann::json environment = Parse(json);
  if (!environment.is_object()) return;
  for (const auto& [name, value] : environment.items()) {
    if (value.is_string()) launched.Take(name, value.get_ref<const std::string&>());
  }
}

DeviceProperties PropertiesOf(std::string_view json) {
  DeviceProperties device;
  const nlohmann::json agent = Parse(json);
  if (!agent.is_object()) return device;
  const auto number = [&](const char* key) -> int64_t {
    const auto at = agent.find(key);
    const bool known =
        at != agent.end() && at->is_number_unsigned() && at->get<uint64_t>() <= uint64_t{INT64_MAX};
    return known ? at->get<int64_t>() : -1;
  };
  SetProperties({.units = number("cu_count"),
                 .waves = number("max_waves_per_cu"),
                 .lanes = number("wave_front_size"),
                 .clock = number("max_engine_clk_fcompute"),
                 .target = number("gfx_target_version")},
                device);
  return device;
}

}  // namespace stepscope::rocprof
