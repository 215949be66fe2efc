// Reads tables in turn: what describes tasks before the tasks.
#include "ingest/ascend/ascend_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/valid_utf8.h"
#include "ingest/ascend/ascend_tables.h"
#include "ingest/common/ascend_task.h"
#include "ingest/common/range_names.h"
#include "ingest/common/reader_limits.h"
#include "trace/communication_names.h"

namespace stepscope {
namespace ascend {
namespace {

using Columns = std::span<const std::string_view>;

struct Span {
  int64_t start = 0, duration = 0;  // ns
};

class Reader {
 public:
  Reader(const DatabaseFile& file, Wanted keep)
      : file_(file), keep_(keep), texts_(file.TextsByKey(kStrings, "id", "value")) {
    trace_.meta.recorded_by = RecordedBy::kAscend;
  }

  Trace Read() {
    ReadMachine();
    ReadDescriptions();
    ReadTorch();
    ReadMarks();
    ReadSteps();
    ReadCalls();
    ReadCommunication();
    ReadTasks();
    if (file_.end() == InputEnd::kCorrupt)
      trace_.notes.Add(NoteKind::kCorrupt);
    else if (file_.truncated() || damaged_)
      trace_.notes.Add(NoteKind::kTruncated);
    return std::move(trace_);
  }

 private:
  template <size_t N, class Take>
  void Each(std::string_view table, const std::array<std::string_view, N>& columns,
            const Take& take) {
    if (!file_.Has(table)) return;
    Rows rows = file_.Read(table, columns);
    while (rows.Next()) take(rows);
    damaged_ = damaged_ || rows.damaged();
  }

  // The text of a number in STRING_IDS, in valid UTF-8; kNoString: there is none.
  StringId TextOf(std::optional<int64_t> id) {
    if (!id) return kNoString;
    const auto [at, is_new] = names_.try_emplace(*id, kNoString);
    if (!is_new) return at->second;
    std::string text;
    AppendValidUtf8(text, texts_.Find(*id));
    if (!text.empty()) at->second = trace_.strings.Intern(text);
    return at->second;
  }
  std::string_view View(StringId id) const {
    return id == kNoString ? std::string_view() : trace_.strings[id];
  }

  std::optional<Span> SpanOf(std::optional<int64_t> start, std::optional<int64_t> end) {
    ++trace_.events_in_file;
    if (!start || !end || !IsTime(*start) || !IsTime(*end) || trace_.size() >= kMostEvents) {
      trace_.notes.Add(NoteKind::kUnreadableEvent);
      return std::nullopt;
    }
    if (*end < *start) trace_.notes.Add(NoteKind::kNegativeDuration);
    return Span{*start, std::max<int64_t>(*end - *start, 0)};
  }

  TrackId Thread(int64_t global) {
    const auto [at, is_new] =
        threads_.try_emplace(global, static_cast<TrackId>(trace_.tracks.size()));
    if (is_new) {
      const auto number = static_cast<uint64_t>(global);
      trace_.tracks.push_back(
          {.process = std::to_string(number >> 32), .thread = std::to_string(number & 0xffffffff)});
    }
    return at->second;
  }
  TrackId Stream(int64_t device, int64_t stream, StringId name = kNoString) {
    const auto [at, is_new] =
        streams_.try_emplace(std::pair(device, stream), static_cast<TrackId>(trace_.tracks.size()));
    if (is_new)
      trace_.tracks.push_back(
          {.is_stream = true, .device = device, .stream = stream, .name = std::string(View(name))});
    return at->second;
  }

  // Adds an event of a kind that is wanted.
  bool Add(const Span& span, StringId name, TrackId track, Kind kind) {
    if (!keep_.Has(kind)) return false;
    trace_.Add({span.start, span.duration, name, track, kind});
    return true;
  }
  void SetConnection(int64_t connection) {
    // 0 ties nothing in a trace, and is a number of the file.
    if (connection >= 0 && connection < kNoConnection)
      trace_.Set(IntField::kCorrelation, connection + 1);
  }

