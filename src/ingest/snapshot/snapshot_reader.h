// Reads a memory snapshot of PyTorch: the pickle that torch.cuda.memory._dump_snapshot() writes
// (docs/formats/memory_snapshot.md).
#pragma once

#include "base/byte_source.h"
#include "ingest/snapshot/snapshot.h"
#include "stepscope/result.h"

namespace stepscope {

// Streams: memory is less than half of the file's size, plus a few MB. Fails on what is not a
// pickle, is cut, or is not a snapshot; says at which byte. What is wrong within is counted.
Result<MemorySnapshot> ReadSnapshot(ByteSource source);

}  // namespace stepscope
