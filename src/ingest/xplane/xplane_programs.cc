// Reads compiled programs. Field numbers are those of xplane.proto and hlo.proto.
#include "ingest/xplane/xplane_programs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/proto.h"
#include "base/saturate.h"
#include "ingest/xplane/xplane_instruction.h"

namespace stepscope {
namespace {

int64_t Capped(double count) {
  return count < kMostInt64 ? static_cast<int64_t>(count) : int64_t{-1};
}

struct Computation {
  std::vector<HloInstruction> instructions;
  std::unordered_map<int64_t, size_t> by_id;
  double flops = -1;  // of all in it; -1: nothing counted
};

int64_t SizeOf(const HloShape& shape, int64_t dimension) {
  const bool there = dimension >= 0 && dimension < static_cast<int64_t>(shape.dimensions.size());
  return there ? shape.dimensions[static_cast<size_t>(dimension)] : 1;
}

// The result of a convolution by a library is the first of a tuple; the rest is scratch space.
const HloShape& ResultOf(const HloInstruction& in) {
  return in.shape.parts.empty() ? in.shape : in.shape.parts.front();
}

const HloInstruction* Operand(const Computation& in, const HloInstruction& of, size_t operand) {
  if (operand >= of.operands.size()) return nullptr;
  const auto at = in.by_id.find(of.operands[operand]);
  return at == in.by_id.end() ? nullptr : &in.instructions[at->second];
}

// Matrix products that XLA hands to cuBLAS, or to hipBLAS under the same names.
bool IsLibraryProduct(std::string_view target) {
  return target.starts_with("__cublas$") && (target.contains("gemm") || target.contains("matmul"));
}

// The dimensions of the left operand that a library's product sums over, as its configuration says:
// "lhs_contracting_dimensions":["1"]. Empty where it does not.
std::vector<int64_t> ContractingOf(std::string_view config) {
  constexpr std::string_view kContracting = "\"lhs_contracting_dimensions\"";
  std::vector<int64_t> dimensions;
  const size_t key = config.find(kContracting);
  if (key == config.npos) return dimensions;
  const size_t begin = config.find('[', key), end = config.find(']', key);
  if (begin == config.npos || end == config.npos || end < begin) return dimensions;
  for (size_t at = begin; (at = config.find_first_of("0123456789", at)) < end;) {
    int64_t dimension = -1;
    const auto* stop = std::from_chars(config.data() + at, config.data() + end, dimension).ptr;
    dimensions.push_back(dimension);
    at = static_cast<size_t>(stop - config.data());
  }
  return dimensions;
}

// Of (m, k) x (k, n), what each result is a sum over; -1: not known.
double SummedByLibrary(const Computation& in, const HloInstruction& of) {
  const HloInstruction *left = Operand(in, of, 0), *right = Operand(in, of, 1);
  if (left == nullptr || right == nullptr) return -1;
  double summed = 1;
  const std::vector<int64_t> contracting = ContractingOf(of.config);
  for (const int64_t d : contracting) summed *= static_cast<double>(SizeOf(left->shape, d));
  if (!contracting.empty()) return summed;
  const bool plain = left->shape.dimensions.size() == 2 && right->shape.dimensions.size() == 2 &&
                     ResultOf(of).dimensions.size() == 2;
  const double results = ElementsOf(ResultOf(of));
  if (!plain || results <= 0) return -1;
  return std::sqrt(ElementsOf(left->shape) * ElementsOf(right->shape) / results);
}

// Two for each multiplication and addition: 2 x results x what each is a sum over.
double OwnFlops(const Computation& in, const HloInstruction& of) {
  double summed = 1;
  if (of.is_dot) {
    const HloInstruction* left = Operand(in, of, 0);
    if (left == nullptr) return -1;
    for (const int64_t d : of.contracting) summed *= static_cast<double>(SizeOf(left->shape, d));
  } else if (of.is_convolution) {
    const HloInstruction* kernel = Operand(in, of, 1);
    if (kernel == nullptr) return -1;
    summed = static_cast<double>(SizeOf(kernel->shape, of.input_feature));
    for (const int64_t size : of.window) summed *= static_cast<double>(size);
  } else if (IsLibraryProduct(of.target)) {
    summed = SummedByLibrary(in, of);
    if (summed < 0) return -1;
  } else {
    return -1;
  }
  return 2 * ElementsOf(ResultOf(of)) * summed;
}

// The message of a collective: what goes in, and what comes out.
struct Message {
  double in_bytes = 0, out_bytes = 0;
  uint64_t type = 0;
  bool one_type = true;

