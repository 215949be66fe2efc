// Finds what a library's matrix product sums over, in its configuration or from its sizes.
#include "ingest/xplane/xplane_library.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace stepscope {
namespace {

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
double SummedByLibrary(const HloComputation& within, const HloInstruction& of) {
  const HloInstruction *left = within.Operand(of, 0), *right = within.Operand(of, 1);
  if (left == nullptr || right == nullptr) return -1;
  double summed = 1;
  const std::vector<int64_t> contracting = ContractingOf(of.config);
  for (const int64_t d : contracting) summed *= static_cast<double>(left->shape.SizeAt(d));
  if (!contracting.empty()) return summed;
  const bool plain = left->shape.dimensions.size() == 2 && right->shape.dimensions.size() == 2 &&
                     of.Result().dimensions.size() == 2;
  const double results = ElementsOf(of.Result());
  if (!plain || results <= 0) return -1;
  return std::sqrt(ElementsOf(left->shape) * ElementsOf(right->shape) / results);
}

}  // namespace

bool IsLibraryProduct(std::string_view target) {
  return target.starts_with("__cublas$") && (target.contains("gemm") || target.contains("matmul"));
}

double LibraryFlops(const HloComputation& within, const HloInstruction& of) {
  const double summed = SummedByLibrary(within, of);
  return summed < 0 ? -1 : 2 * ElementsOf(of.Result()) * summed;
}

}  // namespace stepscope
