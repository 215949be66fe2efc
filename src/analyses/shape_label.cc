// Builds labels, one form per family of operators.
#include "analyses/shape_label.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

using Form = CallInput::Form;

constexpr size_t kTensorsShown = 4;
constexpr size_t kValuesShown = 48;  // characters
constexpr size_t kTypeShown = 32;    // likewise

std::string Sizes(const TensorInput& tensor) {
  if (!tensor.sizes_known) return "?";
  return tensor.sizes.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.sizes, "x"));
}

// "2" for 2, 2.
std::string Numbers(const Dimensions& numbers) {
  const bool same = std::ranges::all_of(numbers, [&](int64_t n) { return n == numbers.front(); });
  return fmt::format("{}", fmt::join(same ? Dimensions{numbers.front()} : numbers, ","));
}

// Whether elements lie without gaps, the last of the dimensions in `order` next to one another.
bool IsPacked(const TensorInput& tensor, const std::vector<size_t>& order) {
  double expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int64_t size = tensor.sizes[order[i]];
    if (size != 1 && static_cast<double>(tensor.strides[order[i]]) != expected) return false;
    expected *= static_cast<double>(size);
  }
  return true;
}

// How the tensor lies in memory: empty for the usual way, and where it is not known.
std::string LayoutOf(const TensorInput& tensor) {
  if (!tensor.sizes_known || !tensor.strides_known ||
      std::ranges::find(tensor.sizes, 0) != tensor.sizes.end())
    return {};
  std::vector<size_t> order(tensor.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (IsPacked(tensor, order)) return {};
  if (order.size() >= 2) {
    auto transposed = order;
    std::swap(transposed[order.size() - 1], transposed[order.size() - 2]);
    if (IsPacked(tensor, transposed)) return "transposed";
  }
  if (order.size() >= 4) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (IsPacked(tensor, order)) return "channels last";
  }
  return fmt::format("strides {}", fmt::join(tensor.strides, ","));
}

const TensorInput* TensorAt(const OperatorCall& call, size_t i) {
  return i < call.inputs.size() && call.inputs[i].form == Form::kTensor ? &call.inputs[i].tensor
                                                                        : nullptr;
}

// "bf16" of inputs that are all of this type, else "bf16/fp32".
std::string Types(const OperatorCall& call, size_t first, size_t count) {
  std::vector<std::string> types;
  for (size_t i = first; i < call.inputs.size() && i < first + count; ++i) {
    const TensorInput* tensor = TensorAt(call, i);
    if (tensor == nullptr) continue;
    std::string type = TypeLabel(tensor->type).substr(0, kTypeShown);
    const bool is_new = std::ranges::find(types, type) == types.end();
    if (!type.empty() && is_new) types.push_back(std::move(type));
  }
  return types.empty() ? std::string() : fmt::format(" {}", fmt::join(types, "/"));
}

std::string Product(const OperatorCall& call, const ProductSizes& sizes) {
  std::string text;
  if (sizes.batch != 1) text += fmt::format(" B={:.0f}", sizes.batch);
  text += fmt::format(" M={} N={} K={}", sizes.m, sizes.n, sizes.k);
  text += Types(call, sizes.first, 2);
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const TensorInput* tensor = TensorAt(call, sizes.first + i);
    const std::string layout = tensor == nullptr ? std::string() : LayoutOf(*tensor);
    if (!layout.empty()) text += fmt::format(", {} {}", i == 0 ? 'A' : 'B', layout);
  }
  return text;
}

std::string Attention(const OperatorCall& call, const AttentionSizes& sizes) {
  const auto of_both = [](std::string_view name, int64_t own, int64_t other) {
    return own == other ? fmt::format(" {}={}", name, own)
                        : fmt::format(" {}={}/{}", name, own, other);
  };
  return fmt::format(" B={}", sizes.batch) + of_both("H", sizes.heads, sizes.key_heads) +
         of_both("S", sizes.queries, sizes.keys) + of_both("D", sizes.width, sizes.value_width) +
         Types(call, sizes.first, 3) + (sizes.causal ? ", causal" : "");
}

std::string Convolution(const OperatorCall& call, const ConvolutionSizes& sizes) {
  std::string text =
      fmt::format(" {}, filter {}", fmt::join(sizes.input, "x"), fmt::join(sizes.weight, "x"));
  if (!sizes.stride.empty()) text += ", stride " + Numbers(sizes.stride);
  if (!sizes.padding.empty()) text += ", padding " + Numbers(sizes.padding);
  const bool dilated = std::ranges::any_of(sizes.dilation, [](int64_t d) { return d != 1; });
  if (dilated) text += ", dilation " + Numbers(sizes.dilation);
  text += Types(call, 0, 3);
  const TensorInput* first = TensorAt(call, 0);
  const std::string layout = first == nullptr ? std::string() : LayoutOf(*first);
  if (!layout.empty()) text += ", " + layout;
  return text;
}

std::string Others(const OperatorCall& call) {
  std::vector<std::string> tensors, values, layouts;  // of all inputs
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const CallInput& input = call.inputs[i];
    if (input.form == Form::kValue) values.push_back(input.value);
    if (input.form == Form::kTensors)
      tensors.push_back(input.tensors.empty() ? "list"
                                              : fmt::format("list of {}", input.tensors.size()));
    if (input.form != Form::kTensor) continue;
    tensors.push_back(Sizes(input.tensor));
    const std::string layout = LayoutOf(input.tensor);
    if (!layout.empty()) layouts.push_back(fmt::format(", input {} {}", i + 1, layout));
  }
  std::string text;
  for (size_t i = 0; i < std::min(tensors.size(), kTensorsShown); ++i)
    text += (i == 0 ? " " : ", ") + tensors[i];
  if (tensors.size() > kTensorsShown)
    text += fmt::format(" and {} more", tensors.size() - kTensorsShown);
  text += Types(call, 0, call.inputs.size());
  for (size_t i = 0; i < std::min(layouts.size(), kTensorsShown); ++i) text += layouts[i];
  const std::string all = fmt::format("{}", fmt::join(values, " "));
  if (!all.empty() && all.size() <= kValuesShown) text += ", values " + all;
  return text;
}

}  // namespace

std::string LabelOfCall(const OperatorCall& call) {
  constexpr std::string_view kOwn = "aten::";
  const std::string name = call.op.starts_with(kOwn) ? call.op.substr(kOwn.size()) : call.op;
  if (const auto sizes = ProductSizesOf(call.op, call.for_cost))
    return name + Product(call, *sizes);
  if (const auto sizes = AttentionSizesOf(call.op, call.for_cost))
    return name + Attention(call, *sizes);
  if (const auto sizes = ConvolutionSizesOf(call.op, call.for_cost))
    return name + Convolution(call, *sizes);
  return name + Others(call);
}

}  // namespace stepscope
