// Opens files of partials, which `stepscope map` writes (docs/formats/partials.md).
#pragma once

#include "base/byte_source.h"
#include "ingest/parquet/parquet_reader.h"
#include "stepscope/result.h"

namespace stepscope {

// Fails where the file is no Parquet, holds no partials, or of a version that is not known, or has
// changed since it was written. Reads all of it.
Result<ParquetFile> OpenPartials(ByteSource source);

}  // namespace stepscope
