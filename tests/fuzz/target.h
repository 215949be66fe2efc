// A fuzz target: what it reads with, under a name, and what its inputs are made of.
//
// A program of one target or many (fuzzer.cc) runs the one it is called as: `kineto_fuzz`.
// tests/fuzz_seeds_test.cc runs each on its seeds, corpus/NAME_fuzz.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace stepscope::fuzz {

// What a mutation keeps in order, so that it reaches what is behind it.
enum class Form : uint8_t {
  kBytes,    // nothing
  kJson,     // brackets, commas and quotes; of text that is not JSON, nothing
  kProto,    // lengths of fields
  kPickle,   // opcodes and their operands; of what begins as JSON does, as kJson
  kSegment,  // checksums of slots
  kLines,    // lines
  kRows,     // that it fills few tables of a database (FuzzedDatabases)
  kJsonOrRows,
};

struct Target {
  std::string_view name;  // "kineto"
  void (*run)(std::string_view bytes);
  Form form = Form::kBytes;
};

inline std::vector<Target>& Targets() {
  static std::vector<Target> targets;
  return targets;
}

// Adds a target at the start of the program.
struct Register {
  explicit Register(const Target& target) { Targets().push_back(target); }
};

}  // namespace stepscope::fuzz
