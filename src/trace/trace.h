// Holds one trace of one rank as columns.
//
// Events stand in the order they were read, and every column is as long as there are events. What
// only some events have (a correlation id, input shapes) is a sparse column: pairs of event number
// and value, ascending by event. Columns are kept narrow: see base/narrow_array.h.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/growing_array.h"
#include "base/narrow_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"
#include "trace/compiled_program.h"
#include "trace/launch_config.h"
#include "trace/notes.h"
#include "trace/vocabulary.h"

namespace stepscope {

struct CondensedRecording;  // trace/condensed.h

using EventId = uint32_t;
using TrackId = uint32_t;

// Whole numbers some events carry.
enum class IntField : uint8_t {
  kCorrelation,  // ties a runtime call to the device activity it launched; one to many for graphs
  kExternalId,   // ties device activity and runtime calls to the operator that made them
  kSequence,     // ties a forward operator to its backward one
  kForwardThread,
  kBytes,
  kFlowId,
  kInElements,  // of a collective's message
  kOutElements,
  kGroupSize,
  kCollectiveSequence,
  kMessageFrom,  // of a message: rank in the job
  kMessageTo,
  kAddress,  // of a memory event
  kTotalAllocated,
  kTotalReserved,
  kDeviceType,
  kDeviceId,
  kWaitStream,       // of a synchronization
  kWaitCorrelation,  // of the event record it waits for
  kEventHandle,
  kStep,  // of an annotation: it is the step of this number; of activities: they belong to that one
  kLaunchConfig,  // number in Trace::launch_configs
  kFlops,         // of one execution, as the compiler counts them
  kBytesAccessed,
  kIterator,  // of a stage of an input pipeline: its id
  kIteratorParent,
  kRequestedBytes,  // of an allocation, before it was rounded up
  kStackBytes,      // of the memory an allocator has in use: set aside for temporaries
  kAvailableBytes,
  kLifetimePeak,     // the most the allocator ever had in use
  kEager,            // 1: the operator ran by itself, in no compiled function
  kEvaluationCalls,  // of an annotation: it is an evaluation between steps, of so many calls
  kRecordFunction,   // ties an operator to its node in an execution trace
  kDispatch,         // of communication, 1: it only starts a collective, or waits for it
  kCount
};

// Texts some events carry.
enum class TextField : uint8_t {
  kInputShapes,
  kInputTypes,
  kInputStrides,
  kInputValues,  // those that are no tensors: "["", "", "", "[1, 1]", "False"]"
  kCollective,
  kDataType,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kInSplit,
  kOutSplit,
  kFrameworkOp,  // of device activity or memory: the operator it is for,
                 // "model/dense/MatMul:MatMul"
  kHloOp,        // of device activity: the compiler's operation, "fusion.3"
  kHloModule,    // the compiled program it is part of, "jit_train_step"
  kHloCategory,  // "convolution fusion"
  kSource,       // the line of the program it is from, "train.py:12"
  kAllocator,    // of a memory event, "GPU_0_bfc"
  kRegion,       // what the memory is for: "temp", "output", "persist/dynamic"
  kShape,
  kCount
};

// Fractional numbers some events carry.
enum class RealField : uint8_t {
  kBandwidth,  // GB/s, GB = 1e9
  kCounterValue,
  kFragmentation,  // 0..1, of an allocator
  kCount
};

template <class Field>
constexpr size_t Index(Field field) {
  return static_cast<size_t>(field);
}

template <class T>
class SparseColumn {
 public:
  void Append(EventId event, T value) { rows_.Append({event, ToNumber(value)}); }

