// Takes records out of rocprofv3's databases (rocpd): tables whose names end with a number that
// each recorded process has of its own, of schema 3 and 4.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/rocprof/process_trace.h"
#include "ingest/rocprof/rocpd_json.h"
#include "ingest/rocprof/rocprof_names.h"
#include "ingest/rocprof/rocprof_reader.h"

namespace stepscope {
namespace rocprof {
namespace {

constexpr std::string_view kPrefix = "rocpd_";
constexpr std::string_view kDispatchTable = "rocpd_kernel_dispatch";
constexpr std::string_view kCopyTable = "rocpd_memory_copy";
constexpr std::string_view kRegionTable = "rocpd_region";
constexpr size_t kMostParts = 1024;  // a file has as many as a job has processes on a host

int32_t Small(std::optional<int64_t> value) { return rocprof::Small(value.value_or(-1)); }

// The tables whose names end alike, and what they say.
class Part {
 public:
  Part(const DatabaseFile& file, std::string ending, Wanted keep)
      : file_(file),
        ending_(std::move(ending)),
        keep_(keep),
        strings_(file.TextsByKey(Named("rocpd_string"), "id", "string")),
        categories_(file.Has(Named("rocpd_info_category"))
                        ? file.TextsByKey(Named("rocpd_info_category"), "id", "name")
                        : file.TextsByKey(Named("rocpd_string"), "id", "string")) {}

  // Adds to the records of its processes.
  void Read(std::map<int64_t, ProcessRecords>& processes) {
    ReadProcesses(processes);
    ReadTracks();
    ReadThreads();
    ReadAgents();
    ReadKernels();
    ReadEvents();
    ReadRegions();
    ReadDispatches();
    ReadCopies();
  }
  bool damaged() const { return damaged_; }

 private:
  std::string Named(std::string_view table) const { return std::string(table) + ending_; }

  template <size_t N, class Take>
  void Each(std::string_view table, const std::array<std::string_view, N>& columns,
            const Take& take) {
    Rows rows = file_.Read(Named(table), columns);
    while (rows.Next()) take(rows);
    damaged_ = damaged_ || rows.damaged();
  }

  // The process of that number in the tables, which is its own where no table lists it.
  ProcessRecords& Of(int64_t process) {
    if (last_ != nullptr && process == last_process_) return *last_;
    ProcessRecords* known = nullptr;
    if (const auto at = by_number_.find(process); at != by_number_.end()) known = at->second;
    if (known == nullptr && (*all_).size() >= kMostParts) known = &(*all_).begin()->second;
    if (known == nullptr) {
      known = &(*all_)[process];
      known->process = process;
    }
    last_process_ = process;
    last_ = by_number_[process] = known;
    return *known;
  }

  void ReadProcesses(std::map<int64_t, ProcessRecords>& processes) {
    all_ = &processes;
    std::map<int64_t, std::string> machines;
    Each("rocpd_info_node", std::to_array<std::string_view>({"id", "hostname"}),
         [&](const Rows& rows) {
           if (const auto id = rows.Int(0); id && machines.size() < kMostParts)
             machines[*id] = rows.Text(1);
         });
    constexpr auto kColumns =
        std::to_array<std::string_view>({"id", "pid", "nid", "environment", "init", "fini"});
    Each("rocpd_info_process", kColumns, [&](const Rows& rows) {
      const auto id = rows.Int(0), pid = rows.Int(1);
      if (!id || (processes.size() >= kMostParts && !processes.contains(pid.value_or(*id)))) return;
      ProcessRecords& process = processes[pid.value_or(*id)];
      process.process = pid.value_or(*id);
      by_number_[*id] = &process;
      if (const auto node = machines.find(rows.Int(2).value_or(0)); node != machines.end())
        process.machine = node->second;
      TakeEnvironment(rows.Text(3), process.launched);
      constexpr int64_t kNone = rocprof::Times::kNoTime;
      process.life = {rows.Int(4).value_or(kNone), rows.Int(5).value_or(kNone)};
    });
  }

