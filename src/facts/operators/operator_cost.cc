// Implements the formulas of operator_flops.h, one per family of PyTorch operators. Positions of
// inputs are those of PyTorch's native_functions.yaml.
#include "facts/operators/operator_cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace stepscope {
namespace {

enum class Family : uint8_t {
  kProduct,
  kConvolution,
  kTransposed,  // convolution
  kConvolutionBackward,
  kAttention,
  kAttentionBackward
};

struct Entry {
  std::string_view op;
  Family family;
  uint8_t first = 0;  // position of the first operand: of q in attention
  // Positions of values: of a convolution its stride, of attention whether it is causal. Padding
  // follows the stride; of cuDNN's and MIOpen's own it comes before.
  uint8_t value = 0;
  // Of a convolution: padding comes before the stride. Of attention: heads come after the sequence.
  bool swapped = false;
};

constexpr auto kEntries = std::to_array<Entry>({
    {"aten::mm", Family::kProduct},
    {"aten::bmm", Family::kProduct},
    {"aten::matmul", Family::kProduct},
    {"aten::mv", Family::kProduct},
    {"aten::_int_mm", Family::kProduct},
    {"aten::_scaled_mm", Family::kProduct},
    {"aten::addmm", Family::kProduct, 1},
    {"aten::addmm_", Family::kProduct, 1},
    {"aten::_addmm_activation", Family::kProduct, 1},
    {"aten::addmv", Family::kProduct, 1},
    {"aten::addbmm", Family::kProduct, 1},
    {"aten::baddbmm", Family::kProduct, 1},
    {"aten::baddbmm_", Family::kProduct, 1},
    {"aten::linear", Family::kProduct},
    {"aten::conv1d", Family::kConvolution, 0, 3},
    {"aten::conv2d", Family::kConvolution, 0, 3},
    {"aten::conv3d", Family::kConvolution, 0, 3},
    {"aten::convolution", Family::kConvolution, 0, 3},
    {"aten::_convolution", Family::kConvolution, 0, 3},
    {"aten::convolution_overrideable", Family::kConvolution, 0, 3},
    {"aten::cudnn_convolution", Family::kConvolution, 0, 2, true},
    {"aten::miopen_convolution", Family::kConvolution, 0, 3, true},
    {"aten::mkldnn_convolution", Family::kConvolution, 0, 3, true},
    {"aten::conv_transpose1d", Family::kTransposed},
    {"aten::conv_transpose2d", Family::kTransposed},
    {"aten::conv_transpose3d", Family::kTransposed},
    {"aten::cudnn_convolution_transpose", Family::kTransposed},
    {"aten::miopen_convolution_transpose", Family::kTransposed},
    {"aten::convolution_backward", Family::kConvolutionBackward, 0, 4},
    {"aten::cudnn_convolution_backward", Family::kConvolutionBackward},
    {"aten::miopen_convolution_backward", Family::kConvolutionBackward},
    {"aten::scaled_dot_product_attention", Family::kAttention, 0, 5},
    {"aten::_scaled_dot_product_flash_attention", Family::kAttention, 0, 4},
    {"aten::_scaled_dot_product_efficient_attention", Family::kAttention, 0, 6},
    {"aten::_scaled_dot_product_cudnn_attention", Family::kAttention, 0, 6},
    {"aten::_scaled_dot_product_fused_attention_overrideable", Family::kAttention, 0, 5},
    {"aten::_flash_attention_forward", Family::kAttention, 0, 8, true},
    {"aten::_efficient_attention_forward", Family::kAttention, 0, 9, true},
    {"aten::_scaled_dot_product_flash_attention_backward", Family::kAttentionBackward, 1, 11},
    {"aten::_scaled_dot_product_efficient_attention_backward", Family::kAttentionBackward, 1, 11},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Family::kAttentionBackward, 1, 14},
    {"aten::_flash_attention_backward", Family::kAttentionBackward, 1, 11, true},
    {"aten::_efficient_attention_backward", Family::kAttentionBackward, 1, 14, true},
});

const Entry* FindEntry(std::string_view op) {
  const auto* entry = std::ranges::find(kEntries, op, &Entry::op);
  return entry == kEntries.end() ? nullptr : entry;
}

double Elements(const Dimensions& shape, size_t from = 0) {
  double elements = 1;
  for (size_t i = from; i < shape.size(); ++i) elements *= static_cast<double>(shape[i]);
  return elements;
}

double BytesOf(NumberType type) {
  switch (type) {
    case NumberType::kFp64:
      return 8;
    case NumberType::kBf16:
    case NumberType::kFp16:
      return 2;
    case NumberType::kFp8:
    case NumberType::kInt8:
      return 1;
    default:
      return 4;
  }
}

