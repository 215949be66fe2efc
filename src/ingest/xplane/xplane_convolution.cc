// Counts, in each spatial dimension, the pairs of output and kernel positions that meet an element
// of the input, as XLA's HloCostAnalysis defines a convolution's cost.
#include "ingest/xplane/xplane_convolution.h"

#include <algorithm>
#include <numeric>

namespace stepscope {
namespace {

// Of larger windows and holes, every position counts.
constexpr int64_t kMostSteps = 4096;
// Sizes and steps beyond these are nonsense, and their products would not fit.
constexpr int64_t kLargest = int64_t{1} << 30;

int64_t DivideUp(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// How many o from 0 to `outputs` - 1 have o * stride + from within [0, inputs * holes), and a
// multiple of `holes`.
int64_t ValidOutputs(int64_t outputs, int64_t inputs, int64_t stride, int64_t from, int64_t holes) {
  const int64_t end = (inputs - 1) * holes;  // the last position with an element
  int64_t first = std::max<int64_t>(DivideUp(-from, stride), 0);
  const int64_t last = end < from ? -1 : std::min((end - from) / stride, outputs - 1);
  for (int64_t tries = 0; (first * stride + from) % holes != 0; ++first) {
    if (++tries > holes || first > last) return 0;
  }
  return first > last ? 0 : (last - first) / (holes / std::gcd(stride, holes)) + 1;
}

double ValidPositions(const HloWindow& window, int64_t input, int64_t kernel, int64_t output) {
  const auto all = static_cast<double>(kernel) * static_cast<double>(output);
  const bool sane = std::max({input, kernel, output, window.stride, window.dilation}) <= kLargest &&
                    window.padding_low <= kLargest && window.padding_low > -kLargest;
  if (!sane || kernel > kMostSteps || window.base_dilation > kMostSteps) return all;
  if (input <= 0) return 0;
  double valid = 0;
  for (int64_t k = 0; k < kernel; ++k) {
    const int64_t from = k * window.dilation - window.padding_low;
    valid +=
        static_cast<double>(ValidOutputs(output, input, window.stride, from, window.base_dilation));
  }
  return valid;
}

}  // namespace

double MultiplicationsOf(const HloInstruction& convolution, const ConvolutionArrays& arrays) {
  const ConvolutionDimensions& of = convolution.convolution;
  const auto grouped = [](int64_t size, int64_t groups) {
    return static_cast<double>(std::max<int64_t>(size / groups, size > 0 ? 1 : 0));
  };
  double count = grouped(arrays.input.SizeAt(of.input_feature), of.feature_groups) *
                 grouped(arrays.input.SizeAt(of.input_batch), of.batch_groups) *
                 static_cast<double>(arrays.kernel.SizeAt(of.kernel_output_feature));
  const auto spatial = [](const HloShape& shape, const std::vector<int64_t>& dimensions, size_t i) {
    return i < dimensions.size() ? shape.SizeAt(dimensions[i]) : int64_t{1};
  };
  for (size_t i = 0; i < convolution.window.size(); ++i) {
    count *=
        ValidPositions(convolution.window[i], spatial(arrays.input, of.input_spatial, i),
                       convolution.window[i].size, spatial(arrays.output, of.output_spatial, i));
  }
  return count;
}

}  // namespace stepscope
