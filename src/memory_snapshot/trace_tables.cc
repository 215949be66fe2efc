// All sizes are requested bytes.
#include "memory_snapshot/trace_tables.h"

#include <string>

#include "memory_snapshot/snapshot_tables.h"
#include "report/columns.h"

namespace stepscope::memory {
namespace {

Column AsMemory(Column column) {
  column.kind = ColumnKind::kMemory;
  return column;
}

}  // namespace

Table StepsTable(const StepGrowth& growth) {
  Table table{
      .key = "steps",
      .title = "Memory by step",
      .columns = {KeyColumn("step", "step"), Detail(KeyColumn("place", "place in time")),
                  ValueColumn("start", "start", Unit::kUnixTime),
                  CountColumn("allocations", "allocations"),
                  BytesColumn("allocated", "allocated in it"),
                  AsMemory(BytesColumn("peak", "peak requested")), BytesColumn("end", "at its end"),
                  BytesColumn("change", "more than step before")},
      .text_rows = kRowsShown};
  for (size_t i = 0; i < growth.steps.size() && i < kMostRows; ++i) {
    const StepMemory& step = growth.steps[i];
    const int64_t before = i == 0 ? 0 : growth.steps[i - 1].at_end;
    table.rows.push_back({step.span.number, static_cast<int64_t>(i + 1), Moment(step.span.start),
                          step.allocations, step.allocated, step.peak, step.at_end,
                          When(i > 0, step.at_end - before)});
  }
  return table;
}

Table LeaksTable(const MemorySnapshot& snapshot, const Sites& sites, const StepGrowth& growth) {
  Table table{
      .key = "leaks",
      .title = "Places whose memory grows with each step",
      .columns = {KeyColumn("site", "place"), CountColumn("grown", "steps that grow"),
                  CountColumn("steps", "steps compared"), BytesColumn("each", "growth per step"),
                  BytesColumn("first", "after first step"), BytesColumn("last", "after last step"),
                  Detail(ValueColumn("stack", "stack"))},
      .text_rows = kRowsShown};
  for (const Leak& leak : growth.leaks) {
    if (table.rows.size() >= kMostRows) break;
    table.rows.push_back({SiteText(sites, leak.site), leak.grown, leak.steps, leak.Each(),
                          leak.first, leak.last,
                          TextCell(StackText(snapshot.stacks, leak.largest))});
  }
  return table;
}

Table JoinedTable(const HostTrace& trace, const std::vector<Joined>& joined, const Replay& replay,
                  bool modules) {
  Table table{
      .key = modules ? "trace_modules" : "trace_operators",
      .title = modules ? Phrase("Memory by module of the trace")
                       : Phrase("Memory by operator of the trace"),
      .columns = {modules ? KeyColumn("module", "module") : KeyColumn("operator", "operator"),
                  BytesColumn("bytes", "requested at peak"), RatioColumn("share", "share of peak"),
                  BytesColumn("allocated", "allocated in trace"),
                  CountColumn("allocations", "allocations")},
      .text_rows = kRowsShown};
  for (const Joined& one : joined) {
    if (table.rows.size() >= kMostRows) break;
    table.rows.push_back({one.name == 0 ? std::string("none") : std::string(trace.names[one.name]),
                          When(replay.possible, one.at_peak.bytes),
                          When(replay.possible, Ratio(one.at_peak.bytes, replay.peak)),
                          one.allocated.bytes, one.allocated.count});
  }
  return table;
}

}  // namespace stepscope::memory
