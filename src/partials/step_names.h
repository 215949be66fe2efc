// Names what a step goes to in partials, in the order of trace/condensed.h, and the times of a
// stream.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "trace/condensed.h"

namespace stepscope {

inline constexpr auto kPartialParts = std::to_array<std::string_view>(
    {"other", "host compute", "allocation", "compilation", "host to device", "launch",
     "one-time work", "collective", "input wait", "device to device", "device to host",
     "compute of unknown precision", "32 bit compute", "16 bit compute", "8 bit compute"});

inline constexpr auto kPartialRoles = std::to_array<std::string_view>(
    {"other", "operator", "data loader", "runtime", "communication", "memset", "memcpy", "kernel"});

inline constexpr auto kPartialStreamTimes =
    std::to_array<std::pair<std::string_view, int64_t CondensedStream::*>>({
        {"busy", &CondensedStream::busy},
        {"compute", &CondensedStream::compute},
        {"host_wait", &CondensedStream::host_wait},
        {"kernel_wait", &CondensedStream::kernel_wait},
        {"other", &CondensedStream::other},
        {"one-time work", &CondensedStream::one_time},
    });

}  // namespace stepscope
