// Fuzzes what stragglers cost, of tables of operations that bytes say: a damaged Parquet file
// rarely has all ten columns.
#include <cstdint>
#include <string_view>

#include "facts/derived/operations/straggler_cost.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::operations_fuzz {
namespace {

// Rows of eight bytes: small numbers, so that steps are complete now and then.
void Fuzz(std::string_view bytes) {
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

const fuzz::Register kTarget({.name = "operations", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::operations_fuzz
