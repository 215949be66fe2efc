// Fuzzes the way from the bytes of partials to traces.
//
// The hash is not asked for: nothing that a fuzzer makes has it. Beside crashes and sanitizer
// reports it looks for times that no trace may have.
#include <algorithm>
#include <string_view>

#include "ingest/partial/partial_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"
#include "trace/condensed.h"

namespace stepscope::partial_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  auto file = ParquetFile::Open(ByteSource::FromMemory(bytes));
  if (!file) return Require(!file.error().what.empty());
  const auto recordings = ReadRowsOfPartials(*file);
  if (!recordings) return Require(!recordings.error().what.empty());
  for (const Recording& recording : *recordings) {
    const Trace& trace = recording.trace;
    Require(trace.meta.condensed != nullptr);
    Require(std::ranges::is_sorted(trace.meta.condensed->incomplete_steps));
    for (size_t e = 0; e < trace.size(); ++e) {
      Require(trace.durations()[e] >= 0);
      Require(trace.starts()[e] <= INT64_MAX - trace.durations()[e]);
      Require(trace.tracks_of()[e] < trace.tracks.size());
    }
  }
}

const fuzz::Register kTarget({.name = "partial", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::partial_fuzz
