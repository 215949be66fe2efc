// Reads the compiled programs (HLO modules) of an XPlane file: the ops that device activities are
// named after.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_table.h"
#include "ingest/xplane/xplane_collectives.h"
#include "trace/compiled_program.h"
#include "trace/notes.h"

namespace stepscope {

struct HloOp {
  std::string category;  // its opcode; of fusions and custom calls what they are made of or call
  std::string op_name;   // as the program names it, "jit(train_step)/dot_general"
  StringId source = kNoString;  // the line of code it came from, for Programs::Source()
  int64_t flops = -1;           // of its arithmetic; -1: not known
  int64_t bytes = -1;           // that it reads and writes
  HloCollective collective = {};
};

// What the programs of a module compute, as operations are named by JAX, or by TensorFlow.
struct ProgramWork {
  bool gradients = false;
  bool products = false;  // of matrices, or convolutions
};

// "jit_f(17)" is a program of the module "jit_f".
std::string_view WithoutNumber(std::string_view name);

class HloCosts;
class HloModule;
struct HloInstruction;

class Programs {
 public:
  // With `strings`, where texts go to, programs are described for TakeCompiled(), which costs more.
  explicit Programs(StringTable* strings = nullptr) : strings_(strings) {}

  // Reads an entry of the table of programs: a name, "jit_f(17)", and a serialized HloProto.
  void Add(std::string_view map_entry, Notes& notes);

  // An operation of a module's program, or null. Programs of one module differ in shapes, so where
  // there are several and `program` (-1: not known) does not say which one, nothing is found.
  const HloOp* Find(std::string_view module, int64_t program, std::string_view op) const;

  // "train.py:12". REQUIRES: it is that of an operation, and not kNoString.
  std::string_view Source(StringId source) const { return sources_[source]; }

  // Hands over the programs that were added, by name.
  std::vector<CompiledProgram> TakeCompiled();

  // Of all programs of "jit_f" together; nothing where none is known.
  ProgramWork WorkOf(std::string_view module) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Ops = std::unordered_map<std::string, HloOp, Hash, std::equal_to<>>;

  void AddModule(std::string_view name, const HloModule& module, std::string_view buffers,
                 bool whole, Notes& notes);
  StringId SourceOf(const HloModule& module, const HloInstruction& in);
  void Describe(std::string_view name, const HloModule& module, const HloCosts& costs,
                std::string_view buffers);

  StringTable* strings_;
  StringTable sources_;
  std::vector<CompiledProgram> compiled_;
  std::unordered_map<std::string, Ops> programs_;      // by "jit_f(17)"
  std::unordered_map<std::string, std::string> only_;  // "jit_f" to its one program; "": several
  std::unordered_map<std::string, ProgramWork, Hash, std::equal_to<>> work_;  // by "jit_f"
};

}  // namespace stepscope
