// Judges what a debug server of a rank answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/stream.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// "host:port", "http://host:port", "/path" or "unix:///path". Fails on anything else.
Result<http::Endpoint> EndpointOf(std::string_view address);

// The rank that a trace or a Flight Recorder's dump says it is of; none where it does not.
std::optional<int64_t> RankIn(std::string_view json);

// Whether the bytes are a whole chrome trace with events.
bool HasEvents(std::string_view trace);

}  // namespace stepscope::capture
