// Checks the inputs of a call and writes them as Python.
#include "analyses/shape_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "trace/input_lists.h"

namespace stepscope {
namespace {

using Form = CallInput::Form;

constexpr std::string_view kOwn = "aten::";
constexpr double kMostElements = 1e12;  // of all tensors: no device holds more
constexpr size_t kLongestName = 100;

// Operators that take indexes as a list of tensors, or a text: traces have neither.
constexpr auto kTakesLists =
    std::to_array<std::string_view>({"index", "index_put", "index_put_", "_index_put_impl_",
                                     "_unsafe_index", "_unsafe_index_put", "einsum"});

// Operators whose inputs that are no tensors are factors: they do not change how much is computed,
// and have defaults.
constexpr auto kHasDefaults =
    std::to_array<std::string_view>({"addmm", "addmm_", "baddbmm", "baddbmm_", "addbmm", "addmv",
                                     "add", "add_", "sub", "sub_", "linear"});

// What runs in place of an operator that hosts do not have, and its inputs.
struct OnHost {
  std::string_view op, runs, inputs;
};
constexpr std::string_view kAttention = "scaled_dot_product_attention";
constexpr auto kOnHost = std::to_array<OnHost>({
    {"cudnn_convolution", "convolution",
     "    x, weight, padding, stride, dilation, groups = inputs[:6]\n"
     "    inputs = [x, weight, None, stride, padding, dilation, False, [0] * len(stride), "
     "groups]\n"},
    {"miopen_convolution", "convolution",
     "    x, weight, bias, padding, stride, dilation, groups = inputs[:7]\n"
     "    inputs = [x, weight, bias, stride, padding, dilation, False, [0] * len(stride), "
     "groups]\n"},
    {"_scaled_dot_product_flash_attention", kAttention,
     "    inputs = [*inputs[:3], None, *inputs[3:5]]\n"},
    {"_scaled_dot_product_efficient_attention", kAttention,
     "    inputs = [*inputs[:4], *inputs[5:7]]\n"},
    {"_scaled_dot_product_cudnn_attention", kAttention,
     "    inputs = [*inputs[:4], *inputs[5:7]]\n"},
    {"_flash_attention_forward", kAttention,
     "    inputs = [*(x.transpose(1, 2) for x in inputs[:3]), None, *inputs[7:9]]\n"},
});

constexpr std::string_view kDevice = R"(
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
)";
constexpr std::string_view kHost = R"(
DEVICE = "cpu"
)";
constexpr std::string_view kTensor = R"(

def tensor(dtype, sizes, strides, below=1):
    length = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    if dtype.is_floating_point or dtype.is_complex:
        data = torch.randn(length, device=DEVICE)
    else:
        data = torch.randint(below, (length,), device=DEVICE)
    return data.to(dtype).as_strided(sizes, strides)


)";

constexpr std::string_view kRun = R"(

def bound():  # the overload that takes these inputs, with them
    problems = []
    overloads = [getattr(operator, name) for name in operator.overloads()]
    for overload in sorted(overloads, key=lambda each: len(each._schema.arguments)):
        arguments = overload._schema.arguments
        if len(arguments) < len(inputs):
            continue
        others, named = [], {}
        if any(a.name == "device" for a in arguments):
            named["device"] = DEVICE
        for place, (a, value) in enumerate(zip(arguments, inputs)):
            if value is None and a.has_default_value():
                continue
            if a.kwarg_only or len(others) < place:
                named[a.name] = value
            else:
                others.append(value)
        try:
            overload(*others, **named)
            return lambda: overload(*others, **named)
        except (RuntimeError, TypeError, ValueError) as error:
            problems.append(f"{overload}: {error}")
    sys.exit("cannot run it: " + (problems[0] if problems else "it takes fewer inputs here"))


def run(calls):
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - begin) / calls


call = bound()
run(3)  # warm-up
calls = max(3, min(1000, int(1 / max(run(3), 1e-6))))
mean = run(calls)
where = torch.cuda.get_device_name() if DEVICE == "cuda" else "the host"
rate = f", {FLOP / mean / 1e12:.3g} TFLOP/s" if FLOP else ""
print(f"here:      {mean * 1e6:.1f} us per call, mean of {calls}{rate}, on {where}")
)";

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsWord(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || IsDigit(c); });
}

// A text of a trace for a comment or a text in quotes: what could end either is left out.
std::string Harmless(std::string_view text) {
  constexpr std::string_view kOthers = " ._:/()+-";
  std::string harmless;
  for (const char c : text.substr(0, kLongestName)) {
    const bool is_plain = IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_plain || kOthers.contains(c)) harmless += c;
  }
  return harmless;
}

