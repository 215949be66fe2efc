// Asks what filled the memory of a device, of a memory snapshot of PyTorch.
#pragma once

#include <stop_token>
#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

struct MemorySnapshotOptions {
  StorageRef storage = nullptr;  // of the snapshot, as in OpenOptions
  std::stop_token stop;          // gives up soon after it is asked to
};

// `path`: what torch.cuda.memory._dump_snapshot() wrote (docs/formats/memory_snapshot.md). The
// answer holds one report, "memory_snapshot": metrics of the device with the highest peak, and the
// tables "stacks", "operators", "categories", "segments", "devices", "out_of_memory" and "growth".
// Fails where the file cannot be read, is not a snapshot or is cut, and when stopped.
Result<ReportSet> ReadMemorySnapshot(const std::string& path,
                                     const MemorySnapshotOptions& options = {});

}  // namespace stepscope
