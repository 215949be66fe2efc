// Goodput: how much of the time paid for became training progress.
//
//   auto answer = stepscope::GoodputReport({.files = {"job.jsonl.gz"}});
//   if (!answer) return Print(answer.error());
//   std::fputs(stepscope::ToText(*answer).c_str(), stdout);
//
// The answer is one Report, "goodput":
//   metrics  goodput_ratio, total, productive, disruptions, max_productive_step, and what else is
//            known of the run: the open step, step times, slices
//   tables   buckets      bucket, time, ratio: every nanosecond is in exactly one
//            rolling      the last hour, day and week of a job that is longer
//            attempts     the attempts of the job, and what became of their time
//            disruptions  what each cost: down (detect, queue, launch), start, restore, startup,
//                         recompute
//            custom       time of the user's own events, by type
//            segments     attempt, segment, start, duration, bucket: the same time in order
//   series   goodput      the ratio of each hundredth of the job
//   findings the largest losses, with one thing to try for each
//
// `attempts`, `disruptions`, `segments` and the series count from the start of the first attempt:
// waiting before it is negative, and its segments have no attempt. There are at most 2000 segments;
// of a job with more of them those that are short are put together, and a note says within how
// long their order is not told. Their durations add up to `total`, and by bucket to `buckets`.
//
// With a scheduler's files, a program or a price there is a second one, "productivity": metrics
// scheduling_goodput, runtime_goodput, program_goodput and their product, table `losses`; and with
// a program the report of stepscope/program_goodput.h.
//
// In the mode kMlGoodput the numbers are those of ml-goodput-measurement 0.2.3, quirks included:
// its buckets overlap, and the table has its names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/program_goodput.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

enum class GoodputMode : uint8_t { kPartition, kMlGoodput };

// Times are ns since the epoch; a pair is [first, second).
struct GoodputReportOptions {
  // JSON lines of the reference library's entries, or Cloud Logging exports; plain or gzip.
  std::vector<std::string> files;
  // Instead of files: a ledger, see goodput_ledger.h.
  std::string store;
  // The job to report on. Empty: the only one there is.
  std::string job;
  GoodputMode mode = GoodputMode::kPartition;
  // Until when a running job runs. Later events are left out. Absent: its last event.
  std::optional<int64_t> at;
  std::optional<std::pair<int64_t, int64_t>> window;
  // Not to be counted at all: a planned pause. An empty list, in the mode kMlGoodput, asks for the
  // library's calculation with exclusions, which leaves checkpoints out.
  std::optional<std::vector<std::pair<int64_t, int64_t>>> exclusions;

  // What a scheduler printed about the job: sacct's table, scontrol's records, Kubernetes' events;
  // plain or gzip, told apart by their content.
  std::vector<std::string> scheduler_files;
  std::string scheduler_job;          // its name or id there; empty: all they tell is of this job
  std::optional<int64_t> utc_offset;  // of Slurm's times, in s; absent: this machine's zone
  int64_t chips_per_pod = 1;
  int64_t pods = 0;  // that the job needs; 0: as many as were ever there at once

  // For program goodput; where it gives no tokens per second, the job's own events of work tell.
  std::optional<ProgramOptions> program;
  double chips = 0;                // of the job; 0: what the scheduler gave it
  double price_per_chip_hour = 0;  // in any money; 0: not known
};

// Fails when a file cannot be opened, or when it is not clear which job is meant. Files without
// any event give a report that is unavailable and says why.
Result<ReportSet> GoodputReport(const GoodputReportOptions& options);

// "1780000000", "1780000000.25": seconds since the epoch; "now".
Result<int64_t> ParseGoodputTime(std::string_view text);

// "A..B", two times as above.
Result<std::pair<int64_t, int64_t>> ParseGoodputInterval(std::string_view text);

}  // namespace stepscope