  // Schema 4: where events are, in one number.
  struct Track {
    int64_t process = -1, thread = -1, agent = -1, queue = -1, stream = 0;
  };
  void ReadTracks() {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"id", "pid", "tid", "agent_id", "queue_id", "stream_id"});
    if (!file_.Has(Named("rocpd_track"), "stream_id")) return;
    Each("rocpd_track", kColumns, [&](const Rows& rows) {
      if (const auto id = rows.Int(0))
        tracks_[*id] = {rows.Int(1).value_or(-1), rows.Int(2).value_or(-1),
                        rows.Int(3).value_or(-1), rows.Int(4).value_or(-1),
                        rows.Int(5).value_or(0)};
    });
  }

  void ReadThreads() {
    Each("rocpd_info_thread", std::to_array<std::string_view>({"id", "tid"}),
         [&](const Rows& rows) {
           const auto id = rows.Int(0), thread = rows.Int(1);
           if (id && thread && *id != *thread) threads_[*id] = *thread;
         });
  }
  int64_t ThreadOf(int64_t id) const {
    const auto at = threads_.find(id);
    return at == threads_.end() ? id : at->second;
  }

  void ReadAgents() {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"id", "pid", "type", "type_index", "name", "product_name", "extdata"});
    Each("rocpd_info_agent", kColumns, [&](const Rows& rows) {
      constexpr size_t kMostAgents = 4096;
      const auto id = rows.Int(0);
      if (!id) return;
      ProcessRecords& process = Of(rows.Int(1).value_or(-1));
      if (process.agents.size() >= kMostAgents) return;
      Agent& agent = process.agents[*id];
      agent.is_gpu = rows.Text(2) == "GPU";
      agent.properties = PropertiesOf(rows.Text(6));
      agent.properties.device = agent.is_gpu ? rows.Int(3).value_or(*id) : *id;
      agent.properties.name = rows.Text(rows.Text(5).empty() ? 4 : 5);
    });
  }

  void ReadKernels() {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"id", "pid", "display_name", "kernel_name", "arch_vgpr_count", "extdata"});
    Each("rocpd_info_kernel_symbol", kColumns, [&](const Rows& rows) {
      const auto id = rows.Int(0);
      if (!id) return;
      ProcessRecords& process = Of(rows.Int(1).value_or(-1));
      std::string name(rows.Text(2).empty() ? rows.Text(3) : rows.Text(2));
      // Shown as users asked for it: mangled.
      if (name.starts_with("_Z")) {
        const std::string plain = MemberOf(rows.Text(5), "demangled_kernel_name");
        if (!plain.empty()) name = plain;
      }
      if (name.empty()) return;
      process.kernels[*id] = {.name = process.names.Intern(KernelName(name)),
                              .registers = Small(rows.Int(4))};
    });
  }

  struct Event {
    int64_t id = 0, correlation = 0;
    CallKind kind = CallKind::kRuntime;
  };
  void ReadEvents() {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"id", "stack_id", "category_id", "extdata"});
    std::map<int64_t, CallKind> kinds;  // by category
    Each("rocpd_event", kColumns, [&](const Rows& rows) {
      const auto id = rows.Int(0);
      if (!id) return;
      Event event{.id = *id, .correlation = rows.Int(1).value_or(0)};
      const int64_t category = rows.Int(2).value_or(-1);
      const auto [kind, is_new] = kinds.try_emplace(category, CallKind::kRuntime);
      if (is_new) kind->second = KindOfCategory(categories_.Find(category));
      event.kind = kind->second;
      if (event.kind == CallKind::kRange) {
        if (std::string text = MemberOf(rows.Text(3), "message"); !text.empty())
          messages_[*id] = std::move(text);
      }
      events_.push_back(event);
    });
    std::ranges::sort(events_, {}, &Event::id);
  }
  const Event* EventOf(std::optional<int64_t> id) const {
    if (!id) return nullptr;
    const auto at = std::ranges::lower_bound(events_, *id, {}, &Event::id);
    return at == events_.end() || at->id != *id ? nullptr : &*at;
  }

  static rocprof::Times TimesOf(const Rows& rows) {
    constexpr int64_t kNone = rocprof::Times::kNoTime;
    return {rows.Int(kStart).value_or(kNone), rows.Int(kEnd).value_or(kNone)};
  }

  // Columns that all tables of events have, in this order, and where their own begin.
  enum Column : size_t { kStart, kEnd, kEvent, kTrack, kProcess, kThread, kAgent, kQueue, kStream };
  static constexpr size_t kOwn = kStream + 1;
  template <size_t N>
  static constexpr auto WithOwn(const std::array<std::string_view, N>& own) {
    std::array<std::string_view, kOwn + N> columns = {
        "start", "end", "event_id", "track_id", "pid", "tid", "agent_id", "queue_id", "stream_id"};
    std::ranges::copy(own, columns.begin() + kOwn);
    return columns;
  }
  Track PlaceOf(const Rows& rows) const {
    if (const auto id = rows.Int(kTrack)) {
      const auto at = tracks_.find(*id);
      return at == tracks_.end() ? Track() : at->second;
    }
    return {rows.Int(kProcess).value_or(-1), rows.Int(kThread).value_or(-1),
            rows.Int(kAgent).value_or(-1), rows.Int(kQueue).value_or(-1),
            rows.Int(kStream).value_or(0)};
  }

  void ReadRegions() {
    Each(kRegionTable, WithOwn(std::to_array<std::string_view>({"name_id"})),
         [&](const Rows& rows) {
           const Track place = PlaceOf(rows);
           ProcessRecords& process = Of(place.process);
           const Event* event = EventOf(rows.Int(kEvent));
           Call call{.times = TimesOf(rows), .thread = ThreadOf(place.thread)};
           if (event != nullptr) {
             call.correlation = event->correlation;
             call.kind = event->kind;
           }
           const bool range = call.kind == CallKind::kRange;
           const Kind kind = call.kind == CallKind::kRuntime ? Kind::kRuntime : Kind::kAnnotation;
           if (!keep_.Has(kind) && !(range && keep_.Has(Kind::kOperator))) {
             ++process.others;
             return;
           }
           const auto message = range ? messages_.find(event->id) : messages_.end();
           call.name = message == messages_.end() ? Name(rows.Int(kOwn).value_or(-1), process)
                                                  : process.names.Intern(message->second);
           process.calls.push_back(call);
         });
  }

  StringId Name(int64_t id, ProcessRecords& process) {
    const auto [at, is_new] = named_.try_emplace({&process, id}, kNoString);
    if (is_new) at->second = process.names.Intern(strings_.Find(id));
    return at->second;
  }

  void ReadDispatches() {
    constexpr auto kColumns = WithOwn(std::to_array<std::string_view>(
        {"kernel_id", "group_segment_size", "workgroup_size_x", "workgroup_size_y",
         "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z"}));
    Each(kDispatchTable, kColumns, [&](const Rows& rows) {
      const Track place = PlaceOf(rows);
      const Event* event = EventOf(rows.Int(kEvent));
      const auto sizes = [&](size_t first) {
        std::array<int32_t, 3> all{};
        for (size_t i = 0; i < all.size(); ++i) all[i] = Small(rows.Int(first + i));
        return all;
      };
      Of(place.process)
          .dispatches.push_back({.times = TimesOf(rows),
                                 .correlation = event == nullptr ? 0 : event->correlation,
                                 .agent = place.agent,
                                 .queue = place.queue,
                                 .stream = place.stream,
                                 .kernel = rows.Int(kOwn).value_or(-1),
                                 .workgroup = sizes(kOwn + 2),
                                 .grid = sizes(kOwn + 5),
                                 .local_memory = Small(rows.Int(kOwn + 1))});
    });
  }

  void ReadCopies() {
    constexpr auto kColumns = WithOwn(
        std::to_array<std::string_view>({"name_id", "src_agent_id", "dst_agent_id", "size"}));
    std::map<int64_t, CopyDirection> directions;  // by name
    Each(kCopyTable, kColumns, [&](const Rows& rows) {
      const Track place = PlaceOf(rows);
      const Event* event = EventOf(rows.Int(kEvent));
      const int64_t name = rows.Int(kOwn).value_or(-1);
      const auto [direction, is_new] = directions.try_emplace(name, CopyDirection::kNone);
      if (is_new) direction->second = DirectionOf(strings_.Find(name));
      Of(place.process)
          .copies.push_back({.times = TimesOf(rows),
                             .correlation = event == nullptr ? 0 : event->correlation,
                             .from = rows.Int(kOwn + 1).value_or(-1),
                             .to = rows.Int(kOwn + 2).value_or(-1),
                             .stream = place.stream,
                             .bytes = rows.Int(kOwn + 3).value_or(-1),
                             .direction = direction->second});
    });
  }

  const DatabaseFile& file_;
  std::string ending_;
  Wanted keep_;
  DatabaseFile::Finder strings_, categories_;
  std::map<int64_t, ProcessRecords>* all_ = nullptr;
  std::map<int64_t, ProcessRecords*> by_number_;
  int64_t last_process_ = 0;
  ProcessRecords* last_ = nullptr;  // its records; null: none was asked for yet
  std::map<int64_t, Track> tracks_;
  std::map<int64_t, int64_t> threads_;
  std::vector<Event> events_;                          // by id
  std::unordered_map<int64_t, std::string> messages_;  // texts of ranges, by event
  std::map<std::pair<const ProcessRecords*, int64_t>, StringId> named_;
  bool damaged_ = false;
};