template <class Number>
std::optional<Number> Read(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// One number, truth value or word as Python has it; nothing for all else.
std::optional<std::string> ScalarLiteral(std::string_view text) {
  if (text == "True" || text == "False") return std::string(text);
  if (const auto whole = Read<int64_t>(text)) return fmt::format("{}", *whole);
  if (const auto real = Read<double>(text)) {
    if (std::isnan(*real)) return "float(\"nan\")";
    if (std::isinf(*real)) return *real > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    std::string digits = fmt::format("{}", *real);
    if (digits.find_first_of(".e") == digits.npos) digits += ".0";
    return digits;
  }
  return std::nullopt;
}

std::optional<std::string> Literal(std::string_view text) {
  if (!text.starts_with('[')) {
    if (auto scalar = ScalarLiteral(text)) return scalar;
    return IsWord(text) ? std::optional(fmt::format("\"{}\"", text)) : std::nullopt;
  }
  if (!text.ends_with(']')) return std::nullopt;
  std::vector<std::string> items;
  for (const std::string& item : ReadTexts(text)) {
    auto scalar = ScalarLiteral(item);
    if (!scalar) return std::nullopt;
    items.push_back(*std::move(scalar));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// How far apart the first and the last element are, and one; of a tensor without elements 0.
double Extent(const Dimensions& sizes, const Dimensions& strides) {
  double extent = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    extent += static_cast<double>(sizes[i] - 1) * static_cast<double>(strides[i]);
  }
  return extent;
}

// As PyTorch makes them. REQUIRES: the product of sizes, zeros aside, is at most kMostElements.
Dimensions Contiguous(const Dimensions& sizes) {
  Dimensions strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

class Writer {
 public:
  Writer(const OperatorCall& call, const RecordedCalls& recorded)
      : call_(call), recorded_(recorded), name_(call.op) {
    if (name_.starts_with(kOwn)) name_.remove_prefix(kOwn.size());
  }

  Result<std::string> Write() {
    if (auto known = CheckCall(); !known) return std::unexpected(known.error());
    std::string inputs;
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      const auto input = Input(i);
      if (!input) return std::unexpected(input.error());
      inputs += fmt::format("    {},\n", *input);
    }
    const auto* on_host = std::ranges::find(kOnHost, name_, &OnHost::op);
    std::string text = Head();
    text += recorded_.on_host ? kHost : kDevice;
    text += kTensor;
    text += fmt::format("operator = torch.ops.aten.{}\ninputs = [\n{}]\n", name_, inputs);
    if (on_host != kOnHost.end()) {
      text += fmt::format(
          "\nif DEVICE == \"cpu\":  # which has no operator of this name\n"
          "    operator = torch.ops.aten.{}\n{}",
          on_host->runs, on_host->inputs);
    }
    text += fmt::format("FLOP = {:.0f}\n", std::clamp(recorded_.flops, 0.0, 1e24));
    text += kRun;
    text += fmt::format("print(\"{}\")\n", InTrace());
    return text;
  }

 private:
  std::unexpected<Error> Fail(std::string_view why, std::string_view hint) const {
    return std::unexpected(Error{fmt::format("cannot reproduce {}: {}", Harmless(call_.op), why),
                                 "`repro`", std::string(hint)});
  }

  Result<void> CheckCall() const {
    if (!call_.op.starts_with(kOwn) || !IsWord(name_)) {
      return Fail("it is not one of PyTorch's own operators (aten)",
                  "choose an id of an operator of PyTorch in analysis shapes");
    }
    if (!call_.complete)
      return Fail("the trace does not have all of its inputs", "choose another id");
    if (Has(kTakesLists, name_)) {
      return Fail("traces do not have its indexes or texts",
                  "choose another id, or call it as the model's code does");
    }
    if (recorded_.between_memories) {
      return Fail("it copies between host and device, and traces do not tell which input is where",
                  "see memory_bandwidth for copies");
    }
    return {};
  }

  Result<std::string> Input(size_t i) {
    const CallInput& input = call_.inputs[i];
    switch (input.form) {
      case Form::kTensor:
        return Tensor(i, input.tensor);
      case Form::kTensors:
        return Fail("traces do not have the types of tensors in lists",
                    "choose another id, or call it as the model's code does");
      case Form::kNone:
        absent_.push_back(i + 1);
        return "None";
      case Form::kValue:
        if (auto literal = Literal(input.value)) return *std::move(literal);
        return Fail(fmt::format("input {} cannot be read", i + 1), "choose another id");
      case Form::kUnknown:
        break;
    }
    if (Has(kHasDefaults, name_)) {
      absent_.push_back(i + 1);
      return "None";
    }
    return Fail("the trace does not have the values of its inputs",
                "record with PyTorch 2.1 or later, and record_shapes=True");
  }

  Result<std::string> Tensor(size_t i, const TensorInput& tensor) {
    const std::string_view type = TorchTypeOf(tensor.type);
    if (type.empty()) {
      return Fail(fmt::format("the type of input {} is not known", i + 1), "choose another id");
    }
    if (const auto number = NumberOf(i, tensor)) return *number;
    if (!CanBe(tensor)) {
      return Fail(fmt::format("input {} has sizes or strides that no tensor has", i + 1),
                  "choose another id");
    }
    Dimensions strides = tensor.strides;
    if (!tensor.strides_known) {
      strides = Contiguous(tensor.sizes);
      contiguous_.push_back(i + 1);
    }
    elements_ += Extent(tensor.sizes, strides);
    if (elements_ > kMostElements)
      return Fail("its inputs are larger than the memory of any device", "choose another id");
    const bool is_whole = type.starts_with("int") || type == "uint8" || type == "bool";
    const int64_t below = is_whole ? IndexedBy(i) : 1;
    if (is_whole && below == 1) zeros_.push_back(i + 1);
    return fmt::format("tensor(torch.{}, [{}], [{}]{})", type, fmt::join(tensor.sizes, ", "),
                       fmt::join(strides, ", "), below > 1 ? fmt::format(", {}", below) : "");
  }

  // How many places input `i` chooses from, where it is known to hold indexes; else 1.
  int64_t IndexedBy(size_t i) const {
    const TensorInput& source = call_.inputs.front().tensor;
    std::optional<int64_t> dimension;
    if (name_ == "embedding" && i == 1) dimension = 0;
    if (name_ == "index_select" && i == 2) dimension = Read<int64_t>(call_.inputs[1].value);
    const auto dimensions = static_cast<int64_t>(source.sizes.size());
    if (!dimension || *dimension < -dimensions || *dimension >= dimensions) return 1;
    const int64_t at = *dimension < 0 ? *dimension + dimensions : *dimension;
    return std::max<int64_t>(source.sizes[static_cast<size_t>(at)], 1);
  }

  // Python's numbers are scalar tensors to operators.
  std::optional<std::string> NumberOf(size_t i, const TensorInput& tensor) {
    const bool is_number = tensor.type == "double" || tensor.type.starts_with("long");
    if (i == 0 || !is_number || !tensor.sizes_known || !tensor.sizes.empty()) return std::nullopt;
    const CallInput& first = call_.inputs.front();
    const bool is_scalar = first.tensor.sizes.empty() && first.tensor.type == tensor.type;
    if (first.form != Form::kTensor || is_scalar) return std::nullopt;
    numbers_.push_back(i + 1);
    return tensor.type == "double" ? "1.0" : "1";
  }

  static bool CanBe(const TensorInput& tensor) {
    if (!tensor.sizes_known) return false;
    double elements = 1;
    for (const int64_t size : tensor.sizes) {
      elements *= static_cast<double>(std::max<int64_t>(size, 1));
      if (size < 0 || elements > kMostElements) return false;
    }
    return !tensor.strides_known || std::ranges::all_of(tensor.strides, [](int64_t stride) {
      return stride >= 0 && static_cast<double>(stride) <= kMostElements;
    });
  }

  // The first two lines are the same in every script: Python looks there for an encoding.
  std::string Head() const {
    std::string text =
        "# Runs one call of a trace again, and times it. Inputs have the sizes, types and\n"
        "# strides of the call, and random values. Written by stepscope.\n";
    text += fmt::format("# aten::{}, id {}.\n", name_, Harmless(recorded_.id));
    const auto limit = [&](const std::vector<size_t>& inputs, std::string_view what) {
      if (!inputs.empty()) text += fmt::format("# Inputs {}: {}.\n", fmt::join(inputs, ", "), what);
    };
    limit(absent_, "absent or not in the trace; defaults here");
    limit(contiguous_, "their strides are not in the trace; contiguous here");
    limit(zeros_, "all 0 here; indexes read one place again and again");
    limit(numbers_, "a number that is not in the trace; 1 here");
    text +=
        recorded_.on_host
            ? "# Inputs stay in caches here.\n"
            : "# Times here include the launch, which counts if a call takes a few us, and inputs\n"
              "# stay in caches. Times in the trace are those of kernels alone.\n";
    text += "import sys\nimport time\n\nimport torch\n";
    return text;
  }

  std::string InTrace() const {
    const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1e3; };
    std::string text = fmt::format("in trace:  {:.1f} us per call, mean of {}", us(recorded_.mean),
                                   recorded_.calls);
    if (recorded_.flop_rate > 0)
      text += fmt::format(", {:.3g} TFLOP/s", recorded_.flop_rate / 1e12);
    if (const std::string device = Harmless(recorded_.device); !device.empty())
      text += ", on " + device;
    return text + fmt::format("; longest {:.1f} us, on rank {}", us(recorded_.longest),
                              recorded_.longest_rank);
  }

  const OperatorCall& call_;
  const RecordedCalls& recorded_;
  std::string_view name_;                                      // without "aten::"
  std::vector<size_t> absent_, contiguous_, zeros_, numbers_;  // inputs, from 1
  double elements_ = 0;                                        // of all tensors so far
};

}  // namespace

Result<std::string> ScriptOf(const OperatorCall& call, const RecordedCalls& recorded) {
  return Writer(call, recorded).Write();
}

}  // namespace stepscope