  void Take(const HloShape& shape) {
    for (const HloShape& part : shape.parts) Take(part);
    if (shape.element_bytes == 0) return;
    one_type = one_type && (type == 0 || type == shape.type);
    type = shape.type;
  }
};

Message MessageOf(const Computation& within, const HloInstruction& of) {
  Message message;
  for (size_t i = 0; i < of.operands.size(); ++i) {
    const HloInstruction* operand = Operand(within, of, i);
    if (operand == nullptr) continue;
    message.in_bytes += operand->bytes;
    message.Take(operand->shape);
  }
  message.Take(of.shape);
  // The start of an all-gather has its operands in its shape too.
  const bool with_operands = of.opcode == "all-gather-start";
  message.out_bytes = of.bytes - (with_operands ? message.in_bytes : 0);
  if (message.in_bytes <= 0) message.in_bytes = of.bytes;
  return message;
}

HloCollective CollectiveOf(const Computation& within, const HloInstruction& of) {
  HloCollective collective{.operation = std::string(CollectiveOfOpcode(of.opcode))};
  if (collective.operation.empty()) return collective;
  const Message message = MessageOf(within, of);
  collective.type = message.one_type ? ElementTypeName(message.type) : "";
  const bool named = !collective.type.empty();
  if (!named) collective.type = "Byte";
  const auto each = static_cast<double>(named ? BytesOfType(message.type) : 1);
  collective.in_elements = Capped(message.in_bytes / each);
  collective.out_elements = Capped(std::max(message.out_bytes, 0.0) / each);
  collective.groups = of.groups;
  return collective;
}

double BytesAccessed(const Computation& in, const HloInstruction& of) {
  double bytes = of.bytes;
  for (size_t i = 0; i < of.operands.size(); ++i) {
    const HloInstruction* operand = Operand(in, of, i);
    if (operand != nullptr) bytes += operand->bytes;
  }
  return bytes;
}

bool ComputesGradients(std::string_view op_name) {
  return op_name.contains("transpose(jvp(") || op_name.contains("gradient_tape/");
}

bool IsProduct(std::string_view op_name) {
  return op_name.contains("dot_general") || op_name.contains("conv_general_dilated") ||
         op_name.contains("MatMul") || op_name.contains("Conv2D");
}

// HloModuleProto: 3 computations; HloComputationProto: 2 instructions, 5 id.
class Module {
 public:
  explicit Module(std::string_view message) {
    ok = ReadFields(message, [&](pbf_reader& field) {
      if (field.tag_and_type() != BytesField(3)) return field.skip();
      AddComputation(field.get_view());
    });
  }

  template <class Ops>
  Ops AllOps() {
    // What is called stands before who calls it, so one pass in order knows the costs within.
    for (const int64_t id : order_) {
      Computation& computation = computations_[id];
      double sum = 0;
      bool any = false;
      for (const HloInstruction& in : computation.instructions) {
        const double flops = Flops(computation, in);
        any = any || flops >= 0;
        sum += std::max(flops, 0.0);
      }
      if (any) computation.flops = sum;
    }
    Ops ops;
    for (const auto& [id, computation] : computations_) {
      for (const HloInstruction& in : computation.instructions) {
        ops[std::string(in.name)] = {.category = Category(in),
                                     .op_name = std::string(in.op_name),
                                     .flops = Capped(Flops(computation, in)),
                                     .bytes = Capped(BytesAccessed(computation, in)),
                                     .collective = Collective(computation, in)};
      }
    }
    return ops;
  }

  bool ok = false;

 private:
  void AddComputation(std::string_view message) {
    Computation computation;
    int64_t id = 0;
    ReadFields(message, [&](pbf_reader& field) {
      switch (field.tag_and_type()) {
        case BytesField(2):
          computation.instructions.push_back(ReadInstruction(field.get_view()));
          break;
        case VarintField(5):
          id = field.get_int64();
          break;
        default:
          field.skip();
      }
    });
    for (size_t i = 0; i < computation.instructions.size(); ++i)
      computation.by_id[computation.instructions[i].id] = i;
    if (computations_.insert_or_assign(id, std::move(computation)).second) order_.push_back(id);
  }

  double Flops(const Computation& within, const HloInstruction& in) const {
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

  // Of a wrapper, that of the collective within.
  HloCollective Collective(const Computation& within, const HloInstruction& in) const {
    if (in.opcode != "async-start" && in.opcode != "fusion") return CollectiveOf(within, in);
    for (const int64_t id : in.called) {
      const auto at = computations_.find(id);
      if (at == computations_.end()) continue;
      for (const HloInstruction& inner : at->second.instructions) {
        if (!CollectiveOfOpcode(inner.opcode).empty()) return CollectiveOf(at->second, inner);
      }
    }
    return {};
  }

  static std::string Category(const HloInstruction& in) {
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
  ForEachField(BytesField(2), map_entry, [&](pbf_reader& entry) {
    const std::string_view metadata = entry.get_view();
    ForEachField(BytesField(2), metadata, [&](pbf_reader& field) { name = field.get_view(); });
    ForEachField(BytesField(5), metadata, [&](pbf_reader& stat) {
      ForEachField(BytesField(6), stat.get_view(),
                   [&](pbf_reader& field) { proto = field.get_view(); });
    });
  });
  bool modules_ok = true;
  const bool ok = ReadFields(proto, [&](pbf_reader& field) {
    if (field.tag_and_type() != BytesField(1)) return field.skip();
    Module module(field.get_view());
    modules_ok = modules_ok && module.ok;
    if (!modules_ok) return;
    const auto [own, is_new] = programs_.try_emplace(std::string(name), module.AllOps<Ops>());
    ProgramWork& work = work_[std::string(WithoutNumber(name))];
    for (const auto& [op, known] : own->second) {
      work.gradients = work.gradients || ComputesGradients(known.op_name);
      work.products = work.products || IsProduct(known.op_name);
    }
    const auto [at, first] = only_.try_emplace(std::string(WithoutNumber(name)), name);
    if (is_new && !first) at->second.clear();
  });
  if (!ok || !modules_ok) notes.Add(NoteKind::kUnreadableStat, 1, name);
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

ProgramWork Programs::WorkOf(std::string_view module) const {
  const auto at = work_.find(module);
  return at == work_.end() ? ProgramWork() : at->second;
}

}  // namespace stepscope
