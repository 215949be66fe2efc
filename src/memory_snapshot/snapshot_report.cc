// Judges: a failed allocation leads, then what holds the peak, fragmentation, and growth.
#include "memory_snapshot/snapshot_report.h"

#include <algorithm>

#include "memory_snapshot/holders.h"
#include "memory_snapshot/snapshot_tables.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::memory {
namespace {

constexpr double kMuchUnused = 0.15;  // of what is reserved, in blocks of which none is half of it

std::string Bytes(int64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

std::string Share(int64_t part, int64_t whole) {
  return HumanRatio(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
}

const Replay& LeadingOf(const std::vector<Replay>& replays) {
  const Replay* leading = &replays.front();
  for (const Replay& replay : replays) {
    const bool failed = !replay.ooms.empty(), before = !leading->ooms.empty();
    if (failed != before ? failed : replay.peak > leading->peak) leading = &replay;
  }
  return *leading;
}

Phrase SayFailure(const Replay& replay) {
  const Oom& oom = replay.ooms.back();
  const Phrase failed =
      Say("An allocation of {wanted} failed on device {device}, which had {free} free.",
          Bytes(oom.wanted), replay.device, Bytes(oom.device_free));
  if (!oom.last || !replay.possible) return failed;
  return failed + " " +
         Say("Of {reserved} reserved, {unused} were unused; the largest free block has {block}.",
             Bytes(oom.reserved), Bytes(replay.unused_at_end), Bytes(replay.largest_free));
}

// What would have let it fit.
Phrase AdviseFailure(const Replay& replay) {
  const Oom& oom = replay.ooms.back();
  if (!oom.last || !replay.possible) return "dump the snapshot when it fails; see docs/memory.md";
  const int64_t there = replay.unused_at_end + oom.device_free;
  if (there >= oom.wanted && replay.largest_free < oom.wanted)
    return Say(
        "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; {there} were unused in pieces",
        Bytes(there));
  if (there >= oom.wanted)
    return "free blocks are of another stream or pool; allocate on one stream";
  return Say("need at least {less} less memory: a smaller batch, or recompute activations",
             Bytes(oom.wanted - there));
}

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
      {"out_of_memory", "failed allocations", static_cast<int64_t>(replay.ooms.size()),
       Unit::kCount},
      {"events", "events", replay.events, Unit::kCount},
      {"segments", "segments", static_cast<int64_t>(snapshot.segments.size()), Unit::kCount}};
}

void AddFindings(const Replay& replay, const Sites& sites, const std::vector<Growing>& growing,
                 Report& report) {
  const Cause cause{.kind = CauseKind::kMemory};
  if (!replay.ooms.empty())
    report.findings.push_back(
        {.severity = Severity::kHigh,
         .message = SayFailure(replay),
         .because = Say("{site} wanted it",
                        Phrase::Name(SiteText(sites, sites.places[replay.ooms.back().stack].site))),
         .hint = AdviseFailure(replay),
         .table = "out_of_memory",
         .cause = cause});
  for (const Growing& one : growing)
    report.findings.push_back(
        {.severity = Severity::kMedium,
         .message = Say("Memory allocated at {site} grows throughout the recording.",
                        Phrase::Name(SiteText(sites, one.site))),
         .because = Say("{first} after the first eighth, {last} at the end; it may be a leak",
                        Bytes(one.first), Bytes(one.last)),
         .hint = "look for a list or a graph that keeps these tensors",
         .table = "growth"});
  const double unused = replay.reserved_at_end > 0 ? static_cast<double>(replay.unused_at_end) /
                                                         static_cast<double>(replay.reserved_at_end)
                                                   : 0;
  if (replay.ooms.empty() && unused >= kMuchUnused &&
      replay.largest_free < replay.unused_at_end / 2)
    report.findings.push_back(
        {.severity = Severity::kLow,
         .message =
             Say("{share} of reserved memory is unused at the end, in pieces.", HumanRatio(unused)),
         .because = Say("{unused} of {reserved}; the largest free block has {block}",
                        Bytes(replay.unused_at_end), Bytes(replay.reserved_at_end),
                        Bytes(replay.largest_free)),
         .hint = "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True where memory runs out",
         .table = "segments"});
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

}  // namespace

Report SnapshotReport(const MemorySnapshot& snapshot, const std::vector<Replay>& replays) {
  Report report{.analysis = "memory_snapshot", .title = "Memory snapshot"};
  if (replays.empty()) {
    report.status = Status::kUnavailable;
    report.why = "the snapshot has no segments and no events: no memory was allocated";
    return report;
  }
  const Replay& replay = LeadingOf(replays);
  const Sites sites = FindSites(snapshot.stacks);
  const auto growing = FindGrowing(sites, replay);
  const Phrase peak = SayPeak(replay, sites, HoldersBy(By::kSite, sites, replay));
  report.headline = replay.ooms.empty() ? peak : SayFailure(replay) + " " + peak;
  AddMetrics(snapshot, replay, report);
  if (replay.possible)
    report.tables = {StacksTable(snapshot, sites, replay), OperatorsTable(sites, replay),
                     CategoriesTable(sites, replay)};
  report.tables.push_back(OutOfMemoryTable(snapshot, sites, replay));
  report.tables.push_back(GrowthTable(snapshot, sites, growing));
  report.tables.push_back(SegmentsTable(snapshot));
  report.tables.push_back(DevicesTable(replays));
  AddFindings(replay, sites, growing, report);
  AddNotes(snapshot, replay, report);
  return report;
}

}  // namespace stepscope::memory
