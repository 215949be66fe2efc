// Lists libraries, operators and threads: a new one is a line here and one in the test.
#include "trace/processor_names.h"

#include <algorithm>
#include <array>

#include "base/match_any.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

constexpr auto kHostLibraries = std::to_array<std::string_view>({"gloo:", "mpi:", "ucc:"});
constexpr auto kDeviceLibraries =
    std::to_array<std::string_view>({"nccl:", "rccl:", "xccl:", "hccl:"});
constexpr auto kDeviceKernels =
    std::to_array<std::string_view>({"::cudnn_convolution", "::cudnn_batch_norm", "::_cudnn_rnn",
                                     "::miopen_", "::_mps_", "::mps_"});
constexpr auto kHostKernels = std::to_array<std::string_view>({"mkldnn", "_for_cpu", "onednn::"});
constexpr std::string_view kDispatch = "c10d::";
constexpr auto kFunctional = std::to_array<std::string_view>(
    {"c10d_functional::", "_c10d_functional::", "_c10d_functional_autograd::"});
constexpr auto kXlaThreads = std::to_array<std::string_view>({"XLAEigen", "XLAPjRtCpuClient"});

constexpr auto kXlaWaits = std::to_array<std::string_view>(
    {"(wait for completion)", "np.asarray(jax.Array)", "block_until_ready"});

struct Primitive {
  std::string_view name, collective;
};
constexpr auto kJaxCollectives = std::to_array<Primitive>({
    {"psum", "all-reduce"},
    {"psum2", "all-reduce"},
    {"psum_invariant", "all-reduce"},
    {"pmax", "all-reduce"},
    {"pmin", "all-reduce"},
    {"all_gather", "all-gather"},
    {"all_gather_invariant", "all-gather"},
    {"reduce_scatter", "reduce-scatter"},
    {"all_to_all", "all-to-all"},
    {"ragged_all_to_all", "ragged-all-to-all"},
    {"ppermute", "collective-permute"},
    {"pbroadcast", "collective-broadcast"},
});

// Without "aten::", and without what follows an underscore: "linalg_svd", "unique2".
constexpr auto kSeldomNeeded = std::to_array<std::string_view>(
    {"sort",     "argsort",  "msort",        "topk",     "kthvalue",  "median",   "nanmedian",
     "mode",     "quantile", "nanquantile",  "unique",   "unique2",   "nonzero",  "cdist",
     "pdist",    "histc",    "histogram",    "bincount", "bucketize", "linalg",   "svd",
     "eig",      "eigh",     "symeig",       "inverse",  "pinverse",  "cholesky", "qr",
     "lstsq",    "det",      "logdet",       "slogdet",  "matrix",    "isnan",    "isinf",
     "isfinite", "allclose", "searchsorted", "cov",      "corrcoef",  "triu",     "tril"});

}  // namespace

ProcessorRole ProcessorRoleOf(std::string_view operator_name) {
  if (StartsWithAny(operator_name, kHostLibraries)) return ProcessorRole::kCollective;
  if (StartsWithAny(operator_name, kFunctional)) return ProcessorRole::kFunctional;
  return operator_name.starts_with(kDispatch) ? ProcessorRole::kDispatch : ProcessorRole::kOther;
}

bool IsOfAccelerator(std::string_view operator_name) {
  return StartsWithAny(operator_name, kDeviceLibraries) ||
         ContainsAny(operator_name, kDeviceKernels);
}

bool IsOfProcessor(std::string_view operator_name) {
  return StartsWithAny(operator_name, kHostLibraries) || ContainsAny(operator_name, kHostKernels);
}

bool IsSeldomNeeded(std::string_view operator_name) {
  constexpr std::string_view kSpace = "aten::";
  if (!operator_name.starts_with(kSpace)) return false;
  operator_name.remove_prefix(kSpace.size());
  operator_name.remove_prefix(std::min(operator_name.find_first_not_of('_'), operator_name.size()));
  const std::string_view word = operator_name.substr(0, operator_name.find('_'));
  return std::ranges::find(kSeldomNeeded, word) != kSeldomNeeded.end();
}

bool IsXlaThread(std::string_view thread) { return ContainsAny(thread, kXlaThreads); }

std::string_view CollectiveOfCompiled(std::string_view operation) {
  const std::string_view primitive = operation.substr(0, operation.find('.'));
  const auto* at = std::ranges::find(kJaxCollectives, primitive, &Primitive::name);
  return at == kJaxCollectives.end() ? std::string_view() : at->collective;
}

bool CommunicatesCompiled(std::string_view operation) {
  return KindOfHloOp({}, operation) == Kind::kCommunication ||
         !CollectiveOfCompiled(operation).empty();
}

bool IsXlaWait(std::string_view name) { return ContainsAny(name, kXlaWaits); }

}  // namespace stepscope
