// Builds small compiled programs (HloProto), for tests: what stands behind "Hlo Proto" in a
// profile.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/proto.h"

namespace stepscope {

inline constexpr uint64_t kSampleF32 = 11;

// What `write(writer)` writes.
template <class Write>
std::string ProtoOf(const Write& write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

inline std::string HloShape(std::initializer_list<int64_t> sizes, uint64_t type = kSampleF32) {
  return ProtoOf([&](pbf_writer& w) {
    w.add_uint64(2, type);
    for (const int64_t size : sizes) w.add_uint64(3, static_cast<uint64_t>(size));
  });
}

// An instruction; `more` are further fields, serialized.
inline std::string HloInstruction(std::string_view name, std::string_view opcode, uint64_t id,
                                  const std::string& shape,
                                  std::initializer_list<uint64_t> operands,
                                  const std::string& more = "") {
  return ProtoOf([&](pbf_writer& w) {
           w.add_string(1, name);
           w.add_string(2, opcode);
           w.add_string(3, shape);
           w.add_uint64(35, id);
           for (const uint64_t operand : operands) w.add_uint64(36, operand);
         }) +
         more;
}

inline std::string HloComputation(uint64_t id, std::initializer_list<std::string> instructions) {
  return ProtoOf([&](pbf_writer& w) {
    for (const std::string& in : instructions) w.add_string(2, in);
    w.add_uint64(5, id);
  });
}

// A whole HloProto. What is called stands before who calls it.
inline std::string HloProgram(std::initializer_list<std::string> computations) {
  return ProtoOf([&](pbf_writer& w) {
    w.add_string(1, ProtoOf([&](pbf_writer& module) {
                   module.add_string(1, "module");
                   for (const std::string& computation : computations)
                     module.add_string(3, computation);
                 }));
  });
}

}  // namespace stepscope