  size_t size() const { return rows_.size(); }
  EventId event(size_t i) const { return static_cast<EventId>(rows_[i].template Get<kEvent>()); }
  T value(size_t i) const { return FromNumber(rows_[i].template Get<kValue>()); }
  // The first i with event(i) >= `event`, else size().
  size_t LowerBound(EventId event) const { return rows_.template LowerBound<kEvent>(event); }
  std::optional<T> Find(EventId event) const {
    const size_t at = LowerBound(event);
    if (at == size() || this->event(at) != event) return std::nullopt;
    return value(at);
  }
  // Calls f(event) for every event of this value, ascending, until it returns false.
  template <class F>
  void ForEachEventOf(T value, const F& f) const {
    rows_.template ForEachEqual<kValue>(ToNumber(value), [&](size_t i) { return f(event(i)); });
  }
  size_t bytes() const { return rows_.bytes(); }
  // As Trace::Release().
  void Release(EventId before) { rows_.Release(LowerBound(before)); }

  // Appends those of events that are numbered from `first` on here, each value as `here` has it,
  // and empties `later`.
  template <class Here>
  void Append(SparseColumn& later, EventId first, const Here& here) {
    for (size_t i = 0; i < later.size(); ++i) Append(first + later.event(i), here(later.value(i)));
    later = {};
  }

 private:
  enum Column : size_t { kEvent, kValue, kColumns };
  // Of a fraction the bits.
  static int64_t ToNumber(T value) {
    if constexpr (std::floating_point<T>)
      return std::bit_cast<int64_t>(value);
    else
      return value;
  }
  static T FromNumber(int64_t number) {
    if constexpr (std::floating_point<T>)
      return std::bit_cast<T>(number);
    else
      return static_cast<T>(number);
  }

  NarrowRows<kColumns> rows_;
};

// Where events happen: a host thread, or a stream of a device.
struct Track {
  bool is_stream = false;
  int64_t device = -1;          // of a stream
  int64_t stream = -1;          // of a stream; any number, also 4294967295
  std::string process, thread;  // of a host thread, as the trace writes its ids
  std::string name;             // as the trace names it, or empty
};

struct Event {
  int64_t start = 0;     // ns
  int64_t duration = 0;  // ns, never negative; start + duration does not overflow
  StringId name = 0;
  TrackId track = 0;
  Kind kind = Kind::kUnknown;
};

// Memory that is taken (bytes > 0) or given back (bytes < 0). Memory whose use changes is given
// back and taken again.
struct MemoryChange {
  int64_t time = 0;  // ns
  int64_t bytes = 0;
  MemoryUse use = MemoryUse::kUnknown;
  bool before = false;  // it was there when recording began; `time` says nothing

  bool operator==(const MemoryChange&) const = default;
};

// What an accelerator says it is. -1 and empty: the trace does not say.
struct DeviceProperties {
  int64_t device = -1;
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int64_t memory_bytes = -1;
  int32_t compute_major = -1;  // CUDA's compute capability
  int32_t compute_minor = -1;
  int32_t multiprocessors = -1;
  int32_t threads_per_multiprocessor = -1;
  double clock_hz = -1;
  double memory_bandwidth = -1;  // bytes per second
  double peak_flops = -1;        // FLOP per second, of TPUs

