// Reads compiled programs. Field numbers are those of xplane.proto and hlo.proto.
#include "ingest/xplane/xplane_programs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/proto.h"
#include "base/saturate.h"
#include "ingest/xplane/xplane_buffers.h"
#include "ingest/xplane/xplane_cost.h"
#include "ingest/xplane/xplane_module.h"

namespace stepscope {
namespace {

// Counts that are too large to be meant, or no number, are not known.
int64_t Capped(double count) {
  return count < kMostInt64 ? static_cast<int64_t>(count) : int64_t{-1};
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

Message MessageOf(const HloComputation& within, const HloInstruction& of) {
  Message message;
  for (size_t i = 0; i < of.operands.size(); ++i) {
    const HloInstruction* operand = within.Operand(of, i);
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

HloCollective CollectiveOf(const HloComputation& within, const HloInstruction& of) {
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

bool ComputesGradients(std::string_view op_name) {
  return op_name.contains("transpose(jvp(") || op_name.contains("gradient_tape/");
}

bool IsProduct(std::string_view op_name) {
  return op_name.contains("dot_general") || op_name.contains("conv_general_dilated") ||
         op_name.contains("MatMul") || op_name.contains("Conv2D");
}

// Of a wrapper, that of the collective within.
HloCollective CollectiveWithin(const HloModule& module, const HloComputation& within,
                               const HloInstruction& in) {
  if (in.opcode != "async-start" && in.opcode != "fusion") return CollectiveOf(within, in);
  for (const int64_t id : in.called) {
    const int64_t at = module.Find(id);
    if (at < 0) continue;
    const HloComputation& called = module.computations()[static_cast<size_t>(at)];
    for (const HloInstruction& inner : called.instructions) {
      if (!CollectiveOfOpcode(inner.opcode).empty()) return CollectiveOf(called, inner);
    }
  }
  return {};
}

std::string CategoryOf(const HloInstruction& in) {
  std::string category(in.opcode);
  if (!in.target.empty()) category += " " + std::string(in.target);
  return category;
}

}  // namespace

std::string_view WithoutNumber(std::string_view name) {
  return name.ends_with(')') ? name.substr(0, name.rfind('(')) : name;
}

// Map entry: 2 value; XEventMetadata: 2 name, 5 stats; XStat: 6 bytes; HloProto: 1 hlo_module,
// 3 buffer_assignment.
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
  std::optional<std::string_view> module_message;
  std::string_view buffers;
  const bool ok = ReadFields(proto, [&](pbf_reader& field) {
    if (field.tag_and_type() == BytesField(1))
      module_message = field.get_view();
    else if (field.tag_and_type() == BytesField(3))
      buffers = field.get_view();
    else
      field.skip();
  });
  if (module_message) {
    const HloModule module(*module_message);
    if (module.ok()) return AddModule(name, module, buffers, ok, notes);
  }
  if (!ok || module_message) notes.Add(NoteKind::kUnreadableStat, 1, name);
}

void Programs::AddModule(std::string_view name, const HloModule& module, std::string_view buffers,
                         bool whole, Notes& notes) {
  if (!whole) notes.Add(NoteKind::kUnreadableStat, 1, name);
  const auto [own, is_new] = programs_.try_emplace(std::string(name));
  if (!is_new) return;
  const HloCosts costs(module);
  ProgramWork& work = work_[std::string(WithoutNumber(name))];
  for (size_t c = 0; c < module.computations().size(); ++c) {
    const HloComputation& computation = module.computations()[c];
    for (const HloInstruction& in : computation.instructions) {
      const HloCost cost = costs.Of(c, in);
      own->second[std::string(in.name)] = {.category = CategoryOf(in),
                                           .op_name = std::string(in.op_name),
                                           .source = SourceOf(module, in),
                                           .flops = Capped(cost.flops),
                                           .bytes = Capped(cost.bytes),
                                           .collective = CollectiveWithin(module, computation, in)};
      work.gradients = work.gradients || ComputesGradients(in.op_name);
      work.products = work.products || IsProduct(in.op_name);
    }
  }
  const auto [at, first] = only_.try_emplace(std::string(WithoutNumber(name)), name);
  if (!first) at->second.clear();
  if (strings_ != nullptr) Describe(name, module, costs, buffers);
}

// Lines repeat, and few programs have many.
StringId Programs::SourceOf(const HloModule& module, const HloInstruction& in) {
  const std::string source = module.SourceOf(in);
  return source.empty() ? kNoString : sources_.Intern(source);
}

void Programs::Describe(std::string_view name, const HloModule& module, const HloCosts& costs,
                        std::string_view buffers) {
  CompiledProgram& program = compiled_.emplace_back();
  program.name = strings_->Intern(name);
  program.memory = MemoryOf(buffers, module, *strings_);
  const HloComputation* entry = module.Entry();
  if (entry == nullptr) return;
  const HloCost& total = costs.Total(static_cast<size_t>(entry - module.computations().data()));
  program.flops = Capped(total.flops);
  program.transcendentals = Capped(total.transcendentals);
  program.bytes = Capped(total.bytes);
}

std::vector<CompiledProgram> Programs::TakeCompiled() {
  std::ranges::stable_sort(compiled_, {},
                           [&](const CompiledProgram& p) { return (*strings_)[p.name]; });
  return std::move(compiled_);
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
