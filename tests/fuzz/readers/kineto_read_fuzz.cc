// Fuzzes what reads the bytes of traces, of any format that is told by its first bytes, and nothing
// behind it: many times the executions of kineto_fuzz, which asks every analysis too.
#include <string_view>

#include "ingest/trace_reader.h"
#include "tests/fuzz/recordings.h"
#include "tests/fuzz/target.h"

namespace stepscope::kineto_read_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  const auto trace = ReadTrace(ByteSource::FromMemory(bytes));
  if (!trace) return Require(!trace.error().what.empty());
  CheckEvents(*trace);
}

const fuzz::Register kTarget({.name = "kineto_read", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::kineto_read_fuzz
