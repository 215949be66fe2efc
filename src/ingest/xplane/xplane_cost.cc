// Counts by the rules of XLA's HloCostAnalysis, but for what docs/formats/xplane.md lists.
#include "ingest/xplane/xplane_cost.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "ingest/xplane/xplane_convolution.h"
#include "ingest/xplane/xplane_library.h"
#include "ingest/xplane/xplane_opcodes.h"

namespace stepscope {
namespace {

double ElementsOfOperand(const HloComputation& within, const HloInstruction& in, size_t operand) {
  const HloInstruction* of = within.Operand(in, operand);
  return of == nullptr ? 0 : ElementsOf(of->shape);
}

double BytesOfOperand(const HloComputation& within, const HloInstruction& in, size_t operand) {
  const HloInstruction* of = within.Operand(in, operand);
  return of == nullptr ? 0 : of->bytes;
}

double BytesOfOperands(const HloComputation& within, const HloInstruction& in, size_t first) {
  double bytes = 0;
  for (size_t i = first; i < in.operands.size(); ++i) bytes += BytesOfOperand(within, in, i);
  return bytes;
}

double ElementsOfArrays(const HloShape& shape) {
  if (shape.parts.empty()) return ElementsOf(shape);
  double elements = 0;
  for (const HloShape& part : shape.parts) elements += ElementsOfArrays(part);
  return elements;
}

double WindowElements(const HloInstruction& in) {
  double elements = 1;
  for (const HloWindow& window : in.window) elements *= static_cast<double>(window.size);
  return elements;
}

// "known_trip_count":{"n":"10"}, which the compiler writes where it knows how often a loop turns.
double TurnsOf(const HloInstruction& in) {
  constexpr std::string_view kKey = "\"known_trip_count\"";
  const size_t key = in.config.find(kKey);
  if (key == in.config.npos) return 1;
  const size_t digits = in.config.find_first_of("0123456789", key + kKey.size());
  int64_t turns = 0;
  if (digits == in.config.npos || digits > in.config.find('}', key)) return 1;
  std::from_chars(in.config.data() + digits, in.config.data() + in.config.size(), turns);
  return static_cast<double>(std::max<int64_t>(turns, 0));
}

HloCost Arithmetic(double flops) { return {.flops = flops}; }

HloCost Times(HloCost cost, double times) {
  if (cost.flops >= 0) cost.flops *= times;
  cost.transcendentals *= times;
  cost.bytes *= times;
  return cost;
}

void Add(HloCost& sum, const HloCost& cost) {
  if (cost.flops >= 0) sum.flops = std::max(sum.flops, 0.0) + cost.flops;
  sum.transcendentals += cost.transcendentals;
  sum.bytes += cost.bytes;
}

HloCost OfDot(const HloComputation& within, const HloInstruction& in) {
  const HloInstruction* left = within.Operand(in, 0);
  if (left == nullptr) return {};
  double summed = 1;
  for (const int64_t d : in.contracting) summed *= static_cast<double>(left->shape.SizeAt(d));
  return Arithmetic(2 * ElementsOf(in.Result()) * summed);
}

HloCost OfConvolution(const HloComputation& within, const HloInstruction& in) {
  const HloInstruction *first = within.Operand(in, 0), *second = within.Operand(in, 1);
  if (first == nullptr || second == nullptr) return {};
  const HloShape& result = in.Result();
  // What libraries compute for gradients has the dimensions of the forward convolution.
  if (in.target.contains("BackwardInput"))
    return Arithmetic(2 * MultiplicationsOf(in, {result, second->shape, first->shape}));
  if (in.target.contains("BackwardFilter"))
    return Arithmetic(2 * MultiplicationsOf(in, {first->shape, result, second->shape}));
  return Arithmetic(2 * MultiplicationsOf(in, {first->shape, second->shape, result}));
}

double LogarithmUp(double count) { return count <= 1 ? 0 : std::ceil(std::log2(count)); }

// Of a complex multiplication and addition for each element and level.
double FourierFlops(const HloComputation& within, const HloInstruction& in) {
  constexpr double kOfComplex = 8;
  double levels = 1;
  for (const int64_t length : in.fft_lengths)
    levels *= static_cast<double>(
        std::bit_width(static_cast<uint64_t>(std::max<int64_t>(length, 1))) - 1);
  return kOfComplex * levels * ElementsOfOperand(within, in, 0);
}

double SizeOfLast(const HloShape& shape) {
  return shape.dimensions.empty() ? 1 : static_cast<double>(shape.dimensions.back());
}

HloCost OfSolver(const HloComputation& within, const HloInstruction& in, bool triangular) {
  const HloInstruction* matrix = within.Operand(in, 0);
  if (matrix == nullptr) return {};
  const double size = SizeOfLast(matrix->shape);
  return Arithmetic(triangular ? 2 * size * ElementsOfOperand(within, in, 1)
                               : size * ElementsOf(matrix->shape) / 3);
}

}  // namespace

HloCosts::HloCosts(const HloModule& module) : module_(module) {
  totals_.resize(module.computations().size());
  fused_.resize(totals_.size());
  for (size_t c = 0; c < totals_.size(); ++c) {
    const HloComputation& computation = module.computations()[c];
    HloCost total;
    for (const HloInstruction& in : computation.instructions) Add(total, Of(c, in));
    totals_[c] = total;
    fused_[c] = AccessesOf(computation);
  }
}

// Of each of the computations that are called, which must stand before; others are not known.
HloCost HloCosts::Called(const HloInstruction& in, double times) const {
  HloCost sum;
  for (const int64_t id : in.called) {
    const int64_t at = module_.Find(id);
    if (at >= 0) Add(sum, Times(totals_[static_cast<size_t>(at)], times));
  }
  return sum;
}

// The costliest of the branches.
HloCost HloCosts::OfConditional(const HloInstruction& in) const {
  HloCost most;
  for (const int64_t id : in.called) {
    const int64_t at = module_.Find(id);
    if (at < 0) continue;
    const HloCost& branch = totals_[static_cast<size_t>(at)];
    most.flops = std::max(most.flops, branch.flops);
    most.transcendentals = std::max(most.transcendentals, branch.transcendentals);
    most.bytes = std::max(most.bytes, branch.bytes);
  }
  return most;
}

HloCost HloCosts::Of(size_t computation, const HloInstruction& in) const {
  const HloComputation& within = module_.computations()[computation];
  const double results = ElementsOf(in.Result());
  HloCost cost;
  switch (CostRuleOf(in.opcode)) {
    case CostRule::kNothing:
      cost.flops = 0;
      break;
    case CostRule::kElements:
      cost.flops = results;
      break;
    case CostRule::kTranscendental:
      cost.flops = 0;
      cost.transcendentals = results;
      break;
    case CostRule::kDot:
      cost = OfDot(within, in);
      break;
    case CostRule::kConvolution:
      cost = OfConvolution(within, in);
      break;
    case CostRule::kReduce:
      cost = Called(in, std::max(ElementsOfOperand(within, in, 0) - results, 0.0));
      break;
    case CostRule::kReduceWindow:
      cost = Called(in, std::max(WindowElements(in) - 1, 0.0) * results);
      break;
    case CostRule::kSelectAndScatter:  // of a window's n elements n - 1 comparisons, one addition
      cost = Called(in, ElementsOfOperand(within, in, 1) * WindowElements(in) / 2);
      break;
    case CostRule::kScatter:
      cost = Called(in, ElementsOfOperand(within, in, in.operands.size() / 2 + 1));
      break;
    case CostRule::kMap:
      cost = Called(in, results);
      break;
    case CostRule::kSort: {
      const double elements = ElementsOfOperand(within, in, 0);
      cost.flops = elements * LogarithmUp(elements);
      break;
    }
    case CostRule::kFourier:
      cost.flops = FourierFlops(within, in);
      break;
    case CostRule::kTriangularSolve:
    case CostRule::kCholesky:
      cost = OfSolver(within, in, CostRuleOf(in.opcode) == CostRule::kTriangularSolve);
      break;
    case CostRule::kAllReduce:
      cost.flops = ElementsOfArrays(in.shape);
      break;
    case CostRule::kFusion:
    case CostRule::kCall:
      cost = Called(in, 1);
      break;
    case CostRule::kWhile:
      cost = Called(in, TurnsOf(in));
      break;
    case CostRule::kConditional:
      cost = OfConditional(in);
      break;
    case CostRule::kCustomCall:
      if (in.is_convolution)
        cost = OfConvolution(within, in);
      else if (IsLibraryProduct(in.target))
        cost = Arithmetic(LibraryFlops(within, in));
      else
        cost = Called(in, 1);
      break;
    case CostRule::kUnknown:
      break;
  }
  cost.bytes = Bytes(within, in, cost);
  return cost;
}

double HloCosts::Bytes(const HloComputation& within, const HloInstruction& in,
                       const HloCost& called) const {
  if (in.opcode == "fusion") return FusionBytes(within, in);
  switch (ByteRuleOf(in.opcode)) {
    case ByteRule::kNone:
      return 0;
    case ByteRule::kSlice:
      return 2 * in.bytes;
    case ByteRule::kGather:
      return 2 * in.bytes + BytesOfOperands(within, in, 1);
    case ByteRule::kUpdate:
      return 2 * BytesOfOperand(within, in, 1) + BytesOfOperands(within, in, 2);
    case ByteRule::kScatter: {
      const size_t inputs = in.operands.size() / 2;
      return 3 * BytesOfOperands(within, in, inputs + 1) + BytesOfOperand(within, in, inputs);
    }
    case ByteRule::kCallee:
      return called.bytes;
    case ByteRule::kAll:
      break;
  }
  const bool scratch = in.is_convolution || IsLibraryProduct(in.target);
  return BytesOfOperands(within, in, 0) + (scratch ? BytesOf(in.Result()) : in.bytes);
}

// A fusion's memory is what goes in and comes out: what passes within it stays in registers.
double HloCosts::FusionBytes(const HloComputation& within, const HloInstruction& in) const {
  const int64_t at = in.called.empty() ? -1 : module_.Find(in.called.front());
  const bool known = at >= 0 && static_cast<size_t>(at) < fused_.size();
  const Fused none, &fused = known ? fused_[static_cast<size_t>(at)] : none;
  double bytes = fused.update >= 0 ? fused.update : in.bytes;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const double whole = BytesOfOperand(within, in, i);
    const bool sliced = i < fused.parameters.size() && !fused.parameters[i].full;
    bytes += sliced ? std::min(whole, fused.parameters[i].parts) : whole;
  }
  return bytes;
}

