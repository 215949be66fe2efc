// Takes records out of rocprofv3's JSON: an array of processes, each with lists of agents, kernels,
// names and events.
#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "ingest/json/json_records.h"
#include "ingest/rocprof/json_fields.h"
#include "ingest/rocprof/process_trace.h"
#include "ingest/rocprof/rocprof_names.h"
#include "ingest/rocprof/rocprof_reader.h"

namespace stepscope {
namespace rocprof {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool";
// What a file has of one machine at most; more are damage.
constexpr size_t kMostProcesses = 1024;
constexpr size_t kMostAgents = 4096;

// Kinds and operations of calls in one number.
int64_t OperationOf(int64_t kind, int64_t operation) {
  return kind << 32 | (operation & 0xffffffff);
}

class Reader : public JsonVisitor {
 public:
  explicit Reader(Wanted keep) : keep_(keep) {}

  void BeginElement(std::string_view path) override {
    if (path == kRoot) return BeginProcess();
    if (list_ != List::kNone || !InProcess(path)) return;
    list_ = ListAt(path.substr(kRoot.size() + 1));
    inner_ = path.size() + 1;
    if (list_ == List::kNone) return;
    values_.fill(kAbsent);
    for (std::string& word : words_) word.clear();
    operation_ = 0;
    memory_ = 0;
  }

  void EndElement(std::string_view path) override {
    if (path == kRoot) return EndProcess();
    if (list_ == List::kNone || path.size() + 1 != inner_) return;
    Take();
    list_ = List::kNone;
  }

  void Number(std::string_view path, int64_t value) override {
    if (list_ != List::kNone) {
      if (const Value* known = ValueAt(Inner(path))) Set(*known, value);
    } else if (path == "rocprofiler-sdk-tool/metadata/pid") {
      current_.process = value;
    }
  }

  void Text(std::string_view path, std::string_view text) override {
    if (list_ == List::kOperations && Inner(path) == "operations") return AddOperation(text);
    if (list_ != List::kNone) {
      if (const Word* known = WordAt(Inner(path))) words_[static_cast<size_t>(*known)] = text;
    } else if (path == "rocprofiler-sdk-tool/metadata/node/hostname") {
      current_.machine = text;
    }
  }

  // Also what a file that is cut short has of a process.
  std::vector<ProcessRecords> Finish() {
    if (open_) EndProcess();
    return std::move(processes_);
  }

 private:
  static constexpr int64_t kAbsent = INT64_MIN;

  static bool InProcess(std::string_view path) {
    return path.size() > kRoot.size() && path.starts_with(kRoot) && path[kRoot.size()] == '/';
  }
  // The path within the element.
  std::string_view Inner(std::string_view path) const {
    return path.size() > inner_ ? path.substr(inner_) : std::string_view();
  }

  void BeginProcess() {
    current_ = {};
    places_.clear();
    kinds_ = 0;
    open_ = true;
  }

  void EndProcess() {
    open_ = false;
    list_ = List::kNone;
    PlaceDevices();
    if (!current_.empty() && processes_.size() < kMostProcesses)
      processes_.push_back(std::move(current_));
    current_ = {};
  }

  void Set(Value which, int64_t value) {
    values_[static_cast<size_t>(which)] = value;
    constexpr int64_t kPublic = 1, kPrivate = 2;  // heaps of the device's own memory
    const int64_t heap = Get(Value::kHeap);
    const bool own = heap == kPublic || heap == kPrivate;
    constexpr int64_t kMost = int64_t{1} << 50;
    if (which == Value::kHeapBytes && own && value > 0 && value < kMost && memory_ < kMost)
      memory_ += value;
  }
  int64_t Get(Value which, int64_t otherwise = kAbsent) const {
    const int64_t value = values_[static_cast<size_t>(which)];
    return value == kAbsent ? otherwise : value;
  }
  const std::string& Get(Word which) const { return words_[static_cast<size_t>(which)]; }

  void Take() {
    switch (list_) {
      case List::kAgents:
        return TakeAgent();
      case List::kKernels:
        return TakeKernel();
      case List::kOperations:
        ++kinds_;
        return;
      case List::kMessages:
        current_.messages[Get(Value::kKey)] = current_.names.Intern(Get(Word::kMessage));
        return;
      case List::kDispatches:
        return TakeDispatch();
      case List::kCopies:
        return TakeCopy();
      case List::kRuntimeCalls:
        return TakeCall(CallKind::kRuntime, Kind::kRuntime);
      case List::kCollectiveCalls:
        return TakeCall(CallKind::kCollective, Kind::kAnnotation);
      case List::kRanges:
        return TakeCall(CallKind::kRange, Kind::kAnnotation);
      case List::kOther:
        ++current_.others;
        return;
      case List::kNone:
        return;
    }
  }

  void TakeAgent() {
    if (current_.agents.size() >= kMostAgents) return;
    Agent agent;
    constexpr int64_t kGpu = 2;
    agent.is_gpu = Get(Value::kAgentType) == kGpu;
    DeviceProperties& device = agent.properties;
    device.name = Get(Word::kProduct).empty() ? Get(Word::kPlain) : Get(Word::kProduct);
    device.memory_bytes = memory_ > 0 ? memory_ : -1;
    SetProperties({.units = Get(Value::kUnits),
                   .waves = Get(Value::kWaves),
                   .lanes = Get(Value::kLanes),
                   .clock = Get(Value::kClock),
                   .target = Get(Value::kTarget)},
                  device);
    const int64_t number = Get(Value::kNumber);
    current_.agents[number] = agent;
    if (agent.is_gpu) places_.emplace_back(Get(Value::kPlace), Get(Value::kNode, number), number);
  }

