// Reads the tables of targets.
#include "ingest/nsys/report_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/valid_utf8.h"
#include "ingest/common/whole_number.h"
#include "ingest/nsys/nsys_tables.h"

namespace stepscope::nsys {
namespace {

constexpr size_t kMostDevices = 1024;
constexpr int64_t kNewestSchema = 3;

// By their numbers in the machine.
std::map<int64_t, DeviceProperties> DevicesOfMachine(const DatabaseFile& file) {
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"id", "name", "totalMemory", "memoryBandwidth", "clockRate", "smCount", "computeMajor",
       "computeMinor", "maxWarpsPerSm", "threadsPerWarp"});
  std::map<int64_t, DeviceProperties> devices;
  Rows rows = file.Read("TARGET_INFO_GPU", kColumns);
  while (rows.Next() && devices.size() < kMostDevices) {
    const auto id = rows.Int(0);
    if (!id) continue;
    DeviceProperties& device = devices[*id];
    AppendValidUtf8(device.name, rows.Text(1));
    device.memory_bytes = rows.Int(2).value_or(-1);
    device.memory_bandwidth = rows.Real(3).value_or(-1);
    device.clock_hz = rows.Real(4).value_or(-1);
    device.multiprocessors = Small(rows.Int(5));
    device.compute_major = Small(rows.Int(6));
    device.compute_minor = Small(rows.Int(7));
    const int64_t warps = Small(rows.Int(8)), threads = Small(rows.Int(9));
    if (warps > 0 && threads > 0) device.threads_per_multiprocessor = Small(warps * threads);
  }
  return devices;
}

// The machine's number of a process's device. By (process ID, device).
std::map<std::pair<int64_t, int64_t>, int64_t> NumbersInMachine(const DatabaseFile& file) {
  constexpr auto kColumns = std::to_array<std::string_view>({"pid", "cudaId", "gpuId"});
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
  Rows rows = file.Read("TARGET_INFO_CUDA_DEVICE", kColumns);
  while (rows.Next() && numbers.size() < kMostDevices * kMostDevices) {
    const auto process = rows.Int(0), device = rows.Int(1), number = rows.Int(2);
    if (process && device && number) numbers[{*process, *device}] = *number;
  }
  return numbers;
}

std::set<int64_t> DevicesUsed(const Trace& trace) {
  std::set<int64_t> devices;
  for (const Track& track : trace.tracks) {
    if (track.is_stream && devices.size() < kMostDevices) devices.insert(track.device);
  }
  return devices;
}

std::string HostName(const DatabaseFile& file) {
  std::string host;
  AppendValidUtf8(host, ValueIn(file, "TARGET_INFO_SYSTEM_ENV", "Hostname"));
  return host;
}

// By (type, metric).
std::map<std::pair<int64_t, int64_t>, std::string> NamesOfMetrics(const DatabaseFile& file) {
  constexpr size_t kMost = 100'000;
  constexpr auto kColumns = std::to_array<std::string_view>({"typeId", "metricId", "metricName"});
  std::map<std::pair<int64_t, int64_t>, std::string> names;
  Rows rows = file.Read("TARGET_INFO_GPU_METRICS", kColumns);
  while (rows.Next() && names.size() < kMost) {
    const auto type = rows.Int(0), metric = rows.Int(1);
    if (type && metric) names[{*type, *metric}] = rows.Text(2);
  }
  return names;
}

}  // namespace

void ReadMachine(const Source& source) {
  const auto machine = DevicesOfMachine(source.file);
  const auto numbers = NumbersInMachine(source.file);
  const std::string host = HostName(source.file);
  for (const auto& out : source.processes.all()) {
    TraceMeta& meta = out->trace().meta;
    meta.machine = host;
    for (const int64_t device : DevicesUsed(out->trace())) {
      const auto number = numbers.find({ProcessId(out->process()), device});
      const auto at = machine.find(number == numbers.end() ? device : number->second);
      if (at == machine.end()) continue;
      meta.devices.push_back(at->second);
      meta.devices.back().device = device;
    }
    if (!meta.devices.empty()) meta.device_name = meta.devices.front().name;
  }
}

void ReadMetrics(const Source& source) {
  if (!source.keep.Has(Kind::kCounter)) return;
  const auto names = NamesOfMetrics(source.file);
  const auto numbers = NumbersInMachine(source.file);
  std::map<int64_t, ProcessTrace*> users;  // by the machine's numbers of devices
  for (const auto& out : source.processes.all()) {
    for (const int64_t device : DevicesUsed(out->trace())) {
      const auto number = numbers.find({ProcessId(out->process()), device});
      users.try_emplace(number == numbers.end() ? device : number->second, out.get());
    }
  }
  constexpr auto kColumns =
      std::to_array<std::string_view>({"timestamp", "typeId", "metricId", "value"});
  Rows rows = source.file.Read(kMetrics, kColumns);
  while (rows.Next()) {
    const auto type = rows.Int(1), metric = rows.Int(2);
    const auto value = rows.Real(3);
    const auto user = users.find(type.value_or(-1) & 0xff);
    if (!type || !metric || !value || user == users.end()) continue;
    ProcessTrace& out = *user->second;
    ++out.trace().events_in_file;
    const auto times = out.TimesOf(rows.Int(0), rows.Int(0));
    const auto name = names.find({*type, *metric});
    if (!times || name == names.end()) continue;
    const TrackId track = out.Counters(user->first);
    out.trace().Add({times->start, 0, out.Intern(name->second), track, Kind::kCounter});
    out.trace().Set(RealField::kCounterValue, *value);
  }
  if (rows.damaged()) source.processes.NoteDamage();
}

LaunchedRank RankOfEnvironment(const DatabaseFile& file) {
  constexpr auto kColumns = std::to_array<std::string_view>({"name", "value"});
  LaunchedRank launched;
  Rows rows = file.Read("META_DATA_CAPTURE", kColumns);
  while (rows.Next()) {
    const std::string_view value = rows.Text(1);
    if (const size_t is = value.find('='); is != value.npos)
      launched.Take(value.substr(0, is), value.substr(is + 1));
  }
  return launched;
}

bool IsNewer(const DatabaseFile& file) {
  const std::string version = ValueIn(file, kExport, "EXPORT_SCHEMA_VERSION_MAJOR");
  return WholeNumber(version).value_or(0) > kNewestSchema;
}

}  // namespace stepscope::nsys
