// Builds the tree of host ranges, calls and memory events from the columns of a trace.
#include "facts/activity/host_records.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/innermost.h"
#include "base/sort_runs.h"
#include "trace/processor_names.h"

namespace stepscope {
namespace {

constexpr uint32_t kUnused = UINT32_MAX;
// After so many ranges the memory of their drafts is given back.
constexpr size_t kReleaseAfter = 1 << 18;
constexpr auto kUnknownRole = static_cast<CallRole>(UINT8_MAX);

bool RunsPrograms(const Trace& trace) {
  return trace.Texts(TextField::kHloOp).size() > 0 &&
         std::ranges::any_of(trace.tracks, [](const Track& t) { return IsXlaThread(t.name); });
}

}  // namespace

HostRecords::HostRecords(const Trace& trace)
    : trace_(trace),
      correlations_(trace.Ints(IntField::kCorrelation)),
      bytes_(trace.Ints(IntField::kBytes)),
      addresses_(trace.Ints(IntField::kAddress)),
      allocated_(trace.Ints(IntField::kTotalAllocated)),
      reserved_(trace.Ints(IntField::kTotalReserved)),
      device_types_(trace.Ints(IntField::kDeviceType)),
      device_ids_(trace.Ints(IntField::kDeviceId)),
      steps_(trace.Ints(IntField::kStep)),
      iterators_(trace.Ints(IntField::kIterator)),
      iterator_parents_(trace.Ints(IntField::kIteratorParent)),
      eager_(trace.Ints(IntField::kEager)),
      requested_(trace.Ints(IntField::kRequestedBytes)),
      stacks_(trace.Ints(IntField::kStackBytes)),
      available_(trace.Ints(IntField::kAvailableBytes)),
      lifetime_peaks_(trace.Ints(IntField::kLifetimePeak)),
      flows_(trace.Ints(IntField::kFlowId)),
      runs_(trace.Ints(IntField::kExternalId)),
      in_elements_(trace.Ints(IntField::kInElements)),
      out_elements_(trace.Ints(IntField::kOutElements)),
      group_sizes_(trace.Ints(IntField::kGroupSize)),
      hlo_ops_(trace.Texts(TextField::kHloOp)),
      shapes_(trace.Texts(TextField::kInputShapes)),
      types_(trace.Texts(TextField::kInputTypes)),
      strides_(trace.Texts(TextField::kInputStrides)),
      values_(trace.Texts(TextField::kInputValues)),
      allocators_(trace.Texts(TextField::kAllocator)),
      framework_ops_(trace.Texts(TextField::kFrameworkOp)),
      regions_(trace.Texts(TextField::kRegion)),
      data_types_(trace.Texts(TextField::kDataType)),
      block_shapes_(trace.Texts(TextField::kShape)),
      opcodes_(trace.Texts(TextField::kHloCategory)),
      collectives_(trace.Texts(TextField::kCollective)),
      members_(trace.Texts(TextField::kGroupRanks)),
      fragmentations_(trace.Reals(RealField::kFragmentation)),
      thread_of_track_(trace.tracks.size(), kUnused),
      roles_(trace.strings.size(), kUnknownRole),
      runs_programs_(RunsPrograms(trace)) {
  Count();
}

// The same threads in the same order as Take() will meet them.
void HostRecords::Count() {
  SparseWalk bytes(trace_.Ints(IntField::kBytes));
  const auto kinds = trace_.kinds();
  for (EventId e = 0; e < trace_.size(); ++e) {
    const Kind kind = kinds[e];
    if (kind == Kind::kOperator || kind == Kind::kAnnotation) ++threads_[ThreadOf(e)].ranges.next;
    if (kind == Kind::kRuntime) ++threads_[ThreadOf(e)].calls.next;
    if (kind == Kind::kPythonWait || (kind == Kind::kInstant && bytes.At(e))) ThreadOf(e);
    if (kind == Kind::kPython) has_frames_ = true;
  }
  size_t ranges = 0, calls = 0;
  for (Thread& thread : threads_) {
    ranges += std::exchange(thread.ranges.next, ranges);
    calls += std::exchange(thread.calls.next, calls);
    thread.ranges.begin = thread.ranges.next;
    thread.calls.begin = thread.calls.next;
  }
  ranges_.Resize(ranges);
  order_.Resize(calls);
}

void HostRecords::Take(EventId e) {
  switch (trace_.kinds()[e]) {
    case Kind::kOperator:
    case Kind::kAnnotation:
      return TakeRange(e);
    case Kind::kRuntime:
      return TakeCall(e);
    case Kind::kInstant:
      return TakeMemoryEvent(e);
    case Kind::kPython:
      return TakePythonWait(e);
    case Kind::kPythonWait:
      return out_.waits.push_back({.start = Start(e), .end = End(e), .thread = ThreadOf(e)});
    default:
      return;
  }
}

HostOps HostRecords::Finish() {
  around_.Resize(calls_.size());
  for (uint32_t t = 0; t < threads_.size(); ++t) Nest(t);
  AddCalls();
  SortRuns(out_.memory, {}, &MemoryEvent::time);
  if (!trace_.memory.empty()) TakeMemoryTimeline();
  hand_overs_.Resolve(out_);
  return std::move(out_);
}

uint32_t HostRecords::ThreadOf(EventId e) {
  uint32_t& thread = thread_of_track_[trace_.tracks_of()[e]];
  if (thread == kUnused) {
    thread = static_cast<uint32_t>(threads_.size());
    threads_.emplace_back();
    const Track& track = trace_.tracks[trace_.tracks_of()[e]];
    out_.threads.push_back(track.name.empty() ? track.thread : track.name);
  }
  return thread;
}

void HostRecords::TakeRange(EventId e) {
  if (runs_programs_) TakeHandOver(e);
  ranges_[threads_[ThreadOf(e)].ranges.next++] = {.event = e, .detail = DetailOfRange(e)};
}

void HostRecords::TakeHandOver(EventId e) {
  const auto flow = flows_.At(e), run = runs_.At(e);
  const StringId name = trace_.names()[e];
  const bool waits = IsWait(name);
  if (!flow && !run && !waits) return;
  const uint32_t thread = ThreadOf(e);
  const bool operation = hlo_ops_.At(e).has_value();
  int64_t number = -1;
  if (flow)
    number = hand_overs_.AddFlow(
        *flow, {.time = Start(e), .thread = thread, .name = name, .operation = operation});
  if (run)
    hand_overs_.AddRunEvent(*run, {.start = Start(e),
                                   .end = End(e),
                                   .thread = thread,
                                   .flow = number,
                                   .device = device_ids_.At(e).value_or(-1),
                                   .operation = operation,
                                   .waits = waits});
  if (waits && !run) hand_overs_.AddNamedWait({Start(e), End(e), thread});
}

// Python waits for programs without any other record of it.
void HostRecords::TakePythonWait(EventId e) {
  if (!runs_programs_ || !IsWait(trace_.names()[e])) return;
  const uint32_t thread = thread_of_track_[trace_.tracks_of()[e]];
  if (thread != kUnused) hand_overs_.AddNamedWait({Start(e), End(e), thread});
}

bool HostRecords::IsWait(StringId name) {
  if (waits_.empty()) waits_.assign(trace_.strings.size(), -1);
  if (waits_[name] < 0) waits_[name] = IsXlaWait(trace_.strings[name]) ? 1 : 0;
  return waits_[name] > 0;
}

size_t HostRecords::HashOfDetail::operator()(const RangeDetail& detail) const {
  const auto parts = std::to_array<int64_t>(
      {detail.shapes, detail.types, detail.strides, detail.values, detail.step, detail.iterator,
       detail.iterator_parent, (detail.eager ? 1 : 0) + (detail.compiled ? 2 : 0), detail.device,
       detail.opcode, detail.collective, detail.element_type, detail.members, detail.in_elements,
       detail.out_elements, detail.group_size});
  return XXH3_64bits(parts.data(), sizeof parts);
}

int32_t HostRecords::DetailOfRange(EventId e) {
  RangeDetail detail{.shapes = shapes_.At(e).value_or(kNoString),
                     .types = types_.At(e).value_or(kNoString),
                     .strides = strides_.At(e).value_or(kNoString),
                     .values = values_.At(e).value_or(kNoString),
                     .step = steps_.At(e).value_or(-1),
                     .iterator = iterators_.At(e).value_or(-1),
                     .iterator_parent = iterator_parents_.At(e).value_or(-1),
                     .eager = eager_.At(e).value_or(0) > 0,
                     .compiled = hlo_ops_.At(e).has_value()};
  if (detail.compiled) AddOperation(e, detail);
  if (detail == RangeDetail{}) return -1;
  const auto [at, is_new] =
      details_.try_emplace(detail, static_cast<int32_t>(out_.range_details.size()));
  if (is_new) out_.range_details.push_back(detail);
  return at->second;
}

void HostRecords::AddOperation(EventId e, RangeDetail& detail) {
  detail.device = device_ids_.At(e).value_or(-1);
  detail.opcode = opcodes_.At(e).value_or(kNoString);
  detail.collective = collectives_.At(e).value_or(kNoString);
  detail.element_type = data_types_.At(e).value_or(kNoString);
  detail.members = members_.At(e).value_or(kNoString);
  detail.in_elements = in_elements_.At(e).value_or(-1);
  detail.out_elements = out_elements_.At(e).value_or(-1);
  detail.group_size = group_sizes_.At(e).value_or(-1);
}

void HostRecords::TakeCall(EventId e) {
  const uint32_t thread = ThreadOf(e);
  const StringId name = trace_.names()[e];
  CallRole& role = roles_[name];
  if (role == kUnknownRole) role = RoleOfCall(trace_.strings[name]);
  const int64_t correlation = correlations_.At(e).value_or(0);
  order_[threads_[thread].calls.next++] = static_cast<uint32_t>(calls_.size());
  calls_.Append({.start = Start(e),
                 .end = End(e),
                 .correlation = std::max<int64_t>(correlation, 0),
                 .name = name,
                 .thread = thread,
                 .role = role});
}

void HostRecords::TakeMemoryEvent(EventId e) {
  const auto bytes = bytes_.At(e);
  if (!bytes) return;           // another kind of moment
  constexpr int64_t kHost = 0;  // c10::DeviceType::CPU
  const int64_t type = device_types_.At(e).value_or(kHost);
  threads_[ThreadOf(e)].memory.push_back(
      {.time = Start(e),
       .address = addresses_.At(e).value_or(0),
       .bytes = *bytes,
       .allocated = allocated_.At(e).value_or(-1),
       .reserved = reserved_.At(e).value_or(-1),
       .device = type == kHost ? -1 : std::max<int64_t>(device_ids_.At(e).value_or(0), 0),
       .detail = DetailOfMemory(e)});
}

int32_t HostRecords::DetailOfMemory(EventId e) {
  const auto allocator = allocators_.At(e);
  if (!allocator) return -1;
  out_.memory_details.push_back({.allocator = *allocator,
                                 .framework_op = framework_ops_.At(e).value_or(kNoString),
                                 .region = regions_.At(e).value_or(kNoString),
                                 .type = data_types_.At(e).value_or(kNoString),
                                 .shape = block_shapes_.At(e).value_or(kNoString),
                                 .requested = requested_.At(e).value_or(-1),
                                 .stack = stacks_.At(e).value_or(-1),
                                 .available = available_.At(e).value_or(-1),
                                 .lifetime_peak = lifetime_peaks_.At(e).value_or(-1),
                                 .fragmentation = fragmentations_.At(e).value_or(-1)});
  return static_cast<int32_t>(out_.memory_details.size() - 1);
}

void HostRecords::TakeMemoryTimeline() {
  const auto changes = trace_.memory.view();
  MemoryTimeline timeline{{changes.begin(), changes.end()}};
  SortRuns(timeline.changes, {},
           [](const MemoryChange& c) { return std::pair(!c.before, c.time); });
  out_.memory_timelines.push_back(std::move(timeline));
}

// Finds what lies within what, on one thread.
void HostRecords::Nest(uint32_t t) {
  const size_t first = out_.ranges.size();
  AddRanges(t);
  const size_t last = out_.ranges.size();
  Thread& thread = threads_[t];
  const auto range_at = [this](size_t r) { return out_.ranges[r]; };
  const auto start_of = [this](uint32_t c) { return calls_[c].start; };
  const auto calls =
      std::span(order_).subspan(thread.calls.begin, thread.calls.next - thread.calls.begin);
  SortRuns(calls, {}, start_of);
  SortRuns(thread.memory, {}, &MemoryEvent::time);
  if (!FindCaptures(calls)) FindRecordedGraphs(first, last, calls);
  Innermost around_calls(first), around_memory(first);
  for (const uint32_t c : calls) around_[c] = around_calls.At(start_of(c), last, range_at);
  for (MemoryEvent& event : thread.memory)
    event.range = around_memory.At(event.time, last, range_at);
  out_.memory.insert(out_.memory.end(), thread.memory.begin(), thread.memory.end());
  thread.memory = {};
}

// `calls` are the thread's, by start. A call that ends a capture which nothing began: the recording
// began within it. False without any such call.
bool HostRecords::FindCaptures(std::span<const uint32_t> calls) {
  std::optional<size_t> begin;  // in `calls`, of the capture that is open
  const auto close = [&](size_t first, size_t last) {
    for (size_t i = first; i <= last; ++i) {
      const CallRole role = calls_[calls[i]].role;
      if (PutsOnStream(role)) captured_.insert(calls[i]);
    }
    const Call from = calls_[calls[first]];
    out_.one_time.push_back(
        {.start = from.start, .end = calls_[calls[last]].end, .thread = from.thread});
  };
  bool any = false;
  for (size_t i = 0; i < calls.size(); ++i) {
    const CallRole role = calls_[calls[i]].role;
    if (role == CallRole::kBeginCapture && !begin) begin = i;
    if (role != CallRole::kEndCapture) continue;
    if (begin || !any) close(begin.value_or(0), i);
    begin.reset();
    any = true;
  }
  if (begin) close(*begin, calls.size() - 1);
  return any || begin;
}

// Where the calls that begin and end captures were not recorded (HIP), PyTorch's range around them
// tells: what is launched in it becomes nodes of a graph.
void HostRecords::FindRecordedGraphs(size_t first, size_t last, std::span<const uint32_t> calls) {
  const std::array names = {trace_.strings.Find("CUDAGraphNode.record"),
                            trace_.strings.Find("CUDAGraphNode.record (dynamo_timed)")};
  const auto start_of = [this](uint32_t c) { return calls_[c].start; };
  for (size_t r = first; r < last; ++r) {
    const HostRange range = out_.ranges[r];
    if (range.name == kNoString || std::ranges::find(names, range.name) == names.end()) continue;
    out_.one_time.push_back({.start = range.start, .end = range.end, .thread = range.thread});
    const auto from = std::ranges::lower_bound(calls, range.start, {}, start_of);
    for (auto c = from; c != calls.end() && start_of(*c) < range.end; ++c) {
      if (PutsOnStream(calls_[*c].role)) captured_.insert(*c);
    }
  }
}

void HostRecords::AddRanges(uint32_t thread) {
  const auto [first, last] = threads_[thread].ranges;
  SortRuns(std::span(ranges_).subspan(first, last - first), {},
           [this](const DraftRange& r) { return std::pair(Start(r.event), -End(r.event)); });
  const auto range_at = [this](size_t r) { return out_.ranges[r]; };
  Innermost parents(first);
  for (size_t r = first; r < last; ++r) {
    const auto [event, detail] = ranges_[r];
    out_.ranges.Append({.start = Start(event),
                        .end = End(event),
                        .name = trace_.names()[event],
                        .thread = thread,
                        .parent = parents.At(Start(event), r, range_at),
                        .detail = detail,
                        .kind = trace_.kinds()[event]});
    if (has_frames_) AddAutograd(event, static_cast<int32_t>(r));
    if ((r + 1) % kReleaseAfter == 0) ranges_.Release(r + 1);
  }
}

void HostRecords::AddAutograd(EventId event, int32_t range) {
  const auto sequence = trace_.Ints(IntField::kSequence).Find(event);
  if (!sequence || *sequence < 0) return;
  const int64_t forward = trace_.Ints(IntField::kForwardThread).Find(event).value_or(0);
  out_.autograd.Append({range, *sequence, std::max<int64_t>(forward, 0)});
}

// By start, those of a thread in its order, threads one after the other.
void HostRecords::AddCalls() {
  SortRuns(order_, {}, [this](uint32_t c) { return calls_[c].start; });
  for (const uint32_t c : order_) {
    Call call = calls_[c];
    call.range = around_[c];
    if (captured_.contains(c)) call.role = CallRole::kCaptured;
    out_.calls.Append(call);
  }
}

}  // namespace stepscope
