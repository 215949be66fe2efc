// Reads compiled programs. Field numbers are those of xplane.proto, hlo.proto and xla_data.proto.
#include "ingest/xplane/xplane_programs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/proto_reader.h"

namespace stepscope {
namespace {

// An array's shape. Sizes are capped so that products of hostile dimensions stay numbers.
struct Shape {
  int64_t element_bytes = 0;
  std::vector<int64_t> dimensions;
  std::vector<Shape> parts;  // of a tuple
};

constexpr int kDeepestTuple = 16;
constexpr double kLargestCount = 9e18;

int64_t Capped(double count) {
  return count < kLargestCount ? static_cast<int64_t>(count) : int64_t{-1};
}

double ElementsOf(const Shape& shape) {
  double elements = 1;
  for (const int64_t size : shape.dimensions) elements *= static_cast<double>(size);
  return elements;
}

double BytesOf(const Shape& shape) {
  double bytes =
      shape.element_bytes > 0 ? ElementsOf(shape) * static_cast<double>(shape.element_bytes) : 0;
  for (const Shape& part : shape.parts) bytes += BytesOf(part);
  return bytes;
}

// xla_data.proto's PrimitiveType. Types of under a byte count as one.
int64_t BytesOfType(uint64_t type) {
  switch (type) {
    case 4:   // S32
    case 8:   // U32
    case 11:  // F32
      return 4;
    case 3:   // S16
    case 7:   // U16
    case 10:  // F16
    case 16:  // BF16
      return 2;
    case 5:   // S64
    case 9:   // U64
    case 12:  // F64
    case 15:  // C64
      return 8;
    case 18:  // C128
      return 16;
    case 13:  // TUPLE
    case 14:  // OPAQUE
    case 17:  // TOKEN
      return 0;
    default:
      return 1;
  }
}

// Numbers of a repeated field, packed or one by one.
void TakeNumbers(const ProtoReader& field, std::vector<int64_t>& numbers) {
  if (field.type() == WireType::kVarint) return numbers.push_back(field.Signed());
  std::string_view packed = field.Bytes();
  uint64_t number = 0;
  while (TakeVarint(packed, number)) numbers.push_back(static_cast<int64_t>(number));
}

// ShapeProto: 2 element_type, 3 dimensions, 4 tuple_shapes.
Shape ReadShape(std::string_view message, int depth = 0) {
  Shape shape;
  ProtoReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 2) shape.element_bytes = BytesOfType(fields.Unsigned());
    if (fields.field() == 3) TakeNumbers(fields, shape.dimensions);
    if (fields.field() == 4 && depth < kDeepestTuple)
      shape.parts.push_back(ReadShape(fields.Bytes(), depth + 1));
  }
  for (int64_t& size : shape.dimensions) size = std::max<int64_t>(size, 0);
  return shape;
}

struct Instruction {
  std::string_view name, opcode, op_name, target;
  int64_t id = 0;
  Shape shape;
  double bytes = 0;  // of the shape: others that take it as operand count it too
  std::vector<int64_t> operands, called, contracting;
  std::vector<int64_t> window;  // sizes of a convolution's kernel
  int64_t input_feature = -1;   // dimension of the kernel
  bool is_dot = false;
  bool is_convolution = false;
};

// Calls take(field) for each field of a message.
template <class Take>
void ForEachField(std::string_view message, const Take& take) {
  ProtoReader fields(message);
  while (fields.Next()) take(fields);
}

