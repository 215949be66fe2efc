// Fuzzes the way from the bytes of a trace in Perfetto's format to its recordings.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold, and for
// parts that read another way alone than with the others.
#include <cstdint>
#include <string_view>

#include "ingest/perfetto/perfetto_reader.h"
#include "tests/fuzz/recordings.h"

namespace stepscope {
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

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  stepscope::LooksLikePerfetto(bytes);
  stepscope::Read(bytes);
  return 0;
}