// The type of the operand at `position`.
OperatorCost Start(const OperatorInputs& in, size_t position) {
  return {.type =
              position < in.types.size() ? NumberTypeOf(in.types[position]) : NumberType::kOther};
}

// `elements` is how many numbers are read and written.
std::optional<OperatorCost> Finish(OperatorCost cost, double flops, double elements) {
  cost.flops = cost.model_flops = flops;
  cost.bytes = elements * BytesOf(cost.type);
  constexpr double kMost = 1e24;  // beyond any device's lifetime: the shapes are not true
  const bool sane = flops >= 0 && flops < kMost && cost.bytes >= 0 && cost.bytes < kMost;
  return sane ? std::optional(cost) : std::nullopt;
}

bool IsWeightTransposed(std::string_view op) { return op == "aten::linear"; }

// (..., m, k) x (..., k, n), or a vector on either side; of linear the second is (n, k).
std::optional<ProductSizes> SizesOfProduct(const Entry& entry, const OperatorInputs& in) {
  const Dimensions& a = in.Shape(entry.first);
  const Dimensions& b = in.Shape(entry.first + 1u);
  if (a.empty() || b.empty()) return std::nullopt;
  ProductSizes sizes{.first = entry.first, .weight = IsWeightTransposed(entry.op)};
  sizes.k = a.back();
  if (a.size() > 1) sizes.m = a[a.size() - 2];
  if (b.size() > 1) sizes.n = sizes.weight ? b[b.size() - 2] : b.back();
  const int64_t k_of_b = b.size() == 1 || sizes.weight ? b.back() : b[b.size() - 2];
  if (sizes.k != k_of_b) return std::nullopt;
  // Batches broadcast: the larger one counts.
  const auto batch = [](const Dimensions& d) {
    return d.size() <= 2 ? 1.0 : Elements(Dimensions(d.begin(), d.end() - 2));
  };
  sizes.batch = std::max(batch(a), batch(b));
  return sizes;
}

std::optional<OperatorCost> Product(const Entry& entry, const OperatorInputs& in) {
  const auto sizes = SizesOfProduct(entry, in);
  if (!sizes) return std::nullopt;
  const double out = sizes->batch * static_cast<double>(sizes->m) * static_cast<double>(sizes->n);
  return Finish(Start(in, entry.first), 2 * out * static_cast<double>(sizes->k),
                Elements(in.Shape(entry.first)) + Elements(in.Shape(entry.first + 1u)) + out);
}

// Where the operator says how its filters move.
struct Window {
  Dimensions stride, padding, dilation;
};

Window WindowOf(const Entry& entry, const OperatorInputs& in) {
  if (entry.value == 0) return {};
  Window window{ReadNumbers(in.Value(entry.value)), ReadNumbers(in.Value(entry.value + 1u)),
                ReadNumbers(in.Value(entry.value + 2u))};
  if (entry.swapped) std::swap(window.stride, window.padding);
  return window;
}

// Of each dimension: (input + 2 padding - dilation (filter - 1) - 1) / stride + 1.
Dimensions OutputOf(const Entry& entry, const OperatorInputs& in) {
  const Dimensions& input = in.Shape(0);
  const Dimensions& weight = in.Shape(1);
  const auto [stride, padding, dilation] = WindowOf(entry, in);
  const size_t spatial = input.size() - 2;
  // A list of one stands for all dimensions.
  const auto at = [](const Dimensions& d, size_t i) { return d.size() == 1 ? d[0] : d[i]; };
  for (const Dimensions* d : {&stride, &padding, &dilation}) {
    const bool fits = d->size() == 1 || d->size() == spatial;
    constexpr int64_t kMost = 1 << 20;
    if (!fits || std::ranges::any_of(*d, [](int64_t v) { return v < 0 || v > kMost; })) return {};
  }
  Dimensions output = {input[0], weight[0]};
  for (size_t i = 0; i < spatial; ++i) {
    const double covered =
        static_cast<double>(input[i + 2]) + 2 * static_cast<double>(at(padding, i)) -
        static_cast<double>(at(dilation, i)) * (static_cast<double>(weight[i + 2]) - 1) - 1;
    if (at(stride, i) == 0 || !(covered >= 0 && covered < 1e15)) return {};
    output.push_back(static_cast<int64_t>(covered) / at(stride, i) + 1);
  }
  return output;
}

bool IsConvolution(const Dimensions& input, const Dimensions& weight) {
  return input.size() >= 3 && input.size() == weight.size();
}