  // Where an old file tells no places, GPUs are numbered in the order of their nodes.
  void PlaceDevices() {
    const bool told =
        std::ranges::all_of(places_, [](const auto& place) { return std::get<0>(place) >= 0; });
    std::ranges::sort(places_, {}, [](const auto& place) { return std::get<1>(place); });
    int64_t next = 0;
    for (const auto& [place, node, number] : places_)
      current_.agents[number].properties.device = told ? place : next++;
    // What is on no GPU is on a device that none of them has.
    for (auto& [number, agent] : current_.agents) {
      if (!agent.is_gpu) agent.properties.device = number;
    }
  }

  void TakeKernel() {
    const int64_t id = Get(Value::kKernel);
    const std::string_view plain = Get(Word::kPlain);
    std::string_view name = plain;
    for (const Word word : {Word::kTruncated, Word::kFormatted, Word::kDemangled}) {
      if (!Get(word).empty()) name = Get(word);
    }
    if (plain.empty() && name == "0") return;  // the place of no kernel
    if (name.empty()) return;
    current_.kernels[id] = {.name = current_.names.Intern(KernelName(name)),
                            .registers = Small(Get(Value::kRegisters))};
  }

  void AddOperation(std::string_view name) {
    current_.operations[OperationOf(kinds_, operation_++)] = current_.names.Intern(name);
  }

  rocprof::Times GetTimes() const { return {Get(Value::kStart), Get(Value::kEnd)}; }

  void TakeDispatch() {
    const auto sizes = [&](Value x) {
      std::array<int32_t, 3> all{};
      for (size_t i = 0; i < all.size(); ++i) all[i] = Small(values_[static_cast<size_t>(x) + i]);
      return all;
    };
    current_.dispatches.push_back({.times = GetTimes(),
                                   .correlation = Get(Value::kCorrelation, 0),
                                   .agent = Get(Value::kAgent, -1),
                                   .queue = Get(Value::kQueue, -1),
                                   .stream = Get(Value::kStream, 0),
                                   .kernel = Get(Value::kKernel, -1),
                                   .workgroup = sizes(Value::kBlockX),
                                   .grid = sizes(Value::kGridX),
                                   .local_memory = Small(Get(Value::kLocalMemory))});
  }

  void TakeCopy() {
    const int64_t operation = Get(Value::kOperation);
    const bool known = operation > 0 && operation <= static_cast<int64_t>(kLastDirection);
    current_.copies.push_back(
        {.times = GetTimes(),
         .correlation = Get(Value::kCorrelation, 0),
         .from = Get(Value::kFrom, -1),
         .to = Get(Value::kTo, -1),
         .stream = Get(Value::kStream, -1),
         .bytes = Get(Value::kBytes, -1),
         .direction = known ? static_cast<CopyDirection>(operation) : CopyDirection::kNone});
  }

  void TakeCall(CallKind kind, Kind as) {
    if (!keep_.Has(as) && !(kind == CallKind::kRange && keep_.Has(Kind::kOperator))) {
      ++current_.others;
      return;
    }
    current_.calls.push_back(
        {.times = GetTimes(),
         .correlation = Get(Value::kCorrelation, 0),
         .thread = Get(Value::kThread, -1),
         .operation = OperationOf(Get(Value::kKind, 0), Get(Value::kOperation, 0)),
         .kind = kind});
  }

  Wanted keep_;
  std::vector<ProcessRecords> processes_;
  ProcessRecords current_;
  bool open_ = false;
  List list_ = List::kNone;  // of the element at hand
  size_t inner_ = 0;         // where paths within it begin
  Values values_{};
  std::array<std::string, kWordCount> words_;
  int64_t memory_ = 0;
  int64_t kinds_ = 0, operation_ = 0;  // kinds of events so far, and operations of the one at hand
  std::vector<std::tuple<int64_t, int64_t, int64_t>> places_;  // of GPUs: place, node, number
};

Error NothingIn(JsonEnd end) {
  if (end == JsonEnd::kCutShort || end == JsonEnd::kDamaged) {
    return {"the file ends early, before any event that can be read", "",
            "record or copy the file again"};
  }
  return {"the file has no events of rocprofv3 that are read", "",
          "record with `rocprofv3 --sys-trace --output-format json -- COMMAND`"};
}

void NoteEnd(JsonEnd end, InputEnd input, Notes& notes) {
  if (input == InputEnd::kCorrupt) return notes.Add(NoteKind::kCorrupt);
  if (end == JsonEnd::kDamaged) notes.Add(NoteKind::kMalformed);  // all behind it is lost
  if (end == JsonEnd::kDamaged || end == JsonEnd::kCutShort || input == InputEnd::kTruncated ||
      input == InputEnd::kReadError)
    return notes.Add(NoteKind::kTruncated);
  if (end == JsonEnd::kFollowed || input == InputEnd::kTrailingBytes)
    notes.Add(NoteKind::kTrailingBytes);
}

}  // namespace
}  // namespace rocprof

bool LooksLikeRocprof(std::string_view beginning) {
  std::string plain;  // without spaces
  for (const char c : beginning) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') plain += c;
  }
  return plain.starts_with("{\"rocprofiler-sdk-tool\":");
}

Result<std::vector<Recording>> ReadRocprofJson(ByteSource source, const ReadOptions& options) {
  const Wanted keep = options.observer == nullptr ? options.keep : Wanted::All();
  rocprof::Reader reader(keep);
  const JsonEnd end = WalkJson(source, reader);
  auto processes = reader.Finish();
  if (processes.empty()) {
    const Error why = rocprof::NothingIn(end);
    return std::unexpected(why);
  }
  auto recordings = rocprof::TracesOf(std::move(processes), keep);
  rocprof::NoteEnd(end, source.end(), recordings.front().trace.notes);
  return recordings;
}

}  // namespace stepscope
