// Fuzzes what reads memory snapshots, and nothing behind it.
#include <string_view>

#include "ingest/snapshot/snapshot_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::snapshot_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  const auto snapshot = ReadSnapshot(ByteSource::FromMemory(bytes));
  Require(snapshot || !snapshot.error().what.empty());
}

const fuzz::Register kTarget({.name = "snapshot", .run = &Fuzz, .form = fuzz::Form::kPickle});

}  // namespace
}  // namespace stepscope::snapshot_fuzz
