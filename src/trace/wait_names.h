// Recognizes by their names functions of Python that wait: each question has names of its own, as
// what waits for another thread need not wait for a batch.
#pragma once

#include "trace/frame_name.h"

namespace stepscope {

// Whether a built-in function is in Python's queues between processes, which wait in poll(), or
// between threads, which wait for a lock: so a loader's worker is waited for.
bool WaitsForWorker(const FrameName& name);

// Whether a built-in function waits for another thread of its process: for a lock, a queue or its
// end.
bool WaitsForThread(const FrameName& name);

// Whether it tells nothing but that something else was waited for: "Work.wait", "synchronize".
bool OnlyWaits(const FrameName& name);

}  // namespace stepscope
