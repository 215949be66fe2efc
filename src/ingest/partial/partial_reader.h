// Reads partials of recordings, which `stepscope map` writes (docs/formats/partials.md).
#pragma once

#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "ingest/common/recording.h"
#include "ingest/parquet/parquet_reader.h"
#include "stepscope/result.h"

namespace stepscope {

// Whether a file with these first bytes may be one: it is Parquet.
bool LooksLikePartials(std::string_view beginning);
inline constexpr size_t kPartialSniff = 4;

// Whether it can be read, and is Parquet of another kind, or of a shard without traces.
bool HoldsNoPartials(ByteSource source);

// All recordings in a file. Rows that contradict themselves are left out and counted in a note.
// Fails where the file is not what was written, is Parquet of another kind, or of a version that is
// not known.
Result<std::vector<Recording>> ReadPartials(ByteSource source);

// The same of a file that is open, whatever its version and its hash.
Result<std::vector<Recording>> ReadRowsOfPartials(ParquetFile& file);

}  // namespace stepscope