std::optional<OperatorCost> Convolution(const Entry& entry, const OperatorInputs& in,
                                        const ConvolutionOutputs& outputs) {
  const Dimensions& input = in.Shape(0);
  const Dimensions& weight = in.Shape(1);
  if (!IsConvolution(input, weight)) return std::nullopt;
  const bool general = entry.op == "aten::convolution" || entry.op == "aten::_convolution";
  const bool transposed = entry.family == Family::kTransposed || (general && in.Value(6) == "True");
  // Transposed, every element of the input meets every element of its filters.
  if (transposed) {
    return Finish(Start(in, 0), 2 * Elements(input) * Elements(weight, 1),
                  Elements(input) + Elements(weight));
  }
  Dimensions output = OutputOf(entry, in);
  if (output.empty()) output = outputs.Find(input, weight);
  if (output.empty()) return std::nullopt;
  return Finish(Start(in, 0), 2 * Elements(output) * Elements(weight, 1),
                Elements(input) + Elements(weight) + Elements(output));
}

// How many of the gradients of input and weight are wanted, by "[True, False, True]".
int Gradients(std::string_view mask) {
  if (mask.empty()) return 2;
  const auto is_true = [](std::string_view element) { return element.contains("True") ? 1 : 0; };
  const size_t comma = std::min(mask.find(','), mask.size());
  const std::string_view input = mask.substr(0, comma), others = mask.substr(comma);
  return is_true(input) + is_true(others.substr(0, others.find(',', 1)));
}

std::optional<OperatorCost> ConvolutionBackward(const Entry& entry, const OperatorInputs& in) {
  const bool old = entry.op != "aten::convolution_backward";
  const Dimensions& gradient = in.Shape(old ? 1 : 0);
  const Dimensions& input = in.Shape(old ? 0 : 1);
  const Dimensions& weight = in.Shape(2);
  if (!IsConvolution(input, weight) || gradient.size() != input.size()) return std::nullopt;
  const int wanted = Gradients(in.Value(old ? in.values.size() - 1 : 10));
  const bool transposed = !old && in.Value(7) == "True";
  const double each = 2 * Elements(transposed ? input : gradient) * Elements(weight, 1);
  const double read = Elements(input) + Elements(gradient) + Elements(weight);
  return Finish(Start(in, 0), wanted * each,
                wanted == 0 ? 0 : read + (wanted == 2 ? Elements(input) : 0) + Elements(weight));
}

// "True" or "False"; of the efficient kernels a number: 0 for no mask.
bool IsCausal(std::string_view value) { return value == "True" || value == "1" || value == "2"; }

std::optional<AttentionSizes> SizesOfAttention(const Entry& entry, const OperatorInputs& in) {
  const Dimensions& q = in.Shape(entry.first);
  const Dimensions& k = in.Shape(entry.first + 1u);
  const Dimensions& v = in.Shape(entry.first + 2u);
  // Packed sequences have three dimensions, and their lengths are not in the trace.
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  const size_t sequence = entry.swapped ? 1 : 2;
  const size_t heads = entry.swapped ? 2 : 1;
  return AttentionSizes{.first = entry.first,
                        .batch = q[0],
                        .heads = q[heads],
                        .key_heads = k[heads],
                        .queries = q[sequence],
                        .keys = k[sequence],
                        .width = q[3],
                        .value_width = v[3],
                        .causal = IsCausal(in.Value(entry.value))};
}

std::optional<OperatorCost> Attention(const Entry& entry, const OperatorInputs& in, bool backward) {
  const auto sizes = SizesOfAttention(entry, in);
  if (!sizes) return std::nullopt;
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double rows = real(sizes->batch) * real(sizes->heads) * real(sizes->queries);
  double pairs = rows * real(sizes->keys);
  if (sizes->causal && sizes->queries == sizes->keys) pairs /= 2;
  const double forward = 2 * pairs * (real(sizes->width) + real(sizes->value_width));
  const double out = rows * real(sizes->value_width);
  const size_t first = entry.first;
  const double operands =
      Elements(in.Shape(first)) + Elements(in.Shape(first + 1)) + Elements(in.Shape(first + 2));
  if (!backward) return Finish(Start(in, first), forward, operands + out);
  auto cost = Finish(Start(in, first), 2.5 * forward, 2 * operands + 2 * out);
  if (cost) cost->model_flops = 2 * forward;
  return cost;
}

struct TypeEntry {
  std::string_view name;
  NumberType type;
};
constexpr auto kTypes = std::to_array<TypeEntry>({
    {"double", NumberType::kFp64},
    {"float", NumberType::kFp32},
    {"c10::BFloat16", NumberType::kBf16},
    {"c10::Half", NumberType::kFp16},
    {"c10::Float8_e4m3fn", NumberType::kFp8},
    {"c10::Float8_e5m2", NumberType::kFp8},
    {"c10::Float8_e4m3fnuz", NumberType::kFp8},
    {"c10::Float8_e5m2fnuz", NumberType::kFp8},
    {"signed char", NumberType::kInt8},
    {"unsigned char", NumberType::kInt8},
});

}  // namespace

