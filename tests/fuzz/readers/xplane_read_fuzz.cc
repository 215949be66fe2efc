// Fuzzes what reads profiles (XSpace), whatever their first bytes, and nothing behind it.
#include <string_view>
#include <utility>

#include "ingest/xplane/xplane_reader.h"
#include "tests/fuzz/recordings.h"
#include "tests/fuzz/target.h"

namespace stepscope::xplane_read_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  LooksLikeXSpace(bytes.substr(0, kXSpaceSniff));
  const auto trace = ReadXSpace(SeekableBytes(ByteSource::FromMemory(bytes)), {});
  if (!trace) return Require(!trace.error().what.empty());
  CheckEvents(*trace);
}

const fuzz::Register kTarget({.name = "xplane_read", .run = &Fuzz, .form = fuzz::Form::kProto});

}  // namespace
}  // namespace stepscope::xplane_read_fuzz
