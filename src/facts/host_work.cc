// From a recording's columns to the tree of what its host did.
#include "facts/host_work.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/innermost.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

// What one thread did, in the order it was recorded.
struct ThreadRecords {
  std::vector<HostRange> ranges;
  std::vector<Call> calls;
  std::vector<MemoryEvent> memory;
};

template <class T, class Key>
void SortUnlessSorted(std::vector<T>& items, const Key& key) {
  if (!std::ranges::is_sorted(items, {}, key)) std::ranges::stable_sort(items, {}, key);
}

class Builder {
 public:
  explicit Builder(const Trace& trace)
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
        shapes_(trace.Texts(TextField::kInputShapes)),
        types_(trace.Texts(TextField::kInputTypes)),
        values_(trace.Texts(TextField::kInputValues)),
        allocators_(trace.Texts(TextField::kAllocator)),
        framework_ops_(trace.Texts(TextField::kFrameworkOp)),
        regions_(trace.Texts(TextField::kRegion)),
        data_types_(trace.Texts(TextField::kDataType)),
        block_shapes_(trace.Texts(TextField::kShape)),
        fragmentations_(trace.Reals(RealField::kFragmentation)),
        thread_of_track_(trace.tracks.size(), kUnused),
        roles_(trace.strings.size(), kUnknownRole) {}

  HostWork Build() {
    for (EventId e = 0; e < trace_.size(); ++e) Collect(e);
    for (ThreadRecords& thread : records_) AddThread(thread);
    SortUnlessSorted(out_.calls, &Call::start);
    SortUnlessSorted(out_.memory, &MemoryEvent::time);
    if (!trace_.memory.empty()) AddMemoryTimeline();
    return std::move(out_);
  }

 private:
  static constexpr uint32_t kUnused = UINT32_MAX;
  static constexpr auto kUnknownRole = static_cast<CallRole>(UINT8_MAX);

  void Collect(EventId e) {
    switch (trace_.kinds()[e]) {
      case Kind::kOperator:
      case Kind::kAnnotation:
        return AddRange(e);
      case Kind::kRuntime:
        return AddCall(e);
      case Kind::kInstant:
        return AddMemoryEvent(e);
      default:
        return;
    }
  }

  int64_t Start(EventId e) const { return trace_.starts()[e]; }
  int64_t End(EventId e) const { return trace_.starts()[e] + trace_.durations()[e]; }

  uint32_t ThreadOf(EventId e) {
    uint32_t& thread = thread_of_track_[trace_.tracks_of()[e]];
    if (thread == kUnused) {
      thread = static_cast<uint32_t>(records_.size());
      records_.emplace_back();
      const Track& track = trace_.tracks[trace_.tracks_of()[e]];
      out_.threads.push_back(track.name.empty() ? track.thread : track.name);
    }
    return thread;
  }

  void AddRange(EventId e) {
    const uint32_t thread = ThreadOf(e);
    records_[thread].ranges.push_back({.start = Start(e),
                                       .end = End(e),
                                       .name = trace_.names()[e],
                                       .thread = thread,
                                       .detail = DetailOfRange(e),
                                       .kind = trace_.kinds()[e]});
  }

  int32_t DetailOfRange(EventId e) {
    const RangeDetail detail{.shapes = shapes_.At(e).value_or(kNoString),
                             .types = types_.At(e).value_or(kNoString),
                             .values = values_.At(e).value_or(kNoString),
                             .step = steps_.At(e).value_or(-1),
                             .iterator = iterators_.At(e).value_or(-1),
                             .iterator_parent = iterator_parents_.At(e).value_or(-1),
                             .eager = eager_.At(e).value_or(0) > 0};
    if (detail == RangeDetail{}) return -1;
    out_.range_details.push_back(detail);
    return static_cast<int32_t>(out_.range_details.size() - 1);
  }

  void AddCall(EventId e) {
    const uint32_t thread = ThreadOf(e);
    const StringId name = trace_.names()[e];
    CallRole& role = roles_[name];
    if (role == kUnknownRole) role = RoleOfCall(trace_.strings[name]);
    const int64_t correlation = correlations_.At(e).value_or(0);
    records_[thread].calls.push_back({.start = Start(e),
                                      .end = End(e),
                                      .correlation = std::max<int64_t>(correlation, 0),
                                      .name = name,
                                      .thread = thread,
                                      .role = role});
  }

  void AddMemoryEvent(EventId e) {
    const auto bytes = bytes_.At(e);
    if (!bytes) return;           // another kind of moment
    constexpr int64_t kHost = 0;  // c10::DeviceType::CPU
    const int64_t type = device_types_.At(e).value_or(kHost);
    records_[ThreadOf(e)].memory.push_back(
        {.time = Start(e),
         .address = addresses_.At(e).value_or(0),
         .bytes = *bytes,
         .allocated = allocated_.At(e).value_or(-1),
         .reserved = reserved_.At(e).value_or(-1),
         .device = type == kHost ? -1 : std::max<int64_t>(device_ids_.At(e).value_or(0), 0),
         .detail = DetailOfMemory(e)});
  }

  int32_t DetailOfMemory(EventId e) {
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

  void AddMemoryTimeline() {
    const auto changes = trace_.memory.view();
    MemoryTimeline timeline{{changes.begin(), changes.end()}};
    SortUnlessSorted(timeline.changes,
                     [](const MemoryChange& c) { return std::pair(!c.before, c.time); });
    out_.memory_timelines.push_back(std::move(timeline));
  }

  void AddThread(ThreadRecords& thread) {
    SortUnlessSorted(thread.ranges, [](const HostRange& r) { return std::pair(r.start, -r.end); });
    SortUnlessSorted(thread.calls, &Call::start);
    SortUnlessSorted(thread.memory, &MemoryEvent::time);
    const size_t first = out_.ranges.size();
    const auto range_at = [this](size_t r) -> const HostRange& { return out_.ranges[r]; };
    Innermost parents(first);
    for (HostRange& range : thread.ranges) {
      range.parent = parents.At(range.start, out_.ranges.size(), range_at);
      out_.ranges.push_back(range);
    }
    const size_t last = out_.ranges.size();
    Innermost around_calls(first), around_memory(first);
    for (Call& call : thread.calls) call.range = around_calls.At(call.start, last, range_at);
    for (MemoryEvent& event : thread.memory)
      event.range = around_memory.At(event.time, last, range_at);
    out_.calls.insert(out_.calls.end(), thread.calls.begin(), thread.calls.end());
    out_.memory.insert(out_.memory.end(), thread.memory.begin(), thread.memory.end());
    thread = {};
  }

  const Trace& trace_;
  SparseWalk<int64_t> correlations_, bytes_, addresses_, allocated_, reserved_, device_types_,
      device_ids_, steps_, iterators_, iterator_parents_, eager_, requested_, stacks_, available_,
      lifetime_peaks_;
  SparseWalk<StringId> shapes_, types_, values_, allocators_, framework_ops_, regions_, data_types_,
      block_shapes_;
  SparseWalk<double> fragmentations_;
  std::vector<uint32_t> thread_of_track_;
  std::vector<CallRole> roles_;  // by name
  std::vector<ThreadRecords> records_;
  HostWork out_;
};

}  // namespace

HostWork BuildHostWork(const Trace& trace) { return Builder(trace).Build(); }

}  // namespace stepscope
