// Holds the profiler's records of one rank, one vector per kind of record.
//
// Times are ns since the trace's base time. A stretch of the job fills these vectors, the writer
// turns them into text, and they are cleared for the next stretch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "demo/kernels.h"
#include "demo/script.h"

namespace stepscope::demo {

inline constexpr int64_t kNone = -1;
inline constexpr int kComputeStream = 7;
inline constexpr int kCommStream = 20;

// What a device does one after the other, a stream for each. A communicator has its own; messages
// to and from one rank share one.
enum class Lane : uint8_t {
  kCompute,
  kData,  // all collectives of a job without parallel groups
  kTensor,
  kPipeline,
  kExpert,
  kExpertData,
  kNext,      // messages to and from the next stage
  kPrevious,  // and the previous one
};
inline constexpr size_t kLanes = 8;

constexpr int StreamOf(Lane lane) {
  return lane == Lane::kCompute ? kComputeStream : kCommStream + 4 * (static_cast<int>(lane) - 1);
}

enum class Thread : uint8_t { kMain, kAutograd };

// The collective or message that an event stands for; `elements` is kNone where there is none.
struct Message {
  std::string_view operation = "allreduce";  // as PyTorch calls it
  int64_t elements = kNone;
  int64_t sequence = 0;
  int group = 0;  // number of the rank's group (groups.h)
  int from = -1;  // rank that sent a message that is received
  int to = -1;    // rank that a message is sent to
  Lane lane = Lane::kData;
};

// An operator or a user annotation.
struct HostRange {
  const Node* node = nullptr;
  Thread thread = Thread::kMain;
  int64_t start = 0, duration = 0;
  int64_t external_id = 0;
  int64_t sequence = kNone;  // of autograd
  int64_t number = kNone;    // of the step, which goes behind the name
  Message message = {};
};

struct PythonFrame {
  const Node* node = nullptr;
  int64_t start = 0, duration = 0;
  int64_t id = 0;
  int64_t parent = kNone;
  int64_t number = kNone;  // of the module, or the address in the name
};

// Device memory taken (`bytes` > 0) or given back.
struct MemoryChange {
  Thread thread = Thread::kMain;
  int64_t time = 0;
  int64_t address = 0, bytes = 0;
  int64_t allocated = 0, reserved = 0;  // after it
};

struct RuntimeCall {
  const ApiCall* call = nullptr;
  Thread thread = Thread::kMain;
  bool linked = false;  // has a counterpart on the device
  int64_t start = 0, duration = 0;
  int64_t external_id = 0, correlation = 0;
};

// A kernel, copy or memset.
struct DeviceActivity {
  const Kernel* kernel = nullptr;
  int stream = kComputeStream;
  int64_t start = 0, duration = 0;
  int64_t external_id = 0, correlation = 0;
  Message message = {};
};

// The stretch of a stream that the work launched inside an annotation takes up.
struct GpuRange {
  const Node* node = nullptr;
  int stream = kComputeStream;
  int64_t start = 0, duration = 0;
  int64_t external_id = 0;
  int64_t number = kNone;
};

// A synchronization as the device saw it.
struct SyncRecord {
  std::string_view kind;  // "Stream Wait Event", "Stream Sync", "Context Sync"
  int stream = -1;
  int64_t start = 0, duration = 0;
  int64_t external_id = 0, correlation = 0;
  int64_t wait_stream = kNone, wait_correlation = kNone, wait_event = kNone;
};

struct Events {
  std::vector<HostRange> ranges;
  std::vector<PythonFrame> frames;
  std::vector<MemoryChange> memory;
  std::vector<RuntimeCall> calls;
  std::vector<DeviceActivity> work;
  std::vector<GpuRange> gpu_ranges;
  std::vector<SyncRecord> syncs;

  // Puts everything on a clock that is `offset` ahead.
  void Shift(int64_t offset) {
    const auto shift = [offset](auto& records) {
      for (auto& record : records) record.start += offset;
    };
    shift(ranges);
    shift(frames);
    for (MemoryChange& change : memory) change.time += offset;
    shift(calls);
    shift(work);
    shift(gpu_ranges);
    shift(syncs);
  }

  void Clear() {
    ranges.clear();
    frames.clear();
    memory.clear();
    calls.clear();
    work.clear();
    gpu_ranges.clear();
    syncs.clear();
  }
};

}  // namespace stepscope::demo
