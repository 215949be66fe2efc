// Fuzzes the way from the JSON of NCCL's RAS service to the answer about a stuck job: roots are
// ranks of the job.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "hang/hang_report.h"
#include "hang/join.h"
#include "hang/judge.h"
#include "hang/ras_job.h"
#include "ingest/ras/ras_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const auto status = ReadRas(ByteSource::FromMemory({reinterpret_cast<const char*>(data), size}));
  if (!status) {
    if (status.error().what.empty()) std::abort();
    return 0;
  }
  const std::vector<RasStatus> statuses{*status};
  const hang::RasJob ras = hang::JobOfRas(statuses);
  hang::Job job = hang::JoinDumps(ras.dumps, 0);
  job.counts_only = true;
  job.may_move = !ras.steady;
  job.ras = ras.marks;
  const hang::Judgement judgement = hang::Judge(job);
  for (const hang::Root& root : judgement.roots)
    if (!job.ranks.contains(root.rank) && !job.ras.contains(root.rank)) std::abort();
  if (hang::HangReport(job, judgement).headline.empty()) std::abort();
  if (hang::CommunicatorsTable(statuses).key.empty()) std::abort();
  return 0;
}
