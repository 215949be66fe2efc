// A profile's events as JSON, for who writes traces again as viewers read them.
#pragma once

#include "ingest/text_tap.h"
#include "trace/trace.h"

namespace stepscope {

// Tells the tap of every event and of the names of tracks, in the form of PyTorch's profiler.
void TellAsText(const Trace& trace, const TextTap& tap);

}  // namespace stepscope
