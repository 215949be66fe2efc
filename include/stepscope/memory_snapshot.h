// Asks what filled the memory of a device, of a memory snapshot of PyTorch.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

struct MemorySnapshotOptions {
  StorageRef storage = nullptr;  // of the snapshot, as in OpenOptions
  std::stop_token stop;          // gives up soon after it is asked to
  // Traces of the process that wrote the snapshot, as Session::Open() takes them: they add the
  // tables "trace_operators", "trace_modules" and the steps. Empty: those beside it, in a folder.
  std::string trace = {};
  // Adds what pictures are drawn from: series "category.*", "place.*" and "reserved", and the table
  // "blocks".
  bool pictures = false;
};

// The snapshots of a path: of a file that is one the file; of a folder the files in it that end in
// .pickle, .pkl or .snapshot and begin like one, by name. None where there are none.
std::vector<std::string> FindMemorySnapshots(const std::string& path);

// `path`: what torch.cuda.memory._dump_snapshot() wrote (docs/formats/memory_snapshot.md). The
// answer holds one report, "memory_snapshot": metrics of the device with the highest peak, and the
// tables "stacks", "operators", "categories", "segments", "devices", "out_of_memory" and "growth";
// where steps are known "steps" and "leaks". A folder with one snapshot is that snapshot.
// Fails where the file cannot be read, is not a snapshot or is cut, and when stopped.
Result<ReportSet> ReadMemorySnapshot(const std::string& path,
                                     const MemorySnapshotOptions& options = {});

// What changed from one snapshot to another, both as ReadMemorySnapshot() answers: one report,
// "memory_snapshot". Each metric, and each table row by row, has both sides and the change, as
// compare.h says. The headline tells the change of the peak and the place in the code that most of
// it is at; findings are places that hold more at the peak, by a twentieth of it or more, the
// largest rise first, and an allocation that fails only after.
ReportSet CompareMemorySnapshots(const ReportSet& before, const ReportSet& after);

}  // namespace stepscope