  bool operator==(const DeviceProperties&) const = default;
};

// The framework that ran the job; advice uses its terms.
enum class Framework : uint8_t { kPyTorch, kTensorFlow, kJax };
constexpr std::string_view FrameworkName(Framework framework) {
  constexpr std::string_view kNames[] = {"PyTorch", "TensorFlow", "JAX"};
  return kNames[static_cast<size_t>(framework)];
}

// The profiler that recorded; advice names its options.
enum class RecordedBy : uint8_t {
  kFramework,  // the framework's own
  kNsight,     // Nsight Systems
  kRocprof,    // rocprofv3 of ROCm
  kAscend,     // that of Ascend's PyTorch adapter (torch_npu)
};

// What the trace says about itself.
struct TraceMeta {
  Framework framework = Framework::kPyTorch;
  RecordedBy recorded_by = RecordedBy::kFramework;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int64_t> process_groups;  // how many the job has
  // The members of each process group that the rank is in, in the order in which they were made;
  // empty: the recording does not say.
  std::vector<std::vector<int64_t>> group_members;
  std::vector<std::string> group_descriptions;  // of each of these; empty text: none
  std::string machine;                          // its name; empty: the recording does not say
  std::string device_name;  // "NVIDIA H100 80GB HBM3", of the first device listed
  std::vector<DeviceProperties> devices;
  bool lists_no_device = false;  // the profiler looked for accelerators, and found none
  bool has_python = false;       // there are Python frames, kept or not
  // There are no events, only memory by its use: an export that accompanies a trace.
  bool memory_only = false;
  // The recording is a partial: of it there are steps, collectives and sums. Null: it is whole.
  std::shared_ptr<CondensedRecording> condensed;
};

class Trace {
 public:
  // Appends an event. REQUIRES: fewer than 2^32 - 1 events so far.
  EventId Add(const Event& event) {
    starts_.Append(event.start);
    durations_.Append(event.duration);
    names_.Append(event.name);
    tracks_of_.Append(event.track);
    kinds_.Append(event.kind);
    return static_cast<EventId>(starts_.size() - 1);
  }
  // Sets a field of an event. REQUIRES: it comes after all that have the field.
  void Set(EventId event, IntField field, int64_t value) {
    ints_[Index(field)].Append(event, value);
  }
  void Set(EventId event, TextField field, StringId value) {
    texts_[Index(field)].Append(event, value);
  }
  // Sets a field of the event added last.
  void Set(IntField field, int64_t value) { ints_[Index(field)].Append(Last(), value); }
  void Set(TextField field, StringId value) { texts_[Index(field)].Append(Last(), value); }
  void Set(RealField field, double value) { reals_[Index(field)].Append(Last(), value); }

  size_t size() const { return starts_.size(); }
  const NarrowArray<int64_t>& starts() const { return starts_; }
  const NarrowArray<int64_t>& durations() const { return durations_; }
  const NarrowArray<StringId>& names() const { return names_; }
  const NarrowArray<TrackId>& tracks_of() const { return tracks_of_; }
  std::span<const Kind> kinds() const { return kinds_.view(); }
  const SparseColumn<int64_t>& Ints(IntField field) const { return ints_[Index(field)]; }
  const SparseColumn<StringId>& Texts(TextField field) const { return texts_[Index(field)]; }
  const SparseColumn<double>& Reals(RealField field) const { return reals_[Index(field)]; }

  // Classifies device activity anew. REQUIRES: both kinds are of device activity.
  void SetKind(EventId event, Kind kind) { kinds_[event] = kind; }

  // Hands a column over: the trace has none of it from then on.
  SparseColumn<int64_t> Take(IntField field) { return std::exchange(ints_[Index(field)], {}); }
  SparseColumn<StringId> Take(TextField field) { return std::exchange(texts_[Index(field)], {}); }
  SparseColumn<double> Take(RealField field) { return std::exchange(reals_[Index(field)], {}); }

  // Appends what a trace of the same recording holds that was read behind this one, and empties it;
  // its tracks are `tracks` here. On so many threads. REQUIRES: fewer than 2^32 - 1 events in all.
  void Append(Trace& later, std::span<const TrackId> tracks, size_t threads);

  // Bytes of all columns, strings and tracks aside.
  size_t ColumnBytes() const;

  // Frees the memory of events before `before`; they must not be read again.
  void Release(EventId before);

  StringTable strings;
  std::vector<Track> tracks;
  LaunchConfigs launch_configs;
  GrowingArray<MemoryChange> memory;      // in the order of the file
  std::vector<CompiledProgram> programs;  // by name
  TraceMeta meta;
  Notes notes;
  int64_t events_in_file = 0;      // kept or not, metadata records too
  int64_t gpu_events_in_file = 0;  // of which device activity

 private:
  EventId Last() const { return static_cast<EventId>(starts_.size() - 1); }

  NarrowArray<int64_t> starts_;
  NarrowArray<int64_t> durations_;
  NarrowArray<StringId> names_;
  NarrowArray<TrackId> tracks_of_;
  GrowingArray<Kind> kinds_;
  std::array<SparseColumn<int64_t>, Index(IntField::kCount)> ints_;
  std::array<SparseColumn<StringId>, Index(TextField::kCount)> texts_;
  std::array<SparseColumn<double>, Index(RealField::kCount)> reals_;
};

}  // namespace stepscope
