// Fuzzes the way from the bytes of dumps, or of the JSON of NCCL's RAS service, to the answer about
// a stuck job: roots are ranks of the job. The same bytes are read as three dumps, cut at lines of
// dashes.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "hang/hang_report.h"
#include "hang/join.h"
#include "hang/judge.h"
#include "hang/ras_job.h"
#include "ingest/flight/flight_reader.h"
#include "ingest/ras/ras_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::hang_fuzz {
namespace {

void JudgeJob(const hang::Job& job) {
  const hang::Judgement judgement = hang::Judge(job);
  for (const hang::Root& root : judgement.roots)
    Require(job.ranks.contains(root.rank) || job.ras.contains(root.rank));
  Require(!hang::HangReport(job, judgement).headline.empty());
}

void JudgeDumps(std::string_view bytes) {
  constexpr std::string_view kCut = "\n----\n";
  std::vector<RankDump> dumps;
  for (int64_t rank = 0; rank < 3; ++rank) {
    const size_t end = bytes.find(kCut);
    auto dump = ReadFlightDump(ByteSource::FromMemory(bytes.substr(0, end)), "rank");
    if (dump) {
      dump->rank = rank;
      dumps.push_back(std::move(*dump));
    }
    if (end == bytes.npos) break;
    bytes.remove_prefix(end + kCut.size());
  }
  JudgeJob(hang::JoinDumps(dumps, 0));
}

void JudgeStatus(std::string_view bytes) {
  const auto status = ReadRas(ByteSource::FromMemory(bytes));
  if (!status) return;
  const std::vector<RasStatus> statuses{*status};
  const hang::RasJob ras = hang::JobOfRas(statuses);
  hang::Job job = hang::JoinDumps(ras.dumps, 0);
  job.counts_only = true;
  job.may_move = !ras.steady;
  job.ras = ras.marks;
  JudgeJob(job);
  Require(!hang::CommunicatorsTable(statuses).key.empty());
}

void Fuzz(std::string_view bytes) { LooksLikeRas(bytes) ? JudgeStatus(bytes) : JudgeDumps(bytes); }

const fuzz::Register kTarget({.name = "hang", .run = &Fuzz, .form = fuzz::Form::kPickle});

}  // namespace
}  // namespace stepscope::hang_fuzz
