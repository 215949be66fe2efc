// Puts events into the order in which their writers recorded them: files are joined in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Sorts the events of each writer by sequence number; they keep the places of that writer. Events
// without a writer or number stay where they are. Returns how many moved.
int64_t PutInOrder(std::vector<Event>& events);

}  // namespace stepscope::goodput
