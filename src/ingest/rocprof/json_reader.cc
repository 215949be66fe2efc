// Takes records out of rocprofv3's JSON: an array of processes, each with lists of agents, kernels,
// names and events.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/printable.h"
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

  // Lists that cannot stand where they do: in an element, or where only the lists of names are.
  JsonArray BeginArray(std::string_view path) override {
    if (path == kRoot) return JsonArray::kKnown;
    const std::string_view inner = InProcess(path) ? path.substr(kRoot.size() + 1) : path;
    if (InProcess(path) && IsRead(ListAt(inner))) {
      begun_.emplace(inner);
      return JsonArray::kKnown;
    }
    const std::string_view name = inner.substr(inner.rfind('/') + 1);
    const bool placed = list_ == List::kNone && inner.contains('/');
    return placed || name == "buffer_records" || rocprof::PathOfList(name, "").empty()
               ? JsonArray::kOther
               : JsonArray::kMisplaced;
  }

  // Each list is once in a process: another one of its name belongs to one whose beginning is lost.
  std::string PathOfList(std::string_view name, std::string_view key) const override {
    if (name == kRoot) return std::string(kRoot);
    const std::string_view path = rocprof::PathOfList(name, key);
    if (path.empty() || begun_.contains(path)) return {};
    return fmt::format("{}/{}", kRoot, path);
  }

  void LoseElement(std::string_view path) override {
    if (path == kRoot) {
      if (open_) EndProcess();
      return;
    }
    // Kinds are known by their place in the list.
    if (InProcess(path) && ListAt(path.substr(kRoot.size() + 1)) == List::kOperations)
      kinds_known_ = false;
    if (list_ == List::kNone) TakeBack();
    list_ = List::kNone;
  }

  bool MayReplace(int64_t characters) override {
    replaced_ += characters;
    return true;
  }

  void BeginElement(std::string_view path) override {
    if (path == kRoot) return BeginProcess();
    if (list_ != List::kNone || !InProcess(path)) return;
    list_ = ListAt(path.substr(kRoot.size() + 1));
    taken_ = List::kNone;
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
      CountOperation(path);
    } else if (path == "rocprofiler-sdk-tool/metadata/pid") {
      current_.process = value;
    } else if (path == "rocprofiler-sdk-tool/metadata/init_time") {
      current_.life.start = value;
    } else if (path == "rocprofiler-sdk-tool/metadata/fini_time") {
      current_.life.end = value;
    } else {
      CountEntry(path);
    }
  }

  void Text(std::string_view path, std::string_view text) override {
    if (list_ == List::kOperations && Inner(path) == "operations") return AddOperation(text);
    if (list_ != List::kNone) {
      if (const Word* known = WordAt(Inner(path))) words_[static_cast<size_t>(*known)] = text;
    } else if (path == "rocprofiler-sdk-tool/metadata/node/hostname") {
      current_.machine = text;
    } else {
      CountEntry(path);
    }
  }

  void Other(std::string_view path) override {
    list_ == List::kNone ? CountEntry(path) : CountOperation(path);
  }

  // Also what a file that is cut short has of a process.
  std::vector<ProcessRecords> Finish() {
    if (open_) EndProcess();
    if (!processes_.empty()) processes_.front().unreadable += dropped_;
    return std::move(processes_);
  }
  int64_t replaced() const { return replaced_; }

 private:
  static constexpr int64_t kAbsent = INT64_MIN;

  static bool IsRead(List list) { return list != List::kNone && list != List::kOther; }
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
    begun_.clear();
    kinds_ = 0;
    kinds_known_ = true;
    open_ = true;
  }

  void EndProcess() {
    open_ = false;
    list_ = taken_ = List::kNone;
    PlaceDevices();
    if (processes_.size() >= kMostProcesses)
      dropped_ += current_.unreadable + current_.size();
    else if (!current_.empty())
      processes_.push_back(std::move(current_));
    current_ = {};
  }

  // Where a list is to be, or an object of it, there is something else.
  void CountEntry(std::string_view path) {
    if (!InProcess(path)) return;
    const List list = ListAt(path.substr(kRoot.size() + 1));
    if (!IsRead(list)) return;
    ++(list >= List::kDispatches ? current_.unreadable : current_.odd_entries);
    if (list == List::kOperations) ++kinds_;
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

  // The last event may be without what it ended with, where damage follows it.
  void TakeBack() {
    const List taken = std::exchange(taken_, List::kNone);
    if (taken == List::kDispatches) current_.dispatches.pop_back();
    if (taken == List::kCopies) current_.copies.pop_back();
    if (taken == List::kRuntimeCalls) current_.calls.pop_back();
  }

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

  // Of a list of names, what is none.
  void CountOperation(std::string_view path) {
    if (list_ == List::kOperations && Inner(path) == "operations") ++operation_;
  }

  void AddOperation(std::string_view name) {
    if (!kinds_known_) return;
    current_.operations[OperationOf(kinds_, operation_++)] = current_.names.Intern(name);
  }

  rocprof::Times GetTimes() const { return {Get(Value::kStart), Get(Value::kEnd)}; }

  void TakeDispatch() {
    const auto sizes = [&](Value x) {
      std::array<int32_t, 3> all{};
      for (size_t i = 0; i < all.size(); ++i) all[i] = Small(values_[static_cast<size_t>(x) + i]);
      return all;
    };
    taken_ = List::kDispatches;
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
    taken_ = List::kCopies;
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
    taken_ = List::kRuntimeCalls;
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
  List list_ = List::kNone;   // of the element at hand
  List taken_ = List::kNone;  // of an event that ended last; calls of all kinds alike
  size_t inner_ = 0;          // where paths within it begin
  Values values_{};
  std::array<std::string, kWordCount> words_;
  int64_t memory_ = 0;
  int64_t kinds_ = 0, operation_ = 0;  // kinds of events so far, and operations of the one at hand
  bool kinds_known_ = true;            // none of the kinds so far is lost
  std::set<std::string, std::less<>> begun_;  // lists of the process at hand
  int64_t dropped_ = 0;                       // events of processes beyond the most
  int64_t replaced_ = 0;                      // characters
  std::vector<std::tuple<int64_t, int64_t, int64_t>> places_;  // of GPUs: place, node, number
};

std::string ShareOf(uint64_t bytes, const JsonRead& read) {
  return fmt::format("{:.1f}%", 100 * static_cast<double>(bytes) / static_cast<double>(read.bytes));
}

Error NothingIn(const JsonRead& read) {
  if (read.damages > 0) {
    return {
        fmt::format("the file is not JSON from byte {} on ({}), before any event that can be read",
                    read.first, Printable(read.first_text)),
        "", "record or copy the file again"};
  }
  if (read.end == JsonEnd::kCutShort) {
    return {"the file ends early, before any event that can be read", "",
            "record or copy the file again"};
  }
  return {"the file has no events of rocprofv3 that are read", "",
          "record with `rocprofv3 --sys-trace --output-format json -- COMMAND`"};
}

void NoteDamage(const JsonRead& read, Notes& notes) {
  const uint64_t lost = read.skipped + read.rest;
  notes.Add(NoteKind::kMalformed, read.damages,
            Say("first at byte {byte} ({text}); {lost} of {bytes} bytes ({share}) were skipped",
                read.first, Printable(read.first_text), lost, read.bytes, ShareOf(lost, read)));
}

// A file whose damage is so large that its rest is not read is one that ends there.
void NoteRest(const JsonRead& read, Notes& notes) {
  notes.Add(NoteKind::kTruncated, 1,
            Say("it is not JSON from byte {byte} on, and {rest} of {bytes} bytes ({share}) were "
                "not read",
                read.bytes - read.rest, read.rest, read.bytes, ShareOf(read.rest, read)));
}

void NoteEnd(const JsonRead& read, InputEnd input, Notes& notes) {
  constexpr uint64_t kSmall = 100;  // of this many bytes
  if (read.damages > 0) NoteDamage(read, notes);
  if (input == InputEnd::kCorrupt) return notes.Add(NoteKind::kCorrupt);
  if (read.end == JsonEnd::kCutShort || input == InputEnd::kTruncated ||
      input == InputEnd::kReadError)
    return notes.Add(NoteKind::kTruncated);
  if (read.end == JsonEnd::kDamaged && read.rest > read.bytes / kSmall) NoteRest(read, notes);
  if (read.end == JsonEnd::kFollowed || input == InputEnd::kTrailingBytes)
    notes.Add(NoteKind::kTrailingBytes);
}

}  // namespace
}  // namespace rocprof

bool LooksLikeRocprof(std::string_view beginning) {
  std::string plain;  // without spaces
  for (const char c : WithoutByteOrderMark(beginning)) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') plain += c;
  }
  return plain.starts_with("{\"rocprofiler-sdk-tool\":");
}

Result<std::vector<Recording>> ReadRocprofJson(ByteSource source, const ReadOptions& options) {
  const Wanted keep = options.observer == nullptr ? options.keep : Wanted::All();
  rocprof::Reader reader(keep);
  const JsonRead read = WalkJson(source, reader);
  auto processes = reader.Finish();
  if (processes.empty()) {
    const Error why = rocprof::NothingIn(read);
    return std::unexpected(why);
  }
  auto recordings = rocprof::TracesOf(std::move(processes), keep);
  Notes& notes = recordings.front().trace.notes;
  rocprof::NoteEnd(read, source.end(), notes);
  if (reader.replaced() > 0) notes.Add(NoteKind::kInvalidText, reader.replaced());
  return recordings;
}

}  // namespace stepscope
