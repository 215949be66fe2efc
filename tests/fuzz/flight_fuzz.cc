// Fuzzes the way from the bytes of a dump to the answer about a stuck job.
//
// Beside crashes and sanitizer reports it looks for roots that are no rank of the job. The same
// bytes are read as three dumps, cut at lines of dashes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hang/hang_report.h"
#include "hang/join.h"
#include "hang/judge.h"
#include "ingest/flight/flight_reader.h"
#include "tests/fuzz/require.h"

namespace stepscope {
namespace {

void Fuzz(std::string_view bytes) {
  constexpr std::string_view kCut = "\n----\n";
  std::vector<RankDump> dumps;
  for (int64_t rank = 0; rank < 3; ++rank) {
    const size_t end = bytes.find(kCut);
    auto dump = ReadFlightDump(ByteSource::FromMemory(bytes.substr(0, end)), "rank");
    if (dump) {
      dump->rank = rank;
      dumps.push_back(std::move(*dump));
    } else {
      Require(!dump.error().what.empty());
    }
    if (end == bytes.npos) break;
    bytes.remove_prefix(end + kCut.size());
  }
  const hang::Job job = hang::JoinDumps(dumps, 0);
  const hang::Judgement judgement = hang::Judge(job);
  for (const hang::Root& root : judgement.roots) Require(job.ranks.contains(root.rank));
  Require(!hang::HangReport(job, judgement).headline.empty());
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
