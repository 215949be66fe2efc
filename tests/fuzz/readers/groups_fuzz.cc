// Fuzzes the reader of kernel groups, which people write in TOML.
#include <string_view>

#include "stepscope/kernel_groups.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::groups_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  const auto groups = ParseKernelGroups(bytes);
  Require(groups || !groups.error().what.empty());
}

const fuzz::Register kTarget({.name = "groups", .run = &Fuzz, .form = fuzz::Form::kLines});

}  // namespace
}  // namespace stepscope::groups_fuzz
