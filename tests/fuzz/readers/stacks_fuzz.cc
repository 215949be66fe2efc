// Fuzzes the reading of stacks: whatever the text, there is a thread or an error, and lines are
// short and printable.
#include <string_view>

#include "ingest/stacks/stack_text.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::stacks_fuzz {
namespace {

void Fuzz(std::string_view text) {
  LooksLikeStacks(text.substr(0, 8192));
  const auto stack = ReadStackText(text);
  if (!stack) return Require(!stack.error().what.empty());
  Require(stack->line.size() <= 2000 && stack->innermost.size() <= 2000);
  Require(!stack->line.contains('\n'));
}

const fuzz::Register kTarget({.name = "stacks", .run = &Fuzz, .form = fuzz::Form::kLines});

}  // namespace
}  // namespace stepscope::stacks_fuzz
