// Fuzzes what reads dumps of the Flight Recorder, pickles or JSON, and nothing behind it.
#include <string_view>

#include "ingest/flight/flight_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::flight_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  HangFileOf(bytes.substr(0, kHangSniff));
  SureHangFileOf(bytes.substr(0, kHangSniff));
  const auto dump = ReadFlightDump(ByteSource::FromMemory(bytes), "rank_3");
  if (!dump) return Require(!dump.error().what.empty());
  for (const DumpOperation& operation : dump->operations)
    Require(operation.group < dump->groups.size());
}

const fuzz::Register kTarget({.name = "flight", .run = &Fuzz, .form = fuzz::Form::kPickle});

}  // namespace
}  // namespace stepscope::flight_fuzz
