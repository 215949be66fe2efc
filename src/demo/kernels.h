// Declares the kernels of the synthetic job: names, launch shapes and nominal durations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stepscope::demo {

enum class ActivityKind : uint8_t { kCompute, kCommunication, kMemcpy, kMemset };

// "compute", "communication", "memcpy", "memset".
std::string_view ActivityKindName(ActivityKind kind);

struct Dim3 {
  int x = 1, y = 1, z = 1;
};

struct Kernel {
  std::string_view key;   // how the script calls it
  std::string_view name;  // as the profiler would
  ActivityKind kind = ActivityKind::kCompute;
  int64_t nominal = 0;  // ns, before jitter and slowness; of no meaning for collectives
  Dim3 grid, block;
  int registers = 0;
  int shared_memory = 0;
  int64_t bytes = 0;  // moved or set, of copies and memsets
};

// Every kernel there is; a kernel's place in it is its number.
std::span<const Kernel> AllKernels();

// The kernel the script calls `key`; null when there is none.
const Kernel* FindKernel(std::string_view key);

// A call into the runtime or driver, and the number the profiler knows it by.
struct ApiCall {
  std::string_view name;
  int cbid = 0;
  bool driver = false;
};

// Null when the demo knows no such call.
const ApiCall* FindCall(std::string_view name);

// The call that launches work such as this.
const ApiCall& LaunchCallOf(const Kernel& kernel);

}  // namespace stepscope::demo
