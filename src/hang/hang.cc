// Reads dumps, judges, and reports.
#include "stepscope/hang.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/time_units.h"
#include "base/unless_stopped.h"
#include "hang/attempts.h"
#include "hang/contradictions.h"
#include "hang/hang_report.h"
#include "hang/join.h"
#include "hang/judge.h"
#include "hang/ras_job.h"
#include "ingest/flight/flight_reader.h"
#include "ingest/flight/look_for_dumps.h"
#include "report/findings.h"

namespace stepscope {
namespace {

void AddDumpNotes(const FoundDumps& found, std::vector<Note>& notes) {
  int64_t left_out = 0, odd = 0;
  for (const RankDump& dump : found.dumps) {
    left_out += dump.left_out;
    odd += dump.odd;
  }
  if (left_out > 0) {
    notes.push_back({"operations_left_out", left_out,
                     "operations were left out: no group or number, or too many unfinished", ""});
  }
  if (odd > 0) {
    notes.push_back({"odd_operations", odd,
                     "operations have values that no recorder writes: dumps may be damaged", ""});
  }
}

// How long after the last operation the dumps were written, by the times of their files. A copy is
// younger.
int64_t SinceArrival(const FoundDumps& found) {
  int64_t newest = kAbsent, written = kAbsent;
  for (const RankDump& dump : found.dumps) {
    newest = std::max(newest, dump.newest);
    if (dump.written == kAbsent) return kAbsent;
    written = std::max(written, dump.written);
  }
  return newest == kAbsent || written < newest ? kAbsent : written - newest;
}

// Dumps so soon after the last operation may be of a job that moves.
bool IsSoon(int64_t since_arrival) {
  constexpr int64_t kSettled = 60 * kSecond;  // writing dumps may take half of that
  return since_arrival != kAbsent && since_arrival < kSettled;
}

// What stacks, RAS and events say of ranks, whatever the dumps are.
void AddEvidence(FoundDumps& found, const hang::RasJob& ras, std::span<const SignOfLife> signs,
                 hang::Job& job) {
  for (const RankStack& stack : found.stacks) job.stacks[stack.rank] = &stack;
  job.ras = ras.marks;
  for (const SignOfLife& sign : signs) job.signs[sign.rank] = sign;
  for (const auto& [rank, mark] : job.ras)
    if (mark >= hang::RasMark::kUnresponsive) job.ranks.insert(rank);
  int64_t left_out = 0;
  for (const RasStatus& status : found.ras) left_out += status.left_out;
  if (left_out > 0) {
    found.notes.push_back({"ras_members_left_out", left_out,
                           "members of communicators were left out: no rank, or one twice", ""});
  }
  if (!found.ras.empty() && !ras.ranks_known) {
    found.notes.push_back({"ras_ranks_unknown", 1,
                           "ranks of members are not known: no communicator has all processes",
                           found.ras.front().path});
  }
}

Result<ReportSet> Ask(std::span<const std::string> paths, const HangOptions& options) {
  if (paths.empty())
    return std::unexpected(Error{"nothing to open", "", "give a directory with one dump per rank"});
  auto found = ReadDumps(paths, options.threads, Places(options.storage));
  if (!found) return std::unexpected(found.error());
  auto contradictions = hang::SetAsideOtherAttempts(*found);
  std::ranges::move(hang::ContradictionsOf(found->dumps), std::back_inserter(contradictions));
  const hang::RasJob ras = hang::JobOfRas(found->ras);
  const bool counts = found->dumps.empty();  // only RAS tells how far ranks came
  hang::Job job =
      hang::JoinDumps(counts ? ras.dumps : found->dumps, options.world_size, found->unusable);
  job.counts_only = counts && !found->ras.empty();
  if (!counts) job.since_arrival = SinceArrival(*found);
  job.may_move = job.counts_only ? !ras.steady : IsSoon(job.since_arrival);
  if (!contradictions.empty()) job.contradiction = contradictions.front().message;
  AddEvidence(*found, ras, options.signs, job);
  std::ranges::move(found->notes, std::back_inserter(contradictions));
  found->notes = std::move(contradictions);
  ReportSet answer;
  answer.run = {.name = paths[0],
                .files = std::move(found->files),
                .ranks = static_cast<int64_t>(job.dumps.size()),
                .steps = "all",
                .notes = std::move(found->notes)};
  AddDumpNotes(*found, answer.run.notes);
  answer.reports.push_back(hang::HangReport(job, hang::Judge(job)));
  if (!found->ras.empty())
    answer.reports.front().tables.push_back(hang::CommunicatorsTable(found->ras));
  answer.verdict = answer.reports.front().headline;
  JoinFindings(answer, {});
  return answer;
}

}  // namespace

HoldsHang HangAt(const std::string& path) {
  const DumpsSeen seen = LookForDumps(path);
  if (!seen.dumps) return HoldsHang::kNone;
  return seen.others ? HoldsHang::kBesideOthers : HoldsHang::kAlone;
}

Result<ReportSet> FindHang(std::span<const std::string> paths, const HangOptions& options) {
  return UnlessStopped(options.stop, "the question was canceled",
                       [&] { return Ask(paths, options); });
}

}  // namespace stepscope
