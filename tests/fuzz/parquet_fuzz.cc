// Fuzzes the way from the bytes of a Parquet file to what stragglers cost.
//
// Beside crashes and sanitizer reports it looks for tables that are not as long as they say. What
// follows the file's columns is fuzzed by the same bytes, read as a table of operations: a damaged
// file rarely has all ten columns.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "facts/derived/operations/straggler_cost.h"
#include "ingest/parquet/job_layout.h"
#include "ingest/parquet/parquet_reader.h"
#include "tests/fuzz/require.h"

namespace stepscope {
namespace {

void FuzzReader(std::string_view bytes) {
  constexpr std::string_view kNames[] = {
      "flag",  "small",  "large",  "single", "double",   "text",     "gap", "step", "dp_rank",
      "stage", "optype", "seq_id", "rank",   "start_ts", "duration", "mc",  "gmc"};
  const auto table = ReadParquet(ByteSource::FromMemory(bytes), kNames);
  if (!table) return Require(!table.error().what.empty());
  for (const ParquetColumn& column : table->columns) {
    Require(column.size() == static_cast<size_t>(table->rows));
    Require(column.present.size() == column.size());
    for (const uint32_t id : column.texts) Require(id < column.names.size());
  }
}

// Rows of eight bytes: small numbers, so that steps are complete now and then.
void FuzzCosts(std::string_view bytes) {
  JobOperations job;
  for (; bytes.size() >= 8 && job.rows.size() < 512; bytes.remove_prefix(8)) {
    const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
    const auto kind = at(0) % static_cast<uint8_t>(OperationKind::kCount);
    int64_t start = at(5), duration = at(6);
    if (at(7) == 255) start = INT64_MAX - start;
    if (at(7) == 254) duration = INT64_MAX;
    job.rows.push_back({.step = at(1) >> 7,
                        .dp = at(1) & 1,
                        .stage = at(2) & 3,
                        .rank = at(2),
                        .kind = static_cast<OperationKind>(kind),
                        .sequence = at(3) & 7,
                        .chunk = at(4) & 1,
                        .place = at(4) & 7,
                        .start = start,
                        .duration = duration});
  }
  // The second step and replica are as the first, so that there is something complete.
  if (!job.rows.empty() && job.rows.front().step == 0) {
    const size_t count = job.rows.size();
    for (size_t i = 0; i < count; ++i) {
      job.rows[i].step = job.rows[i].dp = 0;
      job.rows.push_back(job.rows[i]);
      job.rows.back().dp = 1;
    }
  }
  const auto cost = StragglerCostOf(job);
  if (!cost) return Require(!cost.error().what.empty());
  Require(!cost->steps.empty() &&
          cost->workers.size() == cost->replicas.size() * cost->stages.size());
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  stepscope::FuzzReader(bytes);
  stepscope::FuzzCosts(bytes);
  stepscope::ReadLayout(bytes);
  return 0;
}
