// Fuzzes what reads the events of jobs from JSON, and nothing behind it.
#include <string_view>

#include "goodput/events/json_lines.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::goodput::goodput_read_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  Notes notes;
  ReadJsonLines(ByteSource::FromMemory(bytes), notes,
                [](const Event& event) { Require(event.kind != EventKind::kNone); });
}

const fuzz::Register kTarget({.name = "goodput_read", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::goodput::goodput_read_fuzz