const Dimensions& OperatorInputs::Shape(size_t i) const {
  static const Dimensions kNone;
  return i < shapes.size() ? shapes[i] : kNone;
}

std::string_view OperatorInputs::Value(size_t i) const {
  return i < values.size() ? std::string_view(values[i]) : std::string_view();
}

void ConvolutionOutputs::Learn(std::string_view op, const OperatorInputs& in) {
  const Entry* entry = FindEntry(op);
  if (entry == nullptr || entry->family != Family::kConvolutionBackward) return;
  const bool old = op != "aten::convolution_backward";
  const Dimensions& gradient = in.Shape(old ? 1 : 0);
  const Dimensions& input = in.Shape(old ? 0 : 1);
  const Dimensions& weight = in.Shape(2);
  if (!IsConvolution(input, weight) || gradient.size() != input.size()) return;
  if (!old && in.Value(7) == "True") return;
  const auto [at, is_new] = outputs_.try_emplace({input, weight}, gradient);
  if (!is_new && at->second != gradient) at->second.clear();
}

Dimensions ConvolutionOutputs::Find(const Dimensions& input, const Dimensions& weight) const {
  const auto at = outputs_.find({input, weight});
  return at == outputs_.end() ? Dimensions() : at->second;
}

bool IsCountable(std::string_view op) { return FindEntry(op) != nullptr; }

std::optional<OperatorCost> CostOf(std::string_view op, const OperatorInputs& in,
                                   const ConvolutionOutputs& outputs) {
  const Entry* entry = FindEntry(op);
  if (entry == nullptr) return std::nullopt;
  for (const Dimensions& shape : in.shapes) {
    if (std::ranges::any_of(shape, [](int64_t d) { return d < 0; })) return std::nullopt;
  }
  // One complex multiplication is several.
  if (std::ranges::any_of(in.types, [](const std::string& t) { return t.contains("complex"); }))
    return std::nullopt;
  switch (entry->family) {
    case Family::kProduct:
      return Product(*entry, in);
    case Family::kConvolution:
    case Family::kTransposed:
      return Convolution(*entry, in, outputs);
    case Family::kConvolutionBackward:
      return ConvolutionBackward(*entry, in);
    case Family::kAttention:
      return Attention(*entry, in, false);
    case Family::kAttentionBackward:
      return Attention(*entry, in, true);
  }
  return std::nullopt;
}

std::optional<ProductSizes> ProductSizesOf(std::string_view op, const OperatorInputs& in) {
  const Entry* entry = FindEntry(op);
  if (entry == nullptr || entry->family != Family::kProduct) return std::nullopt;
  return SizesOfProduct(*entry, in);
}

std::optional<AttentionSizes> AttentionSizesOf(std::string_view op, const OperatorInputs& in) {
  const Entry* entry = FindEntry(op);
  if (entry == nullptr) return std::nullopt;
  if (entry->family != Family::kAttention && entry->family != Family::kAttentionBackward)
    return std::nullopt;
  return SizesOfAttention(*entry, in);
}

std::optional<ConvolutionSizes> ConvolutionSizesOf(std::string_view op, const OperatorInputs& in) {
  const Entry* entry = FindEntry(op);
  if (entry == nullptr) return std::nullopt;
  const bool backward = entry->family == Family::kConvolutionBackward;
  if (!backward && entry->family != Family::kConvolution && entry->family != Family::kTransposed)
    return std::nullopt;
  const bool old = backward && op != "aten::convolution_backward";
  const Dimensions& input = in.Shape(backward && !old ? 1 : 0);
  const Dimensions& weight = in.Shape(backward ? 2 : 1);
  if (!IsConvolution(input, weight)) return std::nullopt;
  Window window = WindowOf(*entry, in);
  return ConvolutionSizes{input, weight, std::move(window.stride), std::move(window.padding),
                          std::move(window.dilation)};
}

NumberType NumberTypeOf(std::string_view framework_type) {
  const auto* entry = std::ranges::find(kTypes, framework_type, &TypeEntry::name);
  return entry == kTypes.end() ? NumberType::kOther : entry->type;
}

std::string_view NumberTypeName(NumberType type) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"fp64", "fp32", "bf16", "fp16", "fp8", "int8", ""});
  return kNames[static_cast<size_t>(type)];
}

}  // namespace stepscope
