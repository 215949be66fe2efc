// Judges: a failed allocation leads, then what holds the peak, fragmentation, and growth.
#include "memory_snapshot/snapshot_report.h"

#include <algorithm>

#include "memory_snapshot/curves.h"
#include "memory_snapshot/holders.h"
#include "memory_snapshot/snapshot_findings.h"
#include "memory_snapshot/snapshot_pictures.h"
#include "memory_snapshot/snapshot_tables.h"
#include "memory_snapshot/trace_tables.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::memory {
namespace {

std::string Bytes(int64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

std::string Share(int64_t part, int64_t whole) {
  return HumanRatio(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
}

}  // namespace

const Replay& LeadingOf(const std::vector<Replay>& replays) {
  const Replay* leading = &replays.front();
  for (const Replay& replay : replays) {
    const bool failed = !replay.ooms.empty(), before = !leading->ooms.empty();
    if (failed != before ? failed : replay.peak > leading->peak) leading = &replay;
  }
  return *leading;
}

namespace {

Phrase SayPeak(const Replay& replay, const Sites& sites, const std::vector<Holder>& holders) {
  if (!replay.possible)
    return Say("Peak memory is not known: events of device {device} contradict its segments.",
               replay.device);
  Phrase peak =
      replay.peak_time < 0
          ? Say("Peak requested memory is {peak} of {reserved} reserved on device {device}, "
                "at the start of the recording.",
                Bytes(replay.peak), Bytes(replay.reserved_at_peak), replay.device)
          : Say("Peak requested memory is {peak} of {reserved} reserved on device {device}, "
                "at {time}.",
                Bytes(replay.peak), Bytes(replay.reserved_at_peak), replay.device,
                HumanMoment(std::min(replay.peak_time, INT64_MAX / 1000) * 1000));
  const auto named = std::ranges::find_if(holders, [](const Holder& one) { return one.name != 0; });
  if (named == holders.end() || replay.peak <= 0) return peak;
  return peak + " " +
         Say("{site} holds {bytes} of it ({share}).", Phrase::Name(SiteText(sites, named->name)),
             Bytes(named->amount.bytes), Share(named->amount.bytes, replay.peak));
}

void AddMetrics(const MemorySnapshot& snapshot, const Replay& replay, Report& report) {
  const bool known = replay.possible;
  report.metrics = {
      {"device", "device", replay.device},
      {"requested_at_start", "requested at start", When(known, replay.at_start), Unit::kBytes},
      {"peak_requested", "peak requested", When(known, replay.peak), Unit::kBytes},
      {"peak_time_us", "peak time, µs since 1970",
       When(known && replay.peak_time >= 0, replay.peak_time), Unit::kNone, true},
      {"requested_at_end", "requested at end", replay.at_end, Unit::kBytes},
      {"allocated_at_end", "allocated at end", replay.allocated_at_end, Unit::kBytes},
      {"reserved_at_end", "reserved at end", replay.reserved_at_end, Unit::kBytes},
      {"reserved_peak", "peak reserved", When(known, replay.reserved_peak), Unit::kBytes},
      {"unused_at_end", "unused at end", replay.unused_at_end, Unit::kBytes},
      {"largest_free_block", "largest free block", replay.largest_free, Unit::kBytes},
      {"fragmentation", "unused outside largest block, % of unused",
       Ratio(replay.unused_at_end - replay.largest_free, replay.unused_at_end), Unit::kRatio},
      {"out_of_memory", "failed allocations", static_cast<int64_t>(replay.ooms.size()),
       Unit::kCount},
      {"events", "events", replay.events, Unit::kCount},
      {"segments", "segments", static_cast<int64_t>(snapshot.segments.size()), Unit::kCount}};
}

void AddNote(Report& report, std::string name, int64_t count, Phrase message) {
  if (count > 0) report.notes.push_back({std::move(name), count, std::move(message), ""});
}

void AddNotes(const MemorySnapshot& snapshot, const Replay& replay, Report& report) {
  AddNote(report, "wrong_events", snapshot.wrong_events,
          "events were left out: sizes, addresses or times that no device has");
  AddNote(report, "wrong_blocks", snapshot.wrong_blocks,
          "segments or blocks were left out: sizes that no device has");
  AddNote(report, "misplaced", snapshot.misplaced,
          "values were left out: they are not where a snapshot has them");
  AddNote(report, "left_out_stacks", snapshot.stacks.left_out(),
          "names or stacks were left out: there are too many");
  AddNote(report, "contradictions", replay.contradictions,
          "allocations were found where another one lives: its free event is missing");
  AddNote(report, "not_attributed", replay.attributed ? 0 : 1,
          "too many allocations live at once: tables by stack show a part");
  AddNote(report, "no_events", replay.events == 0 ? 1 : 0,
          "no events were recorded: call torch.cuda.memory._record_memory_history() before");
}

void AddSteps(const MemorySnapshot& snapshot, const Replay& replay, const Sites& sites,
              const HostTrace* trace, Report& report) {
  const bool of_trace = trace != nullptr && !trace->steps.empty();
  const StepGrowth growth = FollowSteps(
      snapshot, sites, replay, of_trace ? trace->steps : StepsOf(snapshot, sites, replay.device));
  const auto growing = FindGrowing(sites, replay);
  if (!growth.steps.empty()) report.tables.push_back(StepsTable(growth));
  if (growth.compared) {
    report.tables.push_back(LeaksTable(snapshot, sites, growth));
    AddLeaks(sites, growth.leaks, replay.peak, report);
  } else {
    AddGrowing(sites, growing, report);
    AddNote(report, "growth_unknown", replay.windows.empty() ? replay.events : 0,
            "events are too few to tell which places grow: record at least 800, or several steps");
  }
  report.tables.push_back(GrowthTable(snapshot, sites, growing));
}

void AddTrace(const MemorySnapshot& snapshot, const Replay& replay, const Sites& sites,
              const HostTrace& trace, Report& report) {
  AddNote(report, "trace_without_clock", trace.says_when ? 0 : 1,
          "the trace does not say when it was made: allocations have no operator of it");
  AddNote(report, "trace_rank", trace.only_rank ? 0 : 1,
          "of several ranks, that with the number of the device was taken");
  if (!trace.says_when) return;
  const TraceJoin join = JoinTrace(snapshot, sites, replay, trace);
  report.metrics.push_back({"in_trace", "allocations in trace, % of all",
                            Ratio(join.within.count, join.within.count + join.outside.count),
                            Unit::kRatio});
  AddNote(report, "trace_elsewhere", join.within.count == 0 ? 1 : 0,
          "the trace and the events of the snapshot do not overlap in time");
  if (join.within.count == 0) return;
  report.tables.push_back(JoinedTable(trace, join.operators, replay, false));
  const bool modules =
      std::ranges::any_of(join.modules, [](const Joined& one) { return one.name != 0; });
  if (modules) report.tables.push_back(JoinedTable(trace, join.modules, replay, true));
}

void AddPictures(const MemorySnapshot& snapshot, const Replay& replay, const Sites& sites,
                 Report& report) {
  const Curves curves = FollowCurves(snapshot, sites, replay);
  report.series = CurveSeries(curves, sites);
  if (!curves.times.empty())
    report.metrics.push_back(
        {"recording_start", "recording start", 1000 * curves.begin, Unit::kUnixTime, true});
  int64_t left_out = 0;
  report.tables.push_back(BlocksTable(snapshot, sites, left_out));
  AddNote(report, "segments_left_out", left_out,
          "segments are not in the map: there are too many blocks");
}

}  // namespace

Report SnapshotReport(const MemorySnapshot& snapshot, const std::vector<Replay>& replays,
                      const ReportParts& parts) {
  Report report{.analysis = "memory_snapshot", .title = "Memory snapshot"};
  if (replays.empty()) {
    report.status = Status::kUnavailable;
    report.why = "the snapshot has no segments and no events: no memory was allocated";
    return report;
  }
  const Replay& replay = LeadingOf(replays);
  const Sites sites = FindSites(snapshot.stacks);
  const Phrase peak = SayPeak(replay, sites, HoldersBy(By::kSite, sites, replay));
  report.headline = replay.ooms.empty() ? peak : SayFailure(replay) + " " + peak;
  AddMetrics(snapshot, replay, report);
  if (replay.possible)
    report.tables = {StacksTable(snapshot, sites, replay), OperatorsTable(sites, replay),
                     CategoriesTable(sites, replay)};
  report.tables.push_back(OutOfMemoryTable(snapshot, sites, replay));
  AddFindings(replay, sites, report);
  AddSteps(snapshot, replay, sites, parts.trace, report);
  report.tables.push_back(SegmentsTable(snapshot));
  report.tables.push_back(DevicesTable(replays));
  AddNotes(snapshot, replay, report);
  if (parts.trace != nullptr) AddTrace(snapshot, replay, sites, *parts.trace, report);
  if (parts.pictures) AddPictures(snapshot, replay, sites, report);
  return report;
}

}  // namespace stepscope::memory
