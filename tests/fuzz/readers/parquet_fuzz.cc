// Fuzzes the way from the bytes of a Parquet file to its columns, and from a text to a job's
// layout.
//
// Beside crashes and sanitizer reports it looks for tables that are not as long as they say.
#include <string_view>

#include "ingest/parquet/job_layout.h"
#include "ingest/parquet/parquet_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::parquet_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  constexpr std::string_view kNames[] = {
      "flag",  "small",  "large",  "single", "double",   "text",     "gap", "step", "dp_rank",
      "stage", "optype", "seq_id", "rank",   "start_ts", "duration", "mc",  "gmc"};
  ReadLayout(bytes);
  const auto table = ReadParquet(ByteSource::FromMemory(bytes), kNames);
  if (!table) return Require(!table.error().what.empty());
  for (const ParquetColumn& column : table->columns) {
    Require(column.size() == static_cast<size_t>(table->rows));
    Require(column.present.size() == column.size());
    for (const uint32_t id : column.texts) Require(id < column.names.size());
  }
}

const fuzz::Register kTarget({.name = "parquet", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::parquet_fuzz
