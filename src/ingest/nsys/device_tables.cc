// Makes events of the tables of CUPTI's activity records.
#include "ingest/nsys/device_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "ingest/nsys/nsys_names.h"
#include "ingest/nsys/nsys_tables.h"

namespace stepscope::nsys {
namespace {

// Columns that all tables of devices have, in this order.
enum Column : size_t { kStart, kEnd, kDevice, kStream, kCorrelation, kProcess, kOwn };
constexpr size_t kOwnColumns = 12;
using Columns = std::array<std::string_view, kOwn + kOwnColumns>;

constexpr Columns WithOwn(std::array<std::string_view, kOwnColumns> own) {
  Columns columns = {"start", "end", "deviceId", "streamId", "correlationId", "globalPid"};
  for (size_t c = 0; c < kOwnColumns; ++c) columns[kOwn + c] = own[c];
  return columns;
}

constexpr Columns kKernelColumns = WithOwn(
    {"demangledName", "shortName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX",
     "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory", "mangledName"});
constexpr Columns kCopyColumns = WithOwn({"copyKind", "srcKind", "dstKind", "bytes"});
constexpr Columns kSetColumns = WithOwn({"memKind", "bytes"});
constexpr Columns kGraphColumns = WithOwn({"graphId"});
constexpr Columns kSyncColumns = WithOwn({"syncType", "deprecatedSyncType", "eventSyncId"});

LaunchConfig ConfigOf(const Rows& rows) {
  LaunchConfig config{.registers = Small(rows.Int(kOwn + 2))};
  for (size_t i = 0; i < 3; ++i) {
    config.grid[i] = Small(rows.Int(kOwn + 3 + i));
    config.block[i] = Small(rows.Int(kOwn + 6 + i));
  }
  const int64_t fixed = Small(rows.Int(kOwn + 9)), dynamic = Small(rows.Int(kOwn + 10));
  const int64_t shared = std::max<int64_t>(fixed, 0) + std::max<int64_t>(dynamic, 0);
  if ((fixed >= 0 || dynamic >= 0) && std::in_range<int32_t>(shared))
    config.shared_memory = static_cast<int32_t>(shared);
  return config;
}

class DeviceReader {
 public:
  DeviceReader(const Source& source, const NcclCalls& collectives)
      : source_(source), collectives_(collectives) {}

  void Read() {
    Each(kKernels, kKernelColumns, [&](const Rows& rows, ProcessTrace& out) { Kernel(rows, out); });
    Each(kCopies, kCopyColumns, [&](const Rows& rows, ProcessTrace& out) {
      const StringId name =
          out.Intern(CopyName(rows.Int(kOwn).value_or(0), rows.Int(kOwn + 1).value_or(-1),
                              rows.Int(kOwn + 2).value_or(-1)));
      Moved(rows, out, name, Kind::kMemcpy, rows.Int(kOwn + 3));
    });
    Each(kSets, kSetColumns, [&](const Rows& rows, ProcessTrace& out) {
      const int64_t device_memory = 2;
      const StringId name = out.Intern(SetName(rows.Int(kOwn).value_or(device_memory)));
      Moved(rows, out, name, Kind::kMemset, rows.Int(kOwn + 1));
    });
    Each(kGraphs, kGraphColumns, [&](const Rows& rows, ProcessTrace& out) { Graph(rows, out); });
    if (source_.keep.Has(Kind::kSync)) ReadRecords();
    Each(kSyncs, kSyncColumns, [&](const Rows& rows, ProcessTrace& out) { Sync(rows, out); });
  }

 private:
  template <class Take>
  void Each(std::string_view table, const Columns& columns, const Take& take) {
    if (!source_.file.Has(table)) return;
    if (!source_.file.Has(table, "start") || !source_.file.Has(table, "end"))
      return source_.processes.NoteTable(table);
    Rows rows = source_.file.Read(table, columns);
    while (rows.Next()) {
      ProcessTrace* out = source_.processes.Of(rows.Int(kProcess));
      if (out == nullptr) continue;
      ++out->trace().events_in_file;
      take(rows, *out);
    }
    if (rows.damaged()) source_.processes.NoteDamage();
  }

