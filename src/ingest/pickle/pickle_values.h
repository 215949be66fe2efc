// Reads a pickle of plain values.
#pragma once

#include "base/byte_source.h"
#include "ingest/pickle/value_tree.h"
#include "stepscope/result.h"

namespace stepscope {

// Fails on what PickleReader refuses, on opcodes that do not fit the stack, and beyond `limits`.
// Memory is bounded by the limits and by the size of the input.
Result<ValueTree> ReadPickle(ByteSource source, const TreeLimits& limits = {});

}  // namespace stepscope
