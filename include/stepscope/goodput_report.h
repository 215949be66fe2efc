// Reports how much of the paid time of a job became training progress.
//
//   auto answer = stepscope::GoodputReport({.files = {"job.jsonl.gz"}});
//   if (!answer) return Print(answer.error());
//   std::fputs(stepscope::ToText(*answer).c_str(), stdout);
//
// The answer is one Report, "goodput":
//   metrics  goodput_ratio, total, productive, disruptions, max_productive_step, and if known the
//            open step, step times, slices
//   tables   buckets      bucket, time, ratio: every nanosecond is in exactly one
//            rolling      the last hour, day and week of a job that is longer
//            attempts     the attempts of the job, with their time by bucket
//            disruptions  the cost of each: down (detect, queue, launch), start, restore, startup,
//                         recompute
//            custom       time of user-defined events, by type
//            segments     attempt, segment, start, duration, bucket: the same time in order
//   series   goodput      the ratio of each hundredth of the job
//   findings the largest losses, each with a suggestion
//
// Times in `attempts`, `disruptions`, `segments` and the series count from the start of the first
// attempt. Waiting before it is negative, and its segments have no attempt. There are at most 2000
// segments: short ones of longer jobs are joined, and a note gives the time within which their
// order is lost. Their durations add up to `total`, and by bucket to `buckets`.
//
// With scheduler files, a program or a price there is a second report, "productivity": metrics
// scheduling_goodput, runtime_goodput, program_goodput and their product, table `losses`. With a
// program the report of stepscope/program_goodput.h follows. A factor above 100% is an error of the
// input: then there is no product, and the verdict begins with the reason. It also does if no row
// of the scheduler is used, since they are of other jobs or nothing tells whose they are.
//
// With traces there is a report "walk": metrics trace_step_time, job_step_time; table
//            steps        rank, trace_step, step, attempt, step_time
// It is unavailable if the traces are not of this job, which the verdict then says first: they were
// made outside its attempts, or their step time is not the job's.
//
// In the mode kMlGoodput the numbers are those of ml-goodput-measurement 0.2.3, quirks included:
// its buckets overlap, and the table has its names. Metrics active_slices and available_slices are
// there if the log tells of slices, and tables
//            checkpoints     part, total, mean, min, max, deviation; by tier, and over both
//            step_deviation  step, deviation, time
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/hang.h"
#include "stepscope/program_goodput.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/sign_of_life.h"
#include "stepscope/traced_step.h"

namespace stepscope {

// What traces say of steps of the job.
struct TracedTime {
  int64_t step_time = 0;          // ns, typical; 0: unknown
  std::vector<TracedStep> steps;  // empty: the traces do not say when they were made
  bool of_program = false;        // the program's tokens per second come from them
};

enum class GoodputMode : uint8_t { kPartition, kMlGoodput };

// Times are ns since 1970; a pair is [first, second).
struct GoodputReportOptions {
  // JSON lines of the reference library's entries, or Cloud Logging exports; plain or gzip. Or one
  // directory of a recorder.
  std::vector<std::string> files;
  // Bytes that a compressed file of events, or a trace of GoodputWalk(), may inflate to; one that
  // has more is refused. 0: 64 GB, and at most 1,000 times its size beyond 1 GB.
  int64_t max_input = 0;
  // Instead of files: a ledger, see goodput_ledger.h.
  std::string store;
  // The job to report on. Empty: the only job.
  std::string job;
  GoodputMode mode = GoodputMode::kPartition;
  // End of a running job; later events are skipped. Absent: now. A job without any event in the
  // hour before has stopped at its last one.
  std::optional<int64_t> at;
  std::optional<std::pair<int64_t, int64_t>> window;
  // Time not to count, such as planned pauses. In the mode kMlGoodput an empty list selects the
  // library's calculation with exclusions, which ignores checkpoints.
  std::optional<std::vector<std::pair<int64_t, int64_t>>> exclusions;
  // In the mode kMlGoodput: the time of a step from which deviations count. 0: the usual time.
  int64_t ideal_step_time = 0;
  int64_t most_steps = 10'000;  // in the table `step_deviation`: the last ones

  // Scheduler output about the job: sacct's table, scontrol's records or Kubernetes events; plain
  // or gzip, detected by content.
  std::vector<std::string> scheduler_files;
  std::string scheduler_job;          // its name or id there; empty: what tells it is this job's
  std::optional<int64_t> utc_offset;  // of Slurm's times, s; absent: this machine's zone
  int64_t chips_per_pod = 1;
  int64_t pods = 0;  // that the job needs; 0: the maximum seen at once

  // For program goodput. Default tokens per second: from the job's recorded work.
  std::optional<ProgramOptions> program;
  double chips = 0;                // of the job; 0: from the scheduler
  double price_per_chip_hour = 0;  // in any currency; 0: unknown

  // Adds the report "chip_hours", whatever is known: table `factors`, the steps from all chip-time
  // that the job wanted to what an ideal program would have needed. A program that cannot be
  // computed is then an unknown factor, and no error.
  bool chip_hours = false;

  // Adds the report "walk": which steps of the job the traces show.
  std::optional<TracedTime> traced;

  // The cause of the disruption of the attempt that it falls into, whatever events tell of it.
  std::optional<HangCause> hang;

  // Told what `stepscope watch` recorded of the job (goodput_watched.h), in the order of the log:
  // its time in ns since 1970, and its text.
  std::function<void(int64_t time, const std::string& text)> on_watched;

  std::stop_token stop;  // gives up soon after it is asked to
};

// Fails if a file cannot be opened or the job is ambiguous, and when stopped. Without events the
// report is unavailable and states the reason.
Result<ReportSet> GoodputReport(const GoodputReportOptions& options);

// When each rank of the job was last heard of, by rank; none where events name no ranks. Of the
// options only those of reading count. Fails as above.
Result<std::vector<SignOfLife>> GoodputSigns(const GoodputReportOptions& options);

// "1780000000", "1780000000.25": seconds since 1970; "now".
Result<int64_t> ParseGoodputTime(std::string_view text);

// "A..B", two times as above.
Result<std::pair<int64_t, int64_t>> ParseGoodputInterval(std::string_view text);

}  // namespace stepscope
