// Fuzzes the reading of stacks: whatever the text, there is a thread or an error, and lines are
// short and printable.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/stacks/stack_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)LooksLikeStacks(text.substr(0, 8192));
  const auto stack = ReadStackText(text);
  if (!stack) {
    if (stack.error().what.empty()) std::abort();
    return 0;
  }
  if (stack->line.size() > 2000 || stack->innermost.size() > 2000) std::abort();
  if (stack->line.find('\n') != stack->line.npos) std::abort();
  return 0;
}
