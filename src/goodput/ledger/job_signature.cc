// Sums up what the logs of a job are.
#include "goodput/ledger/job_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/time_units.h"
#include "base/wall_clock.h"

namespace stepscope::goodput {

std::string SignatureOf(const Ledger& ledger, const std::string& job) {
  int64_t files = 0, bytes = 0, changed = 0, done = 0;
  for (const Log& log : ledger.LogsOf(job)) {
    for (const LogFile& file : log) {
      ++files;
      bytes += file.bytes;
      changed = std::max(changed, file.changed);
      done += file.done;
    }
  }
  if (WallClock() - changed < kMinute) return {};
  const auto read = ledger.RollupOf(job);
  if (!read) return {};
  const std::optional<Rollup>& rollup = *read;
  return fmt::format("3 {} {} {} {} {}", files, bytes, changed, done, rollup ? rollup->events : 0);
}

}  // namespace stepscope::goodput
