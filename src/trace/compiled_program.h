// Describes a compiled program of a recording: what its compiler says of its costs and of the
// memory that it plans to use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace stepscope {

enum class BufferUse : uint8_t { kArgument, kOutput, kConstant, kTemporary };
constexpr std::string_view BufferUseName(BufferUse use) {
  constexpr std::string_view kNames[] = {"argument", "output", "constant", "temporary"};
  return kNames[static_cast<size_t>(use)];
}

// A buffer that is in use at a program's peak. Texts that are not known are kNoString.
struct ProgramBuffer {
  StringId instruction = kNoString;  // that makes it, "fusion.3{1}" of a tuple's second part
  StringId shape = kNoString;        // "bf16[4096,1024]"
  StringId framework_op = kNoString;
  StringId source = kNoString;  // "train.py:12"
  BufferUse use = BufferUse::kTemporary;
  int64_t bytes = 0;
  int64_t padding = 0;  // of which more than the shape needs
};

// A program's memory in one of the device's memories. Bytes, never negative, saturated.
struct ProgramMemory {
  int64_t space = 0;  // 0: the main memory
  int64_t arguments = 0, outputs = 0, constants = 0, temporaries = 0;
  int64_t aliased = 0;    // of both arguments and outputs: written in place
  int64_t allocated = 0;  // all of the above, each once
  int64_t peak = 0;       // most in use at once; the rest of `allocated` are gaps between buffers
  StringId peak_at = kNoString;        // the instruction at which it is reached first
  std::vector<ProgramBuffer> at_peak;  // largest first
  int64_t more_buffers = 0;            // that are too many to name
  int64_t more_bytes = 0;
};

struct CompiledProgram {
  StringId name = kNoString;  // "jit_train(17)"
  // Of one execution, -1: not known. Loops count as often as the compiler knows that they turn.
  int64_t flops = -1, transcendentals = -1, bytes = -1;
  std::vector<ProgramMemory> memory;  // by space; none: the compiler's plan was not recorded
};

// Calls f(id) for every name, so that it can be given another.
template <class F>
void ForEachName(CompiledProgram& program, const F& f) {
  const auto maybe = [&](StringId& id) {
    if (id != kNoString) f(id);
  };
  maybe(program.name);
  for (ProgramMemory& memory : program.memory) {
    maybe(memory.peak_at);
    for (ProgramBuffer& b : memory.at_peak) {
      for (StringId* id : {&b.instruction, &b.shape, &b.framework_op, &b.source}) maybe(*id);
    }
  }
}

}  // namespace stepscope
