// Describes one event: its name, times and arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/state.h"

namespace stepscope {

// The fields of the event with this number in the trace, in the order to show.
std::vector<EventField> FieldsOf(const Timeline::State& state, const RecordedEvents& recording,
                                 uint32_t source);

}  // namespace stepscope