// The fields of an instruction that are messages of their own.
void TakeMessage(const ProtoReader& field, Instruction& in) {
  switch (field.field()) {
    case 3:
      in.shape = ReadShape(field.Bytes());
      in.bytes = BytesOf(in.shape);
      break;
    case 7:  // OpMetadata: 2 op_name
      ForEachField(field.Bytes(), [&](const ProtoReader& f) {
        if (f.field() == 2) in.op_name = f.Bytes();
      });
      break;
    case 15:  // Window: 1 dimensions, of which 1 size
      ForEachField(field.Bytes(), [&](const ProtoReader& dimension) {
        ForEachField(dimension.Bytes(), [&](const ProtoReader& f) {
          if (f.field() == 1) in.window.push_back(std::max<int64_t>(f.Signed(), 0));
        });
      });
      break;
    case 16:  // ConvolutionDimensionNumbers: 3 kernel_input_feature_dimension
      in.is_convolution = true;
      in.input_feature = 0;
      ForEachField(field.Bytes(), [&](const ProtoReader& f) {
        if (f.field() == 3) in.input_feature = f.Signed();
      });
      break;
    case 30:  // DotDimensionNumbers: 1 lhs_contracting_dimensions
      in.is_dot = true;
      ForEachField(field.Bytes(), [&](const ProtoReader& f) {
        if (f.field() == 1) TakeNumbers(f, in.contracting);
      });
      break;
    default:
      break;
  }
}

// HloInstructionProto, as far as it tells names and costs.
Instruction ReadInstruction(std::string_view message) {
  Instruction in;
  ForEachField(message, [&](const ProtoReader& field) {
    switch (field.field()) {
      case 1:
        in.name = field.Bytes();
        break;
      case 2:
        in.opcode = field.Bytes();
        break;
      case 28:
        in.target = field.Bytes();
        break;
      case 35:
        in.id = field.Signed();
        break;
      case 36:
        TakeNumbers(field, in.operands);
        break;
      case 38:
        TakeNumbers(field, in.called);
        break;
      default:
        TakeMessage(field, in);
        break;
    }
  });
  return in;
}

struct Computation {
  std::vector<Instruction> instructions;
  std::unordered_map<int64_t, size_t> by_id;
  double flops = -1;  // of all in it; -1: nothing counted
};

int64_t SizeOf(const Shape& shape, int64_t dimension) {
  const bool there = dimension >= 0 && dimension < static_cast<int64_t>(shape.dimensions.size());
  return there ? shape.dimensions[static_cast<size_t>(dimension)] : 1;
}

// The result of a convolution by a library is the first of a tuple; the rest is scratch space.
const Shape& ResultOf(const Instruction& in) {
  return in.shape.parts.empty() ? in.shape : in.shape.parts.front();
}

const Instruction* Operand(const Computation& in, const Instruction& of, size_t operand) {
  if (operand >= of.operands.size()) return nullptr;
  const auto at = in.by_id.find(of.operands[operand]);
  return at == in.by_id.end() ? nullptr : &in.instructions[at->second];
}

// Two for each multiplication and addition: 2 x results x what each is a sum over.
double OwnFlops(const Computation& in, const Instruction& of) {
  double summed = 1;
  if (of.is_dot) {
    const Instruction* left = Operand(in, of, 0);
    if (left == nullptr) return -1;
    for (const int64_t d : of.contracting) summed *= static_cast<double>(SizeOf(left->shape, d));
  } else if (of.is_convolution) {
    const Instruction* kernel = Operand(in, of, 1);
    if (kernel == nullptr) return -1;
    summed = static_cast<double>(SizeOf(kernel->shape, of.input_feature));
    for (const int64_t size : of.window) summed *= static_cast<double>(size);
  } else {
    return -1;
  }
  return 2 * ElementsOf(ResultOf(of)) * summed;
}

double BytesAccessed(const Computation& in, const Instruction& of) {
  double bytes = of.bytes;
  for (size_t i = 0; i < of.operands.size(); ++i) {
    const Instruction* operand = Operand(in, of, i);
    if (operand != nullptr) bytes += operand->bytes;
  }
  return bytes;
}

// HloModuleProto: 3 computations; HloComputationProto: 2 instructions, 5 id.
class Module {
 public:
  explicit Module(std::string_view message) {
    ProtoReader fields(message);
    while (fields.Next()) {
      if (fields.field() == 3) AddComputation(fields.Bytes());
    }
    ok = fields.ok();
  }

