// Reads the compiled programs (HLO modules) of an XPlane file: the ops that device activities are
// named after.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ingest/xplane/xplane_collectives.h"
#include "trace/notes.h"

namespace stepscope {

struct HloOp {
  std::string category;  // its opcode; of fusions and custom calls what they are made of or call
  std::string op_name;   // as the program names it, "jit(train_step)/dot_general"
  int64_t flops = -1;  // of its matrix products and convolutions; -1: it has none, or is not known
  int64_t bytes = -1;  // of its operands and results
  HloCollective collective = {};
};

// What the programs of a module compute, as operations are named by JAX, or by TensorFlow.
struct ProgramWork {
  bool gradients = false;
  bool products = false;  // of matrices, or convolutions
};

// "jit_f(17)" is a program of the module "jit_f".
std::string_view WithoutNumber(std::string_view name);

class Programs {
 public:
  // Reads an entry of the table of programs: a name, "jit_f(17)", and a serialized HloProto.
  void Add(std::string_view map_entry, Notes& notes);

  // An operation of a module's program, or null. Programs of one module differ in shapes, so where
  // there are several and `program` (-1: not known) does not say which one, nothing is found.
  const HloOp* Find(std::string_view module, int64_t program, std::string_view op) const;

  // Of all programs of "jit_f" together; nothing where none is known.
  ProgramWork WorkOf(std::string_view module) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Ops = std::unordered_map<std::string, HloOp, Hash, std::equal_to<>>;

  std::unordered_map<std::string, Ops> programs_;      // by "jit_f(17)"
  std::unordered_map<std::string, std::string> only_;  // "jit_f" to its one program; "": several
  std::unordered_map<std::string, ProgramWork, Hash, std::equal_to<>> work_;  // by "jit_f"
};

}  // namespace stepscope