  void ReadMachine() {
    std::vector<int64_t> ranks;
    Each(kRanks, std::to_array<std::string_view>({"rankId", "deviceId"}), [&](const Rows& rows) {
      if (const auto rank = rows.Int(0); rank && *rank >= 0 && ranks.size() < 2)
        ranks.push_back(*rank);
    });
    if (ranks.size() == 1) trace_.meta.rank = ranks.front();
    Each(kHosts, std::to_array<std::string_view>({"hostName"}), [&](const Rows& rows) {
      if (trace_.meta.machine.empty()) AppendValidUtf8(trace_.meta.machine, rows.Text(0));
    });
    Each(kDevices, std::to_array<std::string_view>({"id", "name"}), [&](const Rows& rows) {
      constexpr size_t kMostDevices = 4096;
      const auto id = rows.Int(0);
      if (!id || *id < 0 || trace_.meta.devices.size() >= kMostDevices) return;
      DeviceProperties device{.device = *id};
      AppendValidUtf8(device.name, rows.Text(1));
      trace_.meta.devices.push_back(std::move(device));
    });
    std::ranges::stable_sort(trace_.meta.devices, {}, &DeviceProperties::device);
    trace_.meta.device_name = "Ascend NPU";
    if (!trace_.meta.devices.empty() && !trace_.meta.devices.front().name.empty())
      trace_.meta.device_name = trace_.meta.devices.front().name;
  }

  // What tasks are, by their numbers.
  void ReadDescriptions() {
    Each(kCompute, std::to_array<std::string_view>({"globalTaskId", "name"}),
         [&](const Rows& rows) {
           const StringId name = TextOf(rows.Int(1));
           if (const auto task = rows.Int(0); task && name != kNoString) compute_[*task] = name;
         });
    Each(kCommunicationTasks, std::to_array<std::string_view>({"globalTaskId", "name"}),
         [&](const Rows& rows) {
           if (const auto task = rows.Int(0)) parts_[*task] = TextOf(rows.Int(1));
         });
    Each(kCopies, std::to_array<std::string_view>({"globalTaskId", "size", "memcpyOperation"}),
         [&](const Rows& rows) {
           if (const auto task = rows.Int(0))
             copies_[*task] = {rows.Int(1).value_or(-1), rows.Int(2).value_or(-1)};
         });
  }

  void ReadTorch() {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"startNs", "endNs", "globalTid", "name", "type",
                                         "sequenceNumber", "inputShapes", "inputDtypes"});
    Each(kTorch, kColumns, [&](const Rows& rows) {
      const auto span = SpanOf(rows.Int(0), rows.Int(1));
      const StringId name = TextOf(rows.Int(3));
      if (!span || name == kNoString) return;
      const int64_t type = rows.Int(4).value_or(kOperatorApi);
      const auto step = StepOfRange(View(name));
      const bool is_step = step && View(name).starts_with("ProfilerStep#");
      const Kind kind = is_step                ? Kind::kAnnotation
                        : type == kOperatorApi ? Kind::kOperator
                        : type == kQueueApi    ? Kind::kRuntime
                        : type == kPythonApi   ? Kind::kPython
                                               : Kind::kAnnotation;
      if (kind == Kind::kPython) trace_.meta.has_python = true;
      if (!Add(*span, name, Thread(rows.Int(2).value_or(0)), kind)) return;
      has_steps_ = has_steps_ || is_step;
      if (is_step) trace_.Set(IntField::kStep, *step);
      if (kind != Kind::kOperator) return;
      if (const auto sequence = rows.Int(5); sequence && *sequence >= 0)
        trace_.Set(IntField::kSequence, *sequence);
      if (keep_.inputs) AddInputs(rows.Int(6), rows.Int(7));
    });
  }

  // "4,3;3" and "float;float" of the file as "[[4,3],[3]]" and "["float","float"]".
  void AddInputs(std::optional<int64_t> shapes_id, std::optional<int64_t> types_id) {
    const std::string shapes(View(TextOf(shapes_id)));
    if (!IsShapeList(shapes)) return;
    std::string lists = "[[";
    for (const char c : shapes) lists += c == ';' ? "],[" : std::string(1, c);
    trace_.Set(TextField::kInputShapes, trace_.strings.Intern(lists + "]]"));
    const std::string types(View(TextOf(types_id)));
    if (types.empty() || types.find_first_of("\"\\") != types.npos) return;
    std::string names = "[\"";
    for (const char c : types) names += c == ';' ? "\",\"" : std::string(1, c);
    trace_.Set(TextField::kInputTypes, trace_.strings.Intern(names + "\"]"));
  }