// Slices of a parameter are all that is read of it where nothing else takes it. What only renames
// it is looked through.
HloCosts::Fused HloCosts::AccessesOf(const HloComputation& computation) {
  Fused fused;
  std::vector<int64_t> parameter_of(computation.instructions.size(), -1);
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const HloInstruction& in = computation.instructions[i];
    const bool known = in.parameter >= 0 && in.parameter < std::ssize(computation.instructions);
    if (in.opcode == "parameter" && known) {
      parameter_of[i] = in.parameter;
      const auto number = static_cast<size_t>(in.parameter);
      if (number >= fused.parameters.size()) fused.parameters.resize(number + 1);
      fused.parameters[number].whole = in.bytes;
      continue;
    }
    for (size_t o = 0; o < in.operands.size(); ++o) {
      const int64_t operand = computation.ids.Find(in.operands[o]);
      if (operand < 0 || parameter_of[static_cast<size_t>(operand)] < 0) continue;
      const int64_t number = parameter_of[static_cast<size_t>(operand)];
      Access& access = fused.parameters[static_cast<size_t>(number)];
      const ByteRule rule = ByteRuleOf(in.opcode);
      if (in.opcode == "bitcast") {
        parameter_of[i] = number;
      } else if (o == 0 && (rule == ByteRule::kSlice || rule == ByteRule::kGather)) {
        access.parts += in.bytes;
      } else if (o == 0 && rule == ByteRule::kUpdate) {
        access.parts += BytesOfOperand(computation, in, 1);
      } else {
        access.full = true;
      }
    }
  }
  if (const int64_t at = computation.ids.Find(computation.root); at >= 0) {
    const HloInstruction& root = computation.instructions[static_cast<size_t>(at)];
    if (ByteRuleOf(root.opcode) == ByteRule::kUpdate)
      fused.update = BytesOfOperand(computation, root, 1);
  }
  return fused;
}

}  // namespace stepscope
