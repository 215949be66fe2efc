// Keys are those that condense/about writes.
#include "ingest/partial/partial_about.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace stepscope {
namespace {

using Json = nlohmann::json;

// A whole number of at least -1; others stay away.
void Take(const Json& of, const char* key, auto& number) {
  const auto found = of.find(key);
  if (found == of.end() || !found->is_number_integer()) return;
  const auto value = found->get<int64_t>();
  if (value >= -1 && std::in_range<std::decay_t<decltype(number)>>(value))
    number = static_cast<std::decay_t<decltype(number)>>(value);
}

void Take(const Json& of, const char* key, double& number) {
  const auto found = of.find(key);
  if (found != of.end() && found->is_number()) number = found->get<double>();
}

void Take(const Json& of, const char* key, bool& flag) {
  const auto found = of.find(key);
  if (found != of.end() && found->is_boolean()) flag = found->get<bool>();
}

void Take(const Json& of, const char* key, std::string& text) {
  const auto found = of.find(key);
  if (found != of.end() && found->is_string()) text = found->get<std::string>();
}

// Its last value is `last`.
template <class Enum>
void Take(const Json& of, const char* key, Enum last, Enum& value) {
  int64_t number = -1;
  Take(of, key, number);
  if (number >= 0 && number <= static_cast<int64_t>(last)) value = static_cast<Enum>(number);
}

void ForEach(const Json& of, const char* key, const auto& visit) {
  const auto found = of.find(key);
  if (found == of.end() || !found->is_array()) return;
  for (const Json& item : *found) visit(item);
}

// The groups of a rank have at most so many members together; what says more is not believed.
constexpr int64_t kMostRanks = 1'000'000;

// Adds a run of ranks: the first, how many, and how far they are apart; false where it is none, or
// they are more than `room`.
bool AddRun(const Json& run, int64_t room, std::vector<int64_t>& members) {
  const bool numbers =
      run.is_array() && run.size() == 3 &&
      std::ranges::all_of(run, [](const Json& n) { return n.is_number_integer(); });
  if (!numbers) return false;
  const auto first = run[0].get<int64_t>(), count = run[1].get<int64_t>(),
             apart = run[2].get<int64_t>();
  if (first < 0 || first > kMostRanks || count < 0 || count > room || apart < 1 ||
      apart > kMostRanks)
    return false;
  for (int64_t i = 0; i < count; ++i) members.push_back(first + i * apart);
  return true;
}

// Empty, which is unknown, where any of it cannot be read. `room`: what all groups may still have.
std::vector<int64_t> MembersOf(const Json& runs, int64_t& room) {
  std::vector<int64_t> members;
  for (const Json& run : runs) {
    if (!AddRun(run, room - std::ssize(members), members)) return {};
  }
  room -= std::ssize(members);
  return members;
}

DeviceProperties DeviceOf(const Json& json) {
  DeviceProperties device;
  Take(json, "device", device.device);
  Take(json, "name", device.name);
  Take(json, "memory_bytes", device.memory_bytes);
  Take(json, "compute_major", device.compute_major);
  Take(json, "compute_minor", device.compute_minor);
  Take(json, "multiprocessors", device.multiprocessors);
  Take(json, "threads_per_multiprocessor", device.threads_per_multiprocessor);
  Take(json, "clock_hz", device.clock_hz);
  Take(json, "memory_bandwidth", device.memory_bandwidth);
  Take(json, "peak_flops", device.peak_flops);
  return device;
}

void TakeGroups(const Json& json, TraceMeta& meta) {
  int64_t room = kMostRanks;
  ForEach(json, "groups", [&](const Json& group) {
    if (group.is_array()) meta.group_members.push_back(MembersOf(group, room));
  });
  ForEach(json, "group_descriptions", [&](const Json& text) {
    meta.group_descriptions.push_back(text.is_string() ? text.get<std::string>() : "");
  });
  meta.group_descriptions.resize(meta.group_members.size());
}

Note NoteOf(const Json& json) {
  Note note;
  std::string message;
  Take(json, "name", note.name);
  Take(json, "count", note.count);
  Take(json, "message", message);
  Take(json, "where", note.where);
  note.message = std::move(message);
  return note;
}

constexpr size_t kLongestPath = 4096;

// Only what can be the path of a file: it is shown, and part of commands.
bool IsPath(const std::string& path) {
  const bool controls =
      std::ranges::any_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  return !path.empty() && path.size() <= kLongestPath && !controls &&
         (path.front() == '/' || path.contains("://"));
}

RankTrace SourceOf(const Json& json) {
  RankTrace source;
  Take(json, "path", source.path);
  Take(json, "bytes", source.bytes);
  Take(json, "version", source.version);
  Take(json, "ends", source.ends);
  const auto written = json.find("written");  // may lie before the clock's beginning
  if (written != json.end() && written->is_number_integer())
    source.written = written->get<int64_t>();
  return IsPath(source.path) ? source : RankTrace();
}

}  // namespace

std::vector<std::string> PathsIn(std::string_view list) {
  std::vector<std::string> paths;
  const Json json = Json::parse(list, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return paths;
  for (const Json& path : json) {
    if (path.is_string()) paths.push_back(path.get<std::string>());
  }
  return paths;
}

std::string TakeAbout(std::string_view text, Recording& recording, CondensedRecording& condensed) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "";
  Trace& trace = recording.trace;
  int64_t world_size = -1;
  Take(json, "world_size", world_size);
  if (world_size > 0) trace.meta.world_size = world_size;
  Take(json, "machine", trace.meta.machine);
  Take(json, "framework", Framework::kJax, trace.meta.framework);
  Take(json, "recorded_by", RecordedBy::kAscend, trace.meta.recorded_by);
  Take(json, "device_name", trace.meta.device_name);
  Take(json, "has_python", trace.meta.has_python);
  Take(json, "events", trace.events_in_file);
  Take(json, "gpu_events", trace.gpu_events_in_file);
  Take(json, "on_host", condensed.on_host);
  Take(json, "host_communicates", condensed.host_communicates);
  Take(json, "launches", condensed.launches);
  Take(json, "launches_without_kernel", condensed.launches_without_kernel);
  Take(json, "launches_captured", condensed.launches_captured);
  Take(json, "steps_are_marked", condensed.steps_are_marked);
  Take(json, "queued", condensed.queued);
  Take(json, "recorded", condensed.recorded);
  condensed.recorded = std::max<int64_t>(condensed.recorded, 0);
  Take(json, "purpose", Purpose::kInference, condensed.purpose);
  Take(json, "compiled", condensed.compiled);
  TakeGroups(json, trace.meta);
  ForEach(json, "devices", [&](const Json& device) {
    if (device.is_object()) trace.meta.devices.push_back(DeviceOf(device));
  });
  if (const auto source = json.find("source"); source != json.end() && source->is_object())
    recording.source = SourceOf(*source);
  ForEach(json, "notes", [&](const Json& note) {
    if (note.is_object()) recording.notes.push_back(NoteOf(note));
  });
  std::string process;
  Take(json, "process", process);
  return process;
}

}  // namespace stepscope