  void ReadMarks() {
    Each(kMarks, std::to_array<std::string_view>({"startNs", "endNs", "globalTid", "message"}),
         [&](const Rows& rows) {
           const auto span = SpanOf(rows.Int(0), rows.Int(1));
           const StringId name = TextOf(rows.Int(3));
           if (!span || name == kNoString) return;
           const bool moment = span->duration == 0;
           const TrackId thread = Thread(rows.Int(2).value_or(0));
           if (!Add(*span, name, thread, moment ? Kind::kInstant : Kind::kAnnotation) || moment)
             return;
           if (const auto step = StepOfRange(View(name))) {
             has_steps_ = true;
             trace_.Set(IntField::kStep, *step);
           }
         });
  }

  // Where operators tell none.
  void ReadSteps() {
    if (has_steps_) return;
    Each(kSteps, std::to_array<std::string_view>({"id", "startNs", "endNs"}),
         [&](const Rows& rows) {
           const auto span = SpanOf(rows.Int(1), rows.Int(2));
           const auto number = rows.Int(0);
           if (!span || !number || *number < 0) return;
           const StringId name = trace_.strings.Intern("ProfilerStep#" + std::to_string(*number));
           const TrackId thread = threads_.empty() ? Thread(0) : threads_.begin()->second;
           if (Add(*span, name, thread, Kind::kAnnotation)) trace_.Set(IntField::kStep, *number);
         });
  }

  // Of calls within one another with one number the innermost is the launch.
  void ReadCalls() {
    struct Call {
      Span span;
      StringId name = kNoString;
      int64_t thread = 0, connection = kNoConnection;
    };
    std::vector<Call> calls;
    std::unordered_map<int64_t, size_t> innermost;  // by connection
    Each(kCalls,
         std::to_array<std::string_view>({"startNs", "endNs", "globalTid", "name", "connectionId"}),
         [&](const Rows& rows) {
           const auto span = SpanOf(rows.Int(0), rows.Int(1));
           const StringId name = TextOf(rows.Int(3));
           if (!span || name == kNoString) return;
           calls.push_back(
               {*span, name, rows.Int(2).value_or(0), rows.Int(4).value_or(kNoConnection)});
           const auto [at, is_new] =
               innermost.try_emplace(calls.back().connection, calls.size() - 1);
           if (!is_new && span->duration < calls[at->second].span.duration)
             at->second = calls.size() - 1;
         });
    for (size_t c = 0; c < calls.size(); ++c) {
      const Call& call = calls[c];
      if (!Add(call.span, call.name, Thread(call.thread), Kind::kRuntime)) return;
      if (innermost.at(call.connection) == c) SetConnection(call.connection);
    }
  }

