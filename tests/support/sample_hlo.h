// Builds small compiled programs (HloProto), for tests: what stands behind "Hlo Proto" in a
// profile.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/proto_writer.h"

namespace stepscope {

inline constexpr uint64_t kSampleF32 = 11;

// What `write(writer)` writes.
template <class Write>
std::string ProtoOf(const Write& write) {
  std::string bytes;
  ProtoWriter writer(bytes);
  write(writer);
  return bytes;
}

inline std::string HloShape(std::initializer_list<int64_t> sizes, uint64_t type = kSampleF32) {
  return ProtoOf([&](ProtoWriter& w) {
    w.Varint(2, type);
    for (const int64_t size : sizes) w.Varint(3, static_cast<uint64_t>(size));
  });
}

// An instruction; `more` are further fields, serialised.
inline std::string HloInstruction(std::string_view name, std::string_view opcode, uint64_t id,
                                  const std::string& shape,
                                  std::initializer_list<uint64_t> operands,
                                  const std::string& more = "") {
  return ProtoOf([&](ProtoWriter& w) {
           w.Text(1, name);
           w.Text(2, opcode);
           w.Text(3, shape);
           w.Varint(35, id);
           for (const uint64_t operand : operands) w.Varint(36, operand);
         }) +
         more;
}

inline std::string HloComputation(uint64_t id, std::initializer_list<std::string> instructions) {
  return ProtoOf([&](ProtoWriter& w) {
    for (const std::string& in : instructions) w.Text(2, in);
    w.Varint(5, id);
  });
}

// A whole HloProto. What is called stands before who calls it.
inline std::string HloProgram(std::initializer_list<std::string> computations) {
  return ProtoOf([&](ProtoWriter& w) {
    w.Text(1, ProtoOf([&](ProtoWriter& module) {
             module.Text(1, "module");
             for (const std::string& computation : computations) module.Text(3, computation);
           }));
  });
}

}  // namespace stepscope
