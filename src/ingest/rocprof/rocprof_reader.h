// Reads what rocprofv3 records: JSON (rocprofv3 --output-format json) and databases (rocpd): one
// recording for each process that used a device. docs/formats/rocprof.md says what is read of them.
#pragma once

#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "ingest/common/read_options.h"
#include "ingest/common/recording.h"
#include "ingest/sqlite/database_file.h"
#include "stepscope/result.h"

namespace stepscope {

// Whether a file that begins like this is rocprofv3's JSON.
bool LooksLikeRocprof(std::string_view beginning);
inline constexpr size_t kRocprofSniff = 256;

// All recordings of a file, as rocprof::TracesOf(). ReadOptions::part and its observer are not
// asked.
Result<std::vector<Recording>> ReadRocprofJson(ByteSource source, const ReadOptions& options);

// Whether a database is one of rocprofv3's.
bool IsRocpd(const DatabaseFile& file);
Result<std::vector<Recording>> ReadRocpd(const DatabaseFile& file, const ReadOptions& options);

}  // namespace stepscope