  void ReadCommunication() {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"startNs", "endNs", "opName", "connectionId", "groupName",
                                         "dataType", "count", "opType", "deviceId"});
    const int64_t only = trace_.meta.devices.empty() ? 0 : trace_.meta.devices.front().device;
    std::map<StringId, int64_t> groups;
    Each(kCommunication, kColumns, [&](const Rows& rows) {
      groups_told_ = true;
      const auto span = SpanOf(rows.Int(0), rows.Int(1));
      const StringId name = TextOf(rows.Int(2));
      if (!span || name == kNoString) return;
      ++trace_.gpu_events_in_file;
      const StringId group = TextOf(rows.Int(4));
      const int64_t number = groups.try_emplace(group, std::ssize(groups)).first->second;
      const TrackId track = Stream(rows.Int(8).value_or(only), kFirstAscendGroup + number, group);
      if (!Add(*span, name, track, Kind::kCommunication)) return;
      SetConnection(rows.Int(3).value_or(kNoConnection));
      if (group != kNoString) trace_.Set(TextField::kGroupName, group);
      if (const StringId type = TextOf(rows.Int(7)); type != kNoString)
        trace_.Set(TextField::kCollective, type);
      const std::string_view type = ElementTypeOf(rows.Int(5).value_or(-1));
      if (!type.empty()) trace_.Set(TextField::kDataType, trace_.strings.Intern(type));
      if (const auto count = rows.Int(6); count && *count > 0)
        trace_.Set(IntField::kInElements, *count);
    });
  }

  struct Copy {
    int64_t bytes = -1, operation = -1;
  };

  void ReadTasks() {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"startNs", "endNs", "deviceId", "streamId", "globalTaskId", "taskType", "connectionId"});
    Each(kTasks, kColumns, [&](const Rows& rows) {
      const auto span = SpanOf(rows.Int(0), rows.Int(1));
      if (!span) return;
      const int64_t task = rows.Int(4).value_or(-1);
      const auto copy = copies_.find(task);
      StringId name = NameOfTask(task, rows.Int(5));
      const Kind kind = copy != copies_.end() ? Kind::kMemcpy : KindOfTask(task, name);
      if (kind == Kind::kUnknown) return;
      if (IsDeviceActivity(kind)) ++trace_.gpu_events_in_file;
      if (copy != copies_.end() && !CopyNameOf(copy->second.operation).empty())
        name = trace_.strings.Intern(CopyNameOf(copy->second.operation));
      const TrackId track = Stream(rows.Int(2).value_or(0), rows.Int(3).value_or(0));
      if (!Add(*span, name, track, kind)) return;
      SetConnection(rows.Int(6).value_or(kNoConnection));
      if (copy != copies_.end() && copy->second.bytes >= 0)
        trace_.Set(IntField::kBytes, copy->second.bytes);
    });
  }

  StringId NameOfTask(int64_t task, std::optional<int64_t> type) {
    if (const auto at = compute_.find(task); at != compute_.end()) return at->second;
    if (const auto at = parts_.find(task); at != parts_.end() && at->second != kNoString)
      return at->second;
    const StringId name = TextOf(type);
    return name == kNoString ? trace_.strings.Intern("unknown task") : name;
  }

  // Tasks that collectives are made of count where no table has the collectives.
  Kind KindOfTask(int64_t task, StringId name) {
    if (parts_.contains(task)) return groups_told_ ? Kind::kUnknown : Kind::kCommunication;
    if (compute_.contains(task))
      return IsCommunicationName(View(name)) && !groups_told_ ? Kind::kCommunication
                                                              : Kind::kCompute;
    return KindOfAscendTask(View(name), groups_told_);
  }

  const DatabaseFile& file_;
  Wanted keep_;
  DatabaseFile::Finder texts_;
  Trace trace_;
  std::unordered_map<int64_t, StringId> names_;
  std::unordered_map<int64_t, StringId> compute_, parts_;  // names, by task
  std::unordered_map<int64_t, Copy> copies_;               // by task
  std::map<int64_t, TrackId> threads_;
  std::map<std::pair<int64_t, int64_t>, TrackId> streams_;
  bool has_steps_ = false, groups_told_ = false, damaged_ = false;
};

Error NothingIn(const DatabaseFile& file) {
  if (file.truncated()) {
    return {"the database ends early, before any event that can be read", "",
            "record or copy the file again"};
  }
  return {"the database has no events of Ascend's profiler that are read", "",
          "record with ProfilerActivity.CPU and ProfilerActivity.NPU"};
}

}  // namespace
}  // namespace ascend

bool IsAscendDatabase(const DatabaseFile& file) {
  if (!file.Has(ascend::kStrings, "value")) return false;
  return file.Has(ascend::kTasks, "globalTaskId") || file.Has(ascend::kTorch, "startNs") ||
         file.Has(ascend::kCalls, "globalTid");
}

Result<std::vector<Recording>> ReadAscendDatabase(const DatabaseFile& file,
                                                  const ReadOptions& options) {
  const Wanted keep = options.observer == nullptr ? options.keep : Wanted::All();
  Trace trace = ascend::Reader(file, keep).Read();
  if (trace.events_in_file == 0) {
    const Error why = ascend::NothingIn(file);
    return std::unexpected(why);
  }
  std::vector<Recording> recordings(1);
  recordings.front().trace = std::move(trace);
  return recordings;
}

}  // namespace stepscope
