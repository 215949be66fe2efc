// Makes the report of a capture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/capture.h"

namespace stepscope {
namespace {

// "500 ms" or "5 steps".
std::string Window(const CaptureWindow& window) {
  if (window.iterations > 0) return Plural(static_cast<size_t>(window.iterations), "step").str();
  return HumanNanoseconds(window.duration);
}

// "Rank 2" where it is known, else the address, as it begins a sentence.
std::string NameOf(const CaptureTarget& target) {
  return target.rank >= 0 ? fmt::format("Rank {}", target.rank) : target.address;
}

// "rank 2 gave no trace: it ended" and how many more.
Phrase FirstMissing(const CaptureResult& result) {
  const auto missing = [](const CaptureOutcome& outcome) { return outcome.file.empty(); };
  const auto first = std::ranges::find_if(result.outcomes, missing);
  if (first == result.outcomes.end()) return {};
  const auto count = static_cast<size_t>(std::ranges::count_if(result.outcomes, missing));
  Phrase said = Say("{who} gave no trace: {reason}", Phrase::Name(NameOf(first->target)),
                    Phrase::Name(first->reason));
  if (count > 1) said += Say(" ({count} more below)", count - 1);
  return said;
}

// How many were traced; why others were not is said where there is room.
Phrase Headline(const CaptureResult& result) {
  const size_t all = result.outcomes.size(), came = TracesOf(result);
  if (result.dry_run) {
    return Say("{workers} would be traced; not chosen: {others}.", Plural(all, "worker"),
               result.others.size());
  }
  if (all == 0) return "No process was found that can be traced.";
  if (result.cancelled && came > 0)
    return Say("{count} of {all} workers were traced, until the capture was ended early.", came,
               all);
  if (result.only_stacks) return Say("{count} of {all} workers gave their stacks.", came, all);
  if (all == 1 && came == 1)
    return Say("The worker was traced for {window}.", Window(result.window));
  if (all == 1) return "The worker gave no trace.";
  return Say("{count} of {all} workers were traced for {window}.", came, all,
             Window(result.window));
}

// What went wrong, without what to do: a cell has little room.
std::string InShort(const std::string& reason) { return reason.substr(0, reason.find(';')); }

// The ranks of the job that no worker has, where all workers say theirs: "2", "1, 3 and 12 more".
std::string RanksNotFound(const CaptureResult& result) {
  constexpr size_t kNamed = 8;
  std::set<int64_t> found;
  int64_t world = 0;
  for (const CaptureOutcome& outcome : result.outcomes) {
    if (outcome.target.rank < 0) return "";
    found.insert(outcome.target.rank);
    world = std::max(world, outcome.target.world_size);
  }
  std::vector<int64_t> named;
  size_t missing = 0;
  for (int64_t rank = 0; rank < std::min<int64_t>(world, 1'000'000); ++rank) {
    if (found.contains(rank)) continue;
    if (++missing <= kNamed) named.push_back(rank);
  }
  if (missing == 0) return "";
  return fmt::format("{}{}", fmt::join(named, ", "),
                     missing > kNamed ? fmt::format(" and {} more", missing - kNamed) : "");
}

Cell Known(int64_t number, int64_t least) { return When(number >= least, number); }

std::vector<Cell> Row(const CaptureTarget& target, const std::string& state) {
  return {target.address,
          TextCell(target.host),
          Known(target.rank, 0),
          Known(target.local_rank, 0),
          Known(target.world_size, 1),
          TextCell(target.job),
          TextCell(target.attempt),
          state};
}

// "+17.7%"; differences that steps have anyway are none.
Phrase SayChange(const StepsAround& steps) {
  constexpr double kNone = 0.005;
  const double change = static_cast<double>(steps.during) / static_cast<double>(steps.before) - 1;
  if (std::abs(change) < kNone) return "no longer";
  return HumanCell(change, Unit::kRelativeChange);
}

// "Steps took 1.41 ms before and 1.66 ms during the capture (+17.7%), 1.42 ms after."
Phrase SaySteps(const StepsAround& steps) {
  Phrase said =
      Say("Steps took {before} before and {during} during the capture ({change})",
          HumanNanoseconds(steps.before), HumanNanoseconds(steps.during), SayChange(steps));
  if (steps.after > 0) said += Say(", {after} after", HumanNanoseconds(steps.after));
  return said + ".";
}

// What the capture did to the job's steps, where that is known.
void TellSteps(const CaptureResult& result, Report& report) {
  const StepsAround& steps = result.steps;
  if (result.dry_run || TracesOf(result) == 0) return;
  if (steps.before == 0 || steps.during == 0) {
    report.notes.push_back(
        {.name = "slowdown_not_known",
         .count = 1,
         .message = "How much the capture slowed the job is not known: the directory with the "
                    "events of its steps was not given.",
         .where = ""});
    return;
  }
  report.headline += " " + SaySteps(steps);
  report.metrics.push_back({"step_before", "step before", steps.before, Unit::kNanoseconds});
  report.metrics.push_back({"step_during", "step during", steps.during, Unit::kNanoseconds});
  if (steps.after > 0)
    report.metrics.push_back({"step_after", "step after", steps.after, Unit::kNanoseconds});
}

Table Processes(const CaptureResult& result) {
  const bool several =
      std::ranges::any_of(result.outcomes, [](const auto& each) { return each.files > 1; });
  Table table{
      .key = "processes",
      .title = "Processes",
      .columns = {KeyColumn("process", "process"), KeyColumn("host", "host"),
                  ValueColumn("rank", "rank"), Detail(ValueColumn("local_rank", "local rank")),
                  Detail(ValueColumn("world_size", "world size")), ValueColumn("job", "job"),
                  Detail(ValueColumn("attempt", "attempt")), Words(ValueColumn("state", "state")),
                  BytesColumn("bytes", "size"), TimeColumn("took", "time to trace"),
                  CountColumn("files", "files"),
                  ValueColumn("file", several ? "last file" : "file"),
                  ValueColumn("reason", "reason")}};
  for (const CaptureOutcome& outcome : result.outcomes) {
    const bool came = !outcome.file.empty();
    const char* state = result.dry_run       ? "would be traced"
                        : !came              ? "no trace"
                        : result.only_stacks ? "stacks"
                                             : "traced";
    auto row = Row(outcome.target, state);
    const bool timed = came && outcome.start > 0 && outcome.end >= outcome.start;
    row.insert(row.end(), {When(came, outcome.bytes), When(timed, outcome.end - outcome.start),
                           Known(outcome.files, 2), TextCell(outcome.file),
                           TextCell(InShort(outcome.reason))});
    table.rows.push_back(std::move(row));
  }
  for (const CaptureTarget& target : result.others) {
    auto row = Row(target, "not chosen");
    row.insert(row.end(), {Cell(), Cell(), Cell(), Cell(), TextCell(target.reason)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

size_t TracesOf(const CaptureResult& result) {
  return static_cast<size_t>(
      std::ranges::count_if(result.outcomes, [](const auto& each) { return !each.file.empty(); }));
}

ReportSet ReportOfCapture(const CaptureResult& result) {
  const size_t all = result.outcomes.size(), came = result.dry_run ? all : TracesOf(result);
  Report report{.analysis = "capture", .title = "Capture", .headline = Headline(result)};
  if (all == 0) {
    // What was found and not chosen is worth a table.
    report.status = result.others.empty() ? Status::kUnavailable : Status::kPartial;
    report.why = "no process was found that can be traced";
  } else if (came < all) {
    report.status = Status::kPartial;
    report.why = FirstMissing(result);
  }
  int64_t bytes = 0;
  for (const CaptureOutcome& outcome : result.outcomes) bytes += outcome.bytes;
  report.metrics = {
      {"workers", "workers", static_cast<int64_t>(all), Unit::kCount},
      {"traced", "traced", static_cast<int64_t>(result.dry_run ? 0 : came), Unit::kCount},
      {"missing", "missing", static_cast<int64_t>(all - came), Unit::kCount},
      {"bytes", "bytes of traces", bytes, Unit::kBytes},
  };
  if (result.start > 0)
    report.metrics.push_back({"start", "common start", result.start, Unit::kUnixTime});
  if (const std::string ranks = RanksNotFound(result); !ranks.empty()) {
    report.headline +=
        Say(" Ranks of the job that were not found here: {ranks}.", Phrase::Name(ranks));
    report.status = Status::kPartial;
    if (report.why.empty()) report.why = "ranks of the job were not found here";
  }
  report.tables.push_back(Processes(result));
  TellSteps(result, report);
  for (const std::string& sentence : result.unknown)
    report.notes.push_back(
        {.name = "not_known", .count = 1, .message = Phrase::Name(sentence), .where = ""});
  if (result.cancelled)
    report.notes.push_back(
        {.name = "cancelled", .count = 1, .message = "the capture was ended early", .where = ""});
  ReportSet answer;
  answer.run = {.name = result.folder.empty() ? "capture" : result.folder,
                .ranks = static_cast<int64_t>(came),
                .steps = "all"};
  answer.verdict = report.headline;
  if (came < all) {
    if (all == 1)
      answer.verdict.clear();
    else
      answer.verdict += " ";
    answer.verdict += Say("{missing}.", FirstMissing(result));
  }
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace stepscope
