// Writes a profile's events as JSON, to export traces for viewers.
#pragma once

#include "ingest/common/raw_event_observer.h"
#include "trace/trace.h"

namespace stepscope {

// Tells the observer of every event and of the names of tracks, in the form of PyTorch's profiler.
void ObserveAsText(const Trace& trace, const RawEventObserver& observer);

}  // namespace stepscope
