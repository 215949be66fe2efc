// Holds a memory snapshot of PyTorch as columns: segments, blocks, events and the stacks of both.
//
// Sizes of events are bytes that were requested; sizes of blocks are rounded up by the allocator,
// and `requested` is what was asked for. The two are never added up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/growing_array.h"
#include "ingest/snapshot/snapshot_stacks.h"

namespace stepscope {

enum class SnapshotAction : uint8_t {
  kOther,
  kAlloc,
  kFreeRequested,
  kFreeCompleted,
  kSegmentAlloc,
  kSegmentFree,
  kSegmentMap,
  kSegmentUnmap,
  kSnapshot,
  kOom,
};

enum class BlockState : uint8_t { kInactive, kAllocated, kAwaitingFree };

struct SnapshotBlock {
  uint64_t address = 0;
  int64_t size = 0;       // bytes, rounded
  int64_t requested = 0;  // bytes; 0 of an inactive block
  StackId stack = 0;
  BlockState state = BlockState::kInactive;

  bool live() const { return state != BlockState::kInactive; }
};

// 20 bytes a block: there are millions where segments are small.
class SnapshotBlocks {
 public:
  // False, and nothing is kept, where the block is beyond any that a device can have, or lives and
  // has more requested than its size. What an inactive one had requested is not kept.
  bool Append(const SnapshotBlock& block);
  size_t size() const { return sizes_.size(); }
  SnapshotBlock operator[](size_t i) const;

 private:
  GrowingArray<uint64_t>
      addresses_;                 // and above them 2 bits of the state, 5 of what is not requested
  GrowingArray<uint64_t> sizes_;  // and above them 21 bits of the stack
  GrowingArray<uint32_t> rest_;   // bytes that are not requested, the lowest 32 bits
};

struct SnapshotSegment {
  int64_t device = 0;
  uint64_t address = 0;
  int64_t total = 0, allocated = 0;  // bytes, rounded
  int64_t stream = 0;
  bool large = false, expandable = false;
  uint32_t first_block = 0, blocks = 0;  // of MemorySnapshot::blocks
};

struct SnapshotEvent {
  SnapshotAction action = SnapshotAction::kOther;
  uint64_t address = 0;  // of an OOM: bytes that the device had free
  int64_t size = 0;      // bytes, as requested
  int64_t time = 0;      // microseconds since the epoch
  StackId stack = 0;
};

// 20 bytes an event: there are tens of millions.
class SnapshotEvents {
 public:
  static constexpr uint64_t kAddresses = uint64_t{1} << 57;  // of x86-64 and Arm; none is above
  static constexpr int64_t kMostSize = (int64_t{1} << 43) - 1;

  // False, and nothing is kept, where the event is beyond any that a device can have.
  bool Append(const SnapshotEvent& event);
  size_t size() const { return sizes_.size(); }
  SnapshotEvent operator[](size_t i) const;

 private:
  struct Epoch {
    size_t first = 0;
    int64_t time = 0;
  };

  GrowingArray<uint64_t> addresses_;  // and above them 7 bits of the stack
  GrowingArray<uint64_t> sizes_;      // and above them 4 bits of the action, 17 of the stack
  GrowingArray<uint32_t> times_;      // since the last epoch
  std::vector<Epoch> epochs_;
};

struct SnapshotTrace {
  uint32_t first = 0, count = 0;  // of MemorySnapshot::events, in order of time
};

// A range that record_function() or the profiler names; it begins or ends.
struct SnapshotAnnotation {
  int64_t time = 0;   // microseconds since the epoch
  StringId name = 0;  // of MemorySnapshot::stacks
  bool ends = false;
};

struct MemorySnapshot {
  SnapshotStacks stacks;
  GrowingArray<SnapshotSegment> segments;
  SnapshotBlocks blocks;
  SnapshotEvents events;
  std::vector<SnapshotTrace> traces;  // by device
  GrowingArray<SnapshotAnnotation> annotations;

  // What could not be read as it should be.
  int64_t wrong_events = 0, wrong_blocks = 0, misplaced = 0;
};

}  // namespace stepscope
