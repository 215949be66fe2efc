// Fuzzes the reader of kernel groups, which people write in TOML.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "stepscope/kernel_groups.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto groups = stepscope::ParseKernelGroups({reinterpret_cast<const char*>(data), size});
  if (!groups && groups.error().what.empty()) std::abort();
  return 0;
}
