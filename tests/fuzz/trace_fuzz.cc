// Fuzzes what reads the bytes of traces, of either format, and nothing behind it: many times the
// executions of kineto_fuzz and xplane_fuzz, which ask every analysis too.
#include <cstdint>
#include <string_view>

#include "ingest/trace_reader.h"
#include "tests/fuzz/require.h"

namespace stepscope {
namespace {

void Fuzz(std::string_view bytes) {
  const auto trace = ReadTrace(ByteSource::FromMemory(bytes));
  if (!trace) return Require(!trace.error().what.empty());
  const size_t events = trace->size();
  Require(trace->starts().size() == events && trace->durations().size() == events);
  for (EventId e = 0; e < events; ++e) {
    Require(trace->names()[e] < trace->strings.size());
    Require(trace->tracks_of()[e] < trace->tracks.size());
  }
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