  // Whether an event was added: its kind is wanted, and its times are times.
  bool Add(const Rows& rows, ProcessTrace& out, StringId name, Kind kind) {
    const auto times = out.TimesOf(rows.Int(kStart), rows.Int(kEnd));
    if (!times) return false;
    if (IsDeviceActivity(kind)) ++out.trace().gpu_events_in_file;
    if (!source_.keep.Has(kind)) return false;
    const TrackId track = out.Stream(rows.Int(kDevice).value_or(0), rows.Int(kStream).value_or(-1));
    out.trace().Add({times->start, times->duration, name, track, kind});
    if (const auto correlation = rows.Int(kCorrelation))
      out.trace().Set(IntField::kCorrelation, *correlation);
    return true;
  }

  StringId KernelName(const Rows& rows, ProcessTrace& out) {
    for (const size_t column : {kOwn + size_t{0}, kOwn + size_t{1}, kOwn + size_t{11}}) {
      const auto id = rows.Int(column);
      if (!id) continue;
      const StringId name =
          out.Named(source_.texts, *id, 0, [](std::string_view text) { return text; });
      if (!out.trace().strings[name].empty()) return name;
    }
    return out.Intern("kernel");
  }

  void Kernel(const Rows& rows, ProcessTrace& out) {
    const StringId name = KernelName(rows, out);
    const Kind kind = out.IsCommunication(name) ? Kind::kCommunication : Kind::kCompute;
    if (!Add(rows, out, name, kind)) return;
    if (source_.keep.kernels) {
      Trace& trace = out.trace();
      trace.Set(IntField::kLaunchConfig, trace.launch_configs.Intern(ConfigOf(rows)));
    }
    if (kind == Kind::kCommunication)
      collectives_.Describe(out, rows.Int(kCorrelation).value_or(0));
  }

  // Bytes per ns are GB per second.
  void Moved(const Rows& rows, ProcessTrace& out, StringId name, Kind kind,
             std::optional<int64_t> bytes) {
    if (!Add(rows, out, name, kind) || !bytes || *bytes < 0) return;
    Trace& trace = out.trace();
    trace.Set(IntField::kBytes, *bytes);
    const int64_t duration = trace.durations().back();
    if (duration > 0)
      trace.Set(RealField::kBandwidth, static_cast<double>(*bytes) / static_cast<double>(duration));
  }

  void Graph(const Rows& rows, ProcessTrace& out) {
    const auto id = rows.Int(kOwn);
    const StringId name = out.Intern(id ? fmt::format("CUDA graph {}", *id) : "CUDA graph");
    if (Add(rows, out, name, Kind::kCompute)) out.notes.Add(ReportNote::kGraphsAsWhole);
  }

  // Where events were recorded on streams, for the waits for them.
  void ReadRecords() {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"eventSyncId", "globalPid", "streamId", "correlationId"});
    Rows rows = source_.file.Read(kEvents, kColumns);
    while (rows.Next()) {
      ProcessTrace* out = source_.processes.Of(rows.Int(1));
      const auto id = rows.Int(0), stream = rows.Int(2);
      if (out != nullptr && id && *id > 0 && stream)
        records_[out][*id] = {*stream, rows.Int(3).value_or(-1)};
    }
    if (rows.damaged()) source_.processes.NoteDamage();
  }

  // A stream's wait of which nobody knows what for tells no dependency: it is left out.
  void Sync(const Rows& rows, ProcessTrace& out) {
    const auto type = rows.Int(kOwn) ? rows.Int(kOwn) : rows.Int(kOwn + 1);
    const std::string_view kind = SyncName(type.value_or(0));
    if (kind.empty() || !source_.keep.Has(Kind::kSync)) return;
    const Record* record = nullptr;
    if (const auto of_process = records_.find(&out); of_process != records_.end()) {
      const auto at = of_process->second.find(rows.Int(kOwn + 2).value_or(0));
      if (at != of_process->second.end()) record = &at->second;
    }
    constexpr int64_t kStreamWait = 2;
    if (type == kStreamWait && record == nullptr) return;
    if (!Add(rows, out, out.Intern(kind), Kind::kSync) || record == nullptr) return;
    out.trace().Set(IntField::kWaitStream, record->stream);
    if (record->correlation > 0) out.trace().Set(IntField::kWaitCorrelation, record->correlation);
  }

  struct Record {
    int64_t stream = -1, correlation = -1;
  };

  const Source& source_;
  const NcclCalls& collectives_;
  std::unordered_map<const ProcessTrace*, std::unordered_map<int64_t, Record>> records_;
};

}  // namespace

void ReadDeviceTables(const Source& source, const NcclCalls& collectives) {
  DeviceReader(source, collectives).Read();
}

}  // namespace stepscope::nsys