// What the names of a recording's tables end with.
std::set<std::string> EndingsOf(const DatabaseFile& file) {
  std::set<std::string> endings;
  for (const std::string_view beginning : {kDispatchTable, kCopyTable, kRegionTable}) {
    for (const std::string& table : file.TablesWith(beginning)) {
      std::string ending = table.substr(beginning.size());
      if ((ending.empty() || ending.starts_with('_')) && endings.size() < kMostParts)
        endings.insert(std::move(ending));
    }
  }
  return endings;
}

Error NothingIn(const DatabaseFile& file) {
  if (file.truncated()) {
    return {"the database ends early, before any event that can be read", "",
            "record or copy the file again"};
  }
  if (file.Has("rocpd_api") || file.Has("rocpd_op")) {
    return {"the database is of rocmProfileData (RPD), which is not read", "",
            "convert it to JSON with its rpd2tracing.py, or record with `rocprofv3 --sys-trace`"};
  }
  return {"the database has no events of rocprofv3 that are read", "",
          "record with `rocprofv3 --sys-trace --output-format rocpd -- COMMAND`"};
}

}  // namespace
}  // namespace rocprof

bool IsRocpd(const DatabaseFile& file) { return !file.TablesWith(rocprof::kPrefix).empty(); }

Result<std::vector<Recording>> ReadRocpd(const DatabaseFile& file, const ReadOptions& options) {
  const Wanted keep = options.observer == nullptr ? options.keep : Wanted::All();
  std::vector<rocprof::ProcessRecords> processes;
  bool damaged = false;
  for (const std::string& ending : rocprof::EndingsOf(file)) {
    rocprof::Part part(file, ending, keep);
    std::map<int64_t, rocprof::ProcessRecords> of_part;
    part.Read(of_part);
    damaged = damaged || part.damaged();
    for (auto& [id, process] : of_part) {
      if (!process.empty()) processes.push_back(std::move(process));
    }
  }
  if (processes.empty()) {
    const Error why = rocprof::NothingIn(file);
    return std::unexpected(why);
  }
  auto recordings = rocprof::TracesOf(std::move(processes), keep);
  Notes& notes = recordings.front().trace.notes;
  if (file.end() == InputEnd::kCorrupt)
    notes.Add(NoteKind::kCorrupt);
  else if (file.truncated() || damaged)
    notes.Add(NoteKind::kTruncated);
  return recordings;
}

}  // namespace stepscope
