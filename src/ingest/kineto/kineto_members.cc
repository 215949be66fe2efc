// Reads them with a general JSON parser: they are small.
#include "ingest/kineto/kineto_members.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

// A member that is a whole number and not negative; -1 for any other.
template <class T>
T NumberOf(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number_unsigned()) return -1;
  const auto number = at->get<uint64_t>();
  return std::in_range<T>(number) ? static_cast<T>(number) : T{-1};
}

DeviceProperties PropertiesOf(const nlohmann::json& device) {
  const auto name = device.find("name");
  return {.device = NumberOf<int64_t>(device, "id"),
          .name = name != device.end() && name->is_string() ? name->get<std::string>() : "",
          .memory_bytes = NumberOf<int64_t>(device, "totalGlobalMem"),
          .compute_major = NumberOf<int32_t>(device, "computeMajor"),
          .compute_minor = NumberOf<int32_t>(device, "computeMinor"),
          .multiprocessors = NumberOf<int32_t>(device, "numSms"),
          .threads_per_multiprocessor = NumberOf<int32_t>(device, "maxThreadsPerMultiprocessor")};
}

std::string DescriptionOf(const nlohmann::json& config) {
  const auto text = config.find("pg_desc");
  return text != config.end() && text->is_string() ? text->get<std::string>() : "";
}

// `pg_config`: what PyTorch knows of the process groups that the rank is in. All or nothing.
std::vector<std::vector<int64_t>> GroupMembersOf(const nlohmann::json& info,
                                                 std::vector<std::string>& descriptions) {
  std::vector<std::vector<int64_t>> groups;
  const auto configs = info.find("pg_config");
  if (configs == info.end() || !configs->is_array()) return groups;
  for (const auto& config : *configs) {
    const auto ranks = config.is_object() ? config.find("ranks") : config.end();
    if (ranks == config.end() || !ranks->is_array()) return {};
    std::set<int64_t> members;
    for (const auto& rank : *ranks) {
      if (!rank.is_number_unsigned() || rank.get<uint64_t>() > INT64_MAX) return {};
      members.insert(rank.get<int64_t>());
    }
    groups.emplace_back(members.begin(), members.end());
    descriptions.push_back(DescriptionOf(config));
  }
  return groups;
}

void TakeDistributedInfo(const std::string& json, TraceMeta& meta) {
  const auto info = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!info.is_object()) return;
  const auto number = [&](const char* key) -> std::optional<int64_t> {
    const auto at = info.find(key);
    if (at == info.end()) return std::nullopt;
    if (at->is_number_unsigned() && at->get<uint64_t>() > INT64_MAX) return std::nullopt;
    if (at->is_number_integer() && at->get<int64_t>() >= 0) return at->get<int64_t>();
    if (at->is_string()) return ScaleDecimal(at->get<std::string>(), 0);
    return std::nullopt;
  };
  meta.rank = number("rank");
  meta.world_size = number("world_size");
  meta.process_groups = number("pg_count");
  meta.group_descriptions.clear();
  meta.group_members = GroupMembersOf(info, meta.group_descriptions);
  meta.group_descriptions.resize(meta.group_members.size());
}

void TakeDeviceProperties(const std::string& json, TraceMeta& meta) {
  const auto devices = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  meta.lists_no_device = devices.is_array() && devices.empty();
  if (!devices.is_array() || devices.empty() || !devices[0].is_object()) return;
  for (const auto& device : devices) {
    if (device.is_object()) meta.devices.push_back(PropertiesOf(device));
  }
  meta.device_name = meta.devices.front().name;
}

}  // namespace

void TakeMember(std::string_view key, const std::string& json, TraceMeta& meta) {
  if (key == "distributedInfo") return TakeDistributedInfo(json, meta);
  if (key == "deviceProperties") return TakeDeviceProperties(json, meta);
  std::string scratch;
  if (key == "host_name" && json.starts_with('"')) meta.machine = TextOf(json, scratch);
}

}  // namespace stepscope
