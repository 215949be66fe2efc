// Builds the tree of host ranges, calls and memory events, event by event.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "facts/activity/hand_overs.h"
#include "facts/activity/host_ops.h"
#include "trace/sparse_walk.h"

namespace stepscope {

class HostRecords {
 public:
  // Counts what each thread did, so that nothing is held twice while it is collected.
  explicit HostRecords(const Trace& trace);

  // Takes the event if it is the host's. REQUIRES: every event of the trace, ascending.
  void Take(EventId event);

  // To be called once, after the last event. Names are ids of `trace.strings`.
  HostOps Finish();
  // Of each track the index into HostOps::threads; UINT32_MAX for those that are none of them.
  std::vector<uint32_t> TakeThreadsOfTracks() { return std::move(thread_of_track_); }

 private:
  // The records of one thread: [begin, next) of all, while they are collected.
  struct Slice {
    size_t begin = 0, next = 0;
  };
  struct Thread {
    Slice ranges, calls;
    std::vector<MemoryEvent> memory;
  };
  struct DraftRange {
    EventId event = 0;
    int32_t detail = -1;
  };
  struct HashOfDetail {
    size_t operator()(const RangeDetail& detail) const;
  };

  void Count();
  uint32_t ThreadOf(EventId event);
  void TakeRange(EventId event);
  int32_t DetailOfRange(EventId event);
  void AddOperation(EventId event, RangeDetail& detail);
  void TakeHandOver(EventId event);
  void TakePythonWait(EventId event);
  bool IsWait(StringId name);
  void TakeCall(EventId event);
  void TakeMemoryEvent(EventId event);
  int32_t DetailOfMemory(EventId event);
  void Nest(uint32_t thread);
  void AddRanges(uint32_t thread);
  void AddAutograd(EventId event, int32_t range);
  bool FindCaptures(std::span<const uint32_t> calls);
  void FindRecordedGraphs(size_t first, size_t last, std::span<const uint32_t> calls);
  void AddCalls();
  void TakeMemoryTimeline();

  int64_t Start(EventId event) const { return trace_.starts()[event]; }
  int64_t End(EventId event) const { return Start(event) + trace_.durations()[event]; }

  const Trace& trace_;
  SparseWalk<int64_t> correlations_, bytes_, addresses_, allocated_, reserved_, device_types_,
      device_ids_, steps_, iterators_, iterator_parents_, eager_, requested_, stacks_, available_,
      lifetime_peaks_, flows_, runs_, in_elements_, out_elements_, group_sizes_;
  SparseWalk<StringId> hlo_ops_, shapes_, types_, strides_, values_, allocators_, framework_ops_,
      regions_, data_types_, block_shapes_, opcodes_, collectives_, members_;
  SparseWalk<double> fragmentations_;
  std::vector<uint32_t> thread_of_track_;
  std::vector<CallRole> roles_;  // by name
  std::vector<Thread> threads_;
  bool has_frames_ = false;
  bool runs_programs_ = false;  // on the host's processors
  HandOverMarks hand_overs_;
  std::vector<int8_t> waits_;  // by name, whether it is a wait for a program; -1: not known yet
  GrowingArray<DraftRange> ranges_;  // by thread
  HostCalls calls_;                  // in the order of the trace, without the ranges around them
  GrowingArray<uint32_t> order_;     // of calls_, by thread
  GrowingArray<int32_t> around_;     // each of calls_
  std::unordered_set<uint32_t> captured_;                           // of calls_
  std::unordered_map<RangeDetail, int32_t, HashOfDetail> details_;  // each to its index
  HostOps out_;
};

}  // namespace stepscope
