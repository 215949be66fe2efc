// Reads the JSON of NCCL's RAS service (`ncclras -f json`, NCCL 2.28.7 and later).
#pragma once

#include <string_view>

#include "base/byte_source.h"
#include "ingest/ras/ras_status.h"
#include "stepscope/result.h"

namespace stepscope {

inline constexpr size_t kMostRasMembers = 1'000'000;  // of all communicators of one file

// Whether a file that begins with these bytes is one. Takes a few KB.
bool LooksLikeRas(std::string_view bytes);

// Keys of unknown names are passed over, values of wrong types are absent. Fails on what is not
// such a file. Sets no path.
Result<RasStatus> ReadRas(ByteSource source);

}  // namespace stepscope
