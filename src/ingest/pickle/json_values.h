// Reads JSON as the same plain values as a pickle.
#pragma once

#include "base/byte_source.h"
#include "ingest/pickle/value_tree.h"
#include "stepscope/result.h"

namespace stepscope {

// Fails on what is not JSON, and beyond `limits`. Integers beyond int64 become floats.
Result<ValueTree> ReadJson(ByteSource source, const TreeLimits& limits = {});

}  // namespace stepscope
