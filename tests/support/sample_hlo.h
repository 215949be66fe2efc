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

inline std::string SampleShape(std::initializer_list<int64_t> sizes, uint64_t type = kSampleF32) {
  return ProtoOf([&](pbf_writer& w) {
    w.add_uint64(2, type);
    for (const int64_t size : sizes) w.add_uint64(3, static_cast<uint64_t>(size));
  });
}

// An instruction; `more` are further fields, serialized.
inline std::string SampleInstruction(std::string_view name, std::string_view opcode, uint64_t id,
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

inline std::string SampleComputation(uint64_t id, std::initializer_list<std::string> instructions) {
  return ProtoOf([&](pbf_writer& w) {
    for (const std::string& in : instructions) w.add_string(2, in);
    w.add_uint64(5, id);
  });
}

// A whole HloProto, with a BufferAssignmentProto if any. What is called stands before who calls it.
inline std::string HloProgram(std::initializer_list<std::string> computations,
                              const std::string& buffers = "") {
  return ProtoOf([&](pbf_writer& w) {
    w.add_string(1, ProtoOf([&](pbf_writer& module) {
                   module.add_string(1, "module");
                   for (const std::string& computation : computations)
                     module.add_string(3, computation);
                 }));
    if (!buffers.empty()) w.add_string(3, buffers);
  });
}

// The memory plan of a program (BufferAssignmentProto).
class SampleBuffers {
 public:
  // A value that an instruction makes.
  SampleBuffers& Buffer(uint64_t id, uint64_t bytes, uint64_t instruction) {
    writer_.add_string(1, ProtoOf([&](pbf_writer& w) {
                         w.add_uint64(1, id);
                         w.add_uint64(2, bytes);
                         pbf_writer(w, 3).add_uint64(4, instruction);
                       }));
    return *this;
  }
  struct Assigned {
    uint64_t buffer = 0, offset = 0, bytes = 0;
  };
  // `flag` is the number of a field that is true: 5 argument, 7 output, 12 constant, 3 of a thread;
  // 0 none.
  SampleBuffers& Allocation(uint64_t bytes, uint32_t flag,
                            std::initializer_list<Assigned> assigned) {
    writer_.add_string(3, ProtoOf([&](pbf_writer& w) {
                         w.add_uint64(2, bytes);
                         if (flag != 0) w.add_bool(flag, true);
                         for (const Assigned& a : assigned) {
                           pbf_writer message(w, 9);
                           message.add_uint64(1, a.buffer);
                           message.add_uint64(2, a.offset);
                           message.add_uint64(3, a.bytes);
                         }
                       }));
    return *this;
  }
  enum Kind : uint64_t { kBegins, kEnds, kShares };
  struct Change {
    Kind kind = kBegins;
    uint64_t buffer = 0;
    std::string_view instruction;
    uint64_t shares = 0;
  };
  // When buffers begin and end to be in use.
  SampleBuffers& Schedule(std::initializer_list<Change> changes) {
    writer_.add_string(4, ProtoOf([&](pbf_writer& w) {
                         for (const Change& c : changes) {
                           pbf_writer event(w, 1);
                           event.add_uint64(1, c.kind);
                           event.add_uint64(2, c.buffer);
                           event.add_string(4, c.instruction);
                           event.add_uint64(5, c.shares);
                         }
                       }));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  pbf_writer writer_{bytes_};
};

}  // namespace stepscope
