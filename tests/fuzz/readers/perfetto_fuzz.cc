// Fuzzes the way from the bytes of a trace in Perfetto's format to its recordings.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold, and for
// parts that read another way alone than with the others.
#include <cstdint>
#include <string_view>

#include "ingest/perfetto/perfetto_reader.h"
#include "tests/fuzz/recordings.h"
#include "tests/fuzz/target.h"

namespace stepscope::perfetto_fuzz {
namespace {

void Read(std::string_view bytes) {
  auto traces = ReadPerfetto(ByteSource::FromMemory(bytes), {});
  if (!traces) return Require(!traces.error().what.empty());
  Require(!traces->empty());
  for (const Recording& recording : *traces) CheckEvents(recording.trace);
  const size_t last = traces->size() - 1;
  const auto part = ReadPerfettoPart(ByteSource::FromMemory(bytes), {.part = last});
  Require(part && part->size() == traces->back().trace.size());
}

void Fuzz(std::string_view bytes) {
  LooksLikePerfetto(bytes);
  Read(bytes);
}

const fuzz::Register kTarget({.name = "perfetto", .run = &Fuzz, .form = fuzz::Form::kProto});

}  // namespace
}  // namespace stepscope::perfetto_fuzz
