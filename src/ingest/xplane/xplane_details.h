// Parses texts in which XPlane files pack several values.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/launch_config.h"

namespace stepscope {

// "regs:32 static_shared:0 dynamic_shared:4096 grid:80,1,1 block:256,1,1 occ_pct:50", its parts
// separated by spaces or line ends. What is missing or cannot be stays unknown.
LaunchConfig LaunchConfigOfDetails(std::string_view details);

// Bytes of a copy or set: "kind_src:pageable kind_dst:device size:262144 ...", or as older writers
// have it "num_bytes:262144". -1 if it does not say.
int64_t BytesOfDetails(std::string_view details);

// "float32" of TensorFlow's number for a type of elements; empty for none.
std::string_view DataTypeName(int64_t type);

}  // namespace stepscope
