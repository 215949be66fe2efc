// Measures the modules (layers) of a model: a tree with host time, device time of forward and
// backward, and device memory.
//
// Modules come from Python frames ("nn.Module: Linear_0", of which each is one module), or, where a
// recording has none, from the name scopes of compiled operations (Flax, Keras). Ranks that run the
// same modules add up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

using ModuleId = uint32_t;
inline constexpr ModuleId kNoModule = UINT32_MAX;

// Of a module by itself, or with the modules in it.
struct ModuleSum {
  int64_t kernels = 0;   // memcpy and memset aside
  int64_t forward = 0;   // ns of activities
  int64_t backward = 0;  // likewise, with recomputation
  int64_t exposed = 0;   // ns of communication without concurrent compute
  double flops = 0;      // 0: unknown
  // Bytes of device memory that it allocated, and of these, bytes in use when the device's
  // allocator had most in use (MemoryTakenOnDevices()).
  int64_t allocated = 0;
  int64_t at_peak = 0;

  int64_t Device() const;
  void Add(const ModuleSum& o);
};

struct Module {
  std::string name;  // "Linear_0"
  std::string type;  // "Linear"
  ModuleId parent = kNoModule;
  int64_t calls = 0;      // 0 where they were not recorded: of scopes
  int64_t host = 0;       // ns of its calls
  int64_t host_self = 0;  // without the modules it called
  ModuleSum self, all;    // without, with the modules in it
};

// What each name has in each module, and outside: kNoModule.
using AmountByModule = std::map<std::pair<StringId, ModuleId>, double>;

struct Modules {
  std::vector<Module> modules;  // in the order they were met
  bool host_known = false;      // calls were recorded
  bool memory_known = false;    // so was what devices' allocators gave out,
  bool blocks_known = false;    // and for how long
  int64_t device_time = 0;      // ns of activities of the recordings that have modules
  int64_t outside = 0;          // of which in no module
  AmountByModule activities;    // ns of activities, by their names
  AmountByModule exposed;       // ns of communication without concurrent compute, by names
  AmountByModule operators;     // FLOPs of operators that have some, by their names

  // The names from the outermost on, joined by "/"; a "/" in a name is "%2F".
  std::string PathOf(ModuleId module) const;
  // Where most of what a name has is: the module if it has half or more of it, else the type if
  // modules of it have; empty if neither does, or there are no modules.
  std::string PlaceOf(StringId name, const AmountByModule& amounts) const;
};

const Modules& ModulesOf(const Facts& facts);

}  // namespace stepscope
