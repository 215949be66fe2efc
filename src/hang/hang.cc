// Reads dumps, judges, and reports.
#include "stepscope/hang.h"

#include <utility>

#include "base/unless_stopped.h"
#include "hang/hang_report.h"
#include "hang/join.h"
#include "hang/judge.h"
#include "ingest/flight/flight_reader.h"
#include "report/findings.h"

namespace stepscope {
namespace {

void AddDumpNotes(const FoundDumps& found, std::vector<Note>& notes) {
  int64_t left_out = 0;
  for (const RankDump& dump : found.dumps) left_out += dump.left_out;
  if (left_out > 0) {
    notes.push_back({"operations_left_out", left_out,
                     "operations were left out: no group or number, or too many unfinished", ""});
  }
}

Result<ReportSet> Ask(std::span<const std::string> paths, const HangOptions& options) {
  if (paths.empty())
    return std::unexpected(Error{"nothing to open", "", "give a directory with one dump per rank"});
  auto found = ReadDumps(paths, options.threads, Places(options.storage));
  if (!found) return std::unexpected(found.error());
  const hang::Job job = hang::JoinDumps(found->dumps, options.world_size);
  ReportSet answer;
  answer.run = {.name = paths[0],
                .files = std::move(found->files),
                .ranks = static_cast<int64_t>(found->dumps.size()),
                .steps = "all",
                .notes = std::move(found->notes)};
  AddDumpNotes(*found, answer.run.notes);
  answer.reports.push_back(hang::HangReport(job, hang::Judge(job)));
  answer.verdict = answer.reports.front().headline;
  JoinFindings(answer, {});
  return answer;
}

}  // namespace

Result<ReportSet> FindHang(std::span<const std::string> paths, const HangOptions& options) {
  return UnlessStopped(options.stop, "the question was canceled",
                       [&] { return Ask(paths, options); });
}

}  // namespace stepscope
