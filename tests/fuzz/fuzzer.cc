// Runs the target whose name the program was called by, under libFuzzer.
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace {

using stepscope::fuzz::Target;

const Target* chosen = nullptr;

// `program`: ".../kineto_fuzz".
const Target& Choose(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  auto& targets = stepscope::fuzz::Targets();
  const auto at = std::ranges::find_if(
      targets, [&](const Target& t) { return name == std::string(t.name) + "_fuzz"; });
  if (at != targets.end()) return *at;
  std::fprintf(stderr, "%s: no target has this name; call it as one of\n", name.c_str());
  for (const Target& target : targets)
    std::fprintf(stderr, "%s_fuzz\n", std::string(target.name).c_str());
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  chosen = &Choose((*argv)[0]);
  // Buffers that each input needs anew stay with the program: giving them back takes longer than
  // most of reading.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return stepscope::fuzz::Mutate(chosen->form, {data, size, most}, seed);
}