  template <class Ops>
  Ops AllOps() {
    // What is called stands before who calls it, so one pass in order knows the costs within.
    for (const int64_t id : order_) {
      Computation& computation = computations_[id];
      double sum = 0;
      bool any = false;
      for (const Instruction& in : computation.instructions) {
        const double flops = Flops(computation, in);
        any = any || flops >= 0;
        sum += std::max(flops, 0.0);
      }
      if (any) computation.flops = sum;
    }
    Ops ops;
    for (const auto& [id, computation] : computations_) {
      for (const Instruction& in : computation.instructions) {
        ops[std::string(in.name)] = {.category = Category(in),
                                     .op_name = std::string(in.op_name),
                                     .flops = Capped(Flops(computation, in)),
                                     .bytes = Capped(BytesAccessed(computation, in))};
      }
    }
    return ops;
  }

  bool ok = false;

 private:
  void AddComputation(std::string_view message) {
    Computation computation;
    int64_t id = 0;
    ProtoReader fields(message);
    while (fields.Next()) {
      if (fields.field() == 2) computation.instructions.push_back(ReadInstruction(fields.Bytes()));
      if (fields.field() == 5) id = fields.Signed();
    }
    for (size_t i = 0; i < computation.instructions.size(); ++i)
      computation.by_id[computation.instructions[i].id] = i;
    if (computations_.insert_or_assign(id, std::move(computation)).second) order_.push_back(id);
  }

  double Flops(const Computation& within, const Instruction& in) const {
    const double own = OwnFlops(within, in);
    if (own >= 0 || in.opcode == "while" || in.opcode == "conditional") return own;
    double called = -1;
    for (const int64_t id : in.called) {
      const auto at = computations_.find(id);
      if (at != computations_.end() && at->second.flops >= 0)
        called = std::max(called, 0.0) + at->second.flops;
    }
    return called;
  }

  static std::string Category(const Instruction& in) {
    std::string category(in.opcode);
    if (!in.target.empty()) category += " " + std::string(in.target);
    return category;
  }

  std::vector<int64_t> order_;
  std::unordered_map<int64_t, Computation> computations_;
};

}  // namespace

std::string_view WithoutNumber(std::string_view name) {
  return name.ends_with(')') ? name.substr(0, name.rfind('(')) : name;
}

// Map entry: 2 value; XEventMetadata: 2 name, 5 stats; XStat: 6 bytes; HloProto: 1 hlo_module.
void Programs::Add(std::string_view map_entry, Notes& notes) {
  std::string_view name;
  std::string_view proto;
  ProtoReader entry(map_entry);
  while (entry.Next()) {
    if (entry.field() != 2) continue;
    ProtoReader metadata(entry.Bytes());
    while (metadata.Next()) {
      if (metadata.field() == 2) name = metadata.Bytes();
      if (metadata.field() != 5) continue;
      ProtoReader stat(metadata.Bytes());
      while (stat.Next()) {
        if (stat.field() == 6) proto = stat.Bytes();
      }
    }
  }
  ProtoReader fields(proto);
  while (fields.Next()) {
    if (fields.field() != 1) continue;
    Module module(fields.Bytes());
    if (!module.ok) return notes.Add(NoteKind::kUnreadableStat, 1, name);
    const bool is_new = programs_.try_emplace(std::string(name), module.AllOps<Ops>()).second;
    const auto [at, first] = only_.try_emplace(std::string(WithoutNumber(name)), name);
    if (is_new && !first) at->second.clear();
  }
  if (!fields.ok()) notes.Add(NoteKind::kUnreadableStat, 1, name);
}

const HloOp* Programs::Find(std::string_view module, int64_t program, std::string_view op) const {
  if (programs_.empty()) return nullptr;
  auto at = programs_.find(std::string(module) + "(" + std::to_string(program) + ")");
  if (at == programs_.end()) {
    const auto only = only_.find(std::string(module));
    if (only != only_.end()) at = programs_.find(only->second);
  }
  if (at == programs_.end()) return nullptr;
  const auto found = at->second.find(op);
  return found == at->second.end() ? nullptr : &found->second;
}

}  // namespace stepscope
