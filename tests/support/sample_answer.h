// Builds a small answer that holds one of everything a face must show.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

inline Table SampleRanks() {
  Table table;
  table.key = "ranks";
  table.title = "Ranks";
  table.columns = {{"rank", "rank", Unit::kNone, Role::kKey},
                   {"window", "window", Unit::kNone, Role::kKey},
                   {"idle_time", "idle", Unit::kNanoseconds, Role::kValue},
                   {"idle_ratio", "idle share", Unit::kRatio, Role::kValue},
                   {"unused", "unused", Unit::kCount, Role::kValue},
                   {"copied", "copied", Unit::kBytes, Role::kValue}};
  const Cell none;
  table.rows = {{int64_t{2}, int64_t{0}, int64_t{1240000}, 0.1234, none, int64_t{1500000}},
                {int64_t{0}, int64_t{0}, int64_t{640}, 0.0, none, none},
                {int64_t{1}, int64_t{0}, int64_t{83500000000}, NAN, none, int64_t{12}}};
  table.text_rows = 2;
  return table;
}

inline Table SampleKernels() {
  Table table;
  table.key = "kernels";
  table.title = "Kernels";
  table.columns = {{"name", "kernel", Unit::kNone, Role::kKey},
                   {"launches", "launches", Unit::kCount, Role::kValue}};
  table.rows = {{std::string("void gemm<float, 128>(Params)"), int64_t{12345}},
                {std::string("ncclDevKernel_AllReduce_Sum_f32"), int64_t{7}}};
  return table;
}

inline Table SampleGaps() {
  Table table;
  table.key = "gaps";
  table.title = "Gaps";
  table.columns = {{"gap", "gap", Unit::kNone, Role::kKey}};
  table.rows = {{int64_t{11}}, {int64_t{12}}, {int64_t{13}}};
  table.text_rows = 0;
  return table;
}

inline Report SampleIdle() {
  Report report;
  report.analysis = "idle_time";
  report.title = "Idle time";
  report.status = Status::kPartial;
  report.why = "rank 3 holds no accelerator work";
  report.headline = "GPUs stood idle for 12.3% of the time, mostly waiting for the host.";
  report.metrics = {{"idle_time", "Idle", int64_t{83501240640}, Unit::kNanoseconds},
                    {"worst_rank", "Worst rank", int64_t{1}, Unit::kNone},
                    {"host_share", "Waiting for the host", Cell{}, Unit::kRatio}};
  report.tables = {SampleRanks(), SampleKernels(), SampleGaps()};
  report.series = {
      {"busy", "Busy GPUs", Unit::kNanoseconds, Unit::kRatio, {{0.0, 1.0}, {1e9, 0.5}}}};
  report.findings = {
      {Severity::kLow, "Rank 0 starts late.", "", "", 5},
      {Severity::kHigh, "Rank 1 waits for its host for most of every step, far longer than others.",
       "it is idle for 83.5 s, the median rank for 1.24 ms",
       "look at the data loader of rank 1: raise num_workers", 83498760000, "ranks"}};
  report.notes = {{"window_cut", 0, "Only complete steps are counted.", ""}};
  return report;
}

inline Report SampleUnavailable() {
  Report report;
  report.analysis = "memory";
  report.title = "Memory";
  report.status = Status::kUnavailable;
  report.why = "the traces were recorded without profile_memory";
  report.tables = {SampleRanks()};
  report.tables[0].rows.clear();
  return report;
}

inline ReportSet SampleAnswer() {
  ReportSet answer;
  answer.run.name = "traces";
  answer.run.files = {{"traces/rank-0.json", 0, 0, 1200, 800, 52341, ""},
                      {"traces/notes.txt", -1, 0, 0, 0, 12, "not a trace"}};
  answer.run.ranks = 1;
  answer.run.steps = "all";
  answer.run.notes = {
      {"negative_duration", 1200, "events end before they begin; taken as 0 ns long",
       "rank-0.json"},
      {"no_correlation", 2, "kernels have no launch", "rank-1.json"},
      {"negative_duration", 34, "events end before they begin; taken as 0 ns long", "rank-1.json"}};
  answer.verdict =
      "Four ranks computed for 71.2% of the time. Rank 1 stands out: it waits for its host.";
  answer.reports = {SampleIdle(), SampleUnavailable()};
  return answer;
}

// One report with a metric and a table of ranks.
inline ReportSet SampleIdleRanks(double ratio, std::vector<std::vector<Cell>> ranks) {
  Report report{.analysis = "temporal_breakdown", .title = "Time", .headline = "So."};
  report.metrics = {{"idle_ratio", "idle", ratio, Unit::kRatio}};
  report.tables = {
      {.key = "ranks",
       .title = "Ranks",
       .columns = {{"rank", "rank", Unit::kNone, Role::kKey}, {"idle", "idle", Unit::kNanoseconds}},
       .rows = std::move(ranks)}};
  ReportSet answer;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace stepscope
