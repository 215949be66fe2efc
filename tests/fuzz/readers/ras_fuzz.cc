// Fuzzes what reads the JSON of NCCL's RAS service, and nothing behind it.
#include <string_view>

#include "ingest/ras/ras_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::ras_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  LooksLikeRas(bytes);
  const auto status = ReadRas(ByteSource::FromMemory(bytes));
  Require(status || !status.error().what.empty());
}

const fuzz::Register kTarget({.name = "ras", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::ras_fuzz
