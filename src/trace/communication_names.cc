// Recognizes kernels that communicate by their names.
//
// The lists of prefixes and parts are names found in traces or in their libraries' sources; the
// rules about structure stand for the libraries to come.
#include "trace/communication_names.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "base/match_any.h"

namespace stepscope {
namespace {

// Names are compared in lower case.
constexpr auto kPrefixes = std::to_array<std::string_view>({
    "nccl",           // NVIDIA: ncclKernel_, ncclDevKernel_, ncclSymDevKernel_ (symmetric memory)
    "rccl",           // AMD
    "hccl", "hcom_",  // Huawei, Habana
    "oneccl", "ccl_kernel",           // Intel
    "collective_subgraph_execution",  // Meta's MTIA
});
constexpr auto kParts = std::to_array<std::string_view>({
    "ncclkernel", "nccldevkernel", "ncclsym", "rcclgeneric", "mscclkernel", "mscclpp::",
    // One- and two-shot kernels of inference engines and symmetric memory.
    "one_shot_all_reduce", "two_shot_all_reduce", "trtllm_allreduce", "lamportallreduce",
    "allreduce_fusion_kernel", "alltoallv",
    "multimem_",                                  // PyTorch symmetric memory over NVLink multicast
    "cross_device_reduce", "cross_device_store",  // vLLM, SGLang, AITER
    "quickreduce", "quick_reduce", "nvshmem", "_on_stream_kernel_", "rocshmem",  // one-sided
    // Expert parallel dispatch and combine: DeepEP, MORI, TensorRT-LLM.
    "deep_ep::", "deepep::", "mori::", "epdispatchint", "epcombineint", "moea2a",
    "userbuffers_",  // Transformer Engine
});

// Words of an identifier, each with a space on both sides of it.
// What moves data between the ranks of a group.
constexpr auto kCollectives = std::to_array<std::string_view>(
    {" all reduce ", " allreduce ", " all gather ", " allgather ", " allgatherv ",
     " reduce scatter ", " reducescatter ", " all to all ", " alltoall ", " alltoallv ",
     " all2all ", " a2a ", " send recv ", " sendrecv "});
// What else a library is called for, in ranges around the call.
constexpr auto kOtherCalls =
    std::to_array<std::string_view>({" broadcast ", " reduce ", " gather ", " scatter ", " send ",
                                     " recv ", " barrier ", " coalesced ", " group end "});
// What prepares the data of a collective on one device, or uses it there.
constexpr auto kLocal =
    std::to_array<std::string_view>({" cast ", " pack ", " unpack ", " permute ", " unpermute ",
                                     " quantize ", " dequantize ", " fused ", " fusion "});
// Expert parallelism: what sends tokens to the devices of their experts and back, and the
// namespaces it is in.
constexpr auto kExchanges =
    std::to_array<std::string_view>({" dispatch ", " combine ", " notify "});
constexpr auto kExchangeSpaces =
    std::to_array<std::string_view>({" internode ", " intranode ", " ep ", " moe comm "});

bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }
bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool IsAlphanumeric(char c) { return IsSmall(c) || IsCapital(c) || IsDigit(c); }

// "_ZN5aiter3sumIiEEvT_" and "_Z3sumi": the identifiers, each after its length, until one has
// arguments.
std::vector<std::string_view> PathOfMangled(std::string_view name) {
  std::vector<std::string_view> path;
  name.remove_prefix(name.starts_with("_ZN") ? 3 : 2);
  while (!name.empty() && (name.front() == 'K' || name.front() == 'L')) name.remove_prefix(1);
  while (!name.empty() && IsDigit(name.front())) {
    size_t length = 0, digits = 0;
    while (digits < name.size() && digits < 4 && IsDigit(name[digits])) {
      length = 10 * length + static_cast<size_t>(name[digits++] - '0');
    }
    name.remove_prefix(digits);
    const std::string_view part = name.substr(0, length);
    if (!part.starts_with("_GLOBAL__N_")) path.push_back(part);
    name.remove_prefix(part.size());
  }
  return path;
}

std::vector<std::string_view> PathOfPlain(std::string_view name) {
  constexpr std::string_view kNoName = "(anonymous namespace)";
  std::vector<std::string_view> path;
  size_t begin = 0, end = 0;  // of the identifier
  int depth = 0;              // of template arguments
  const auto take = [&] {
    if (end > begin) path.push_back(name.substr(begin, end - begin));
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (depth > 0 || c == '>') continue;
    if (name.substr(i).starts_with(kNoName)) {
      i += kNoName.size() - 1;
      begin = end = i + 1;
    } else if (c == '(') {
      break;
    } else if (c == ' ') {  // what was read is the type that it returns
      path.clear();
      begin = end = i + 1;
    } else if (c == ':') {
      take();
      begin = end = i + 1;
    } else {
      end = i + 1;
    }
  }
  take();
  return path;
}

// A fusion of a compiler is named after all that it computes, the operators around it too.
bool IsCompilersFusion(std::string_view own) {
  return own.starts_with("triton_") || own.starts_with("cpp_fused") || own.starts_with("fusion");
}

bool ExchangesTokens(std::span<const std::string_view> spaces, std::string_view own) {
  if (own.contains(" get dispatch layout ")) return true;
  if (!ContainsAny(own, kExchanges)) return false;
  const auto exchanges = [](std::string_view space) {
    return ContainsAny(WordsOf(space), kExchangeSpaces);
  };
  return ContainsAny(own, kExchangeSpaces) || std::ranges::any_of(spaces, exchanges);
}

// By the structure of the name, whoever wrote the library.
bool LooksLikeCommunication(std::string_view name) {
  const std::vector<std::string_view> path = PathOfFunction(name);
  // PyTorch's own operators compute; its communication is listed above.
  if (IsCompilersFusion(path.back()) || name.contains("at::native::")) return false;
  const std::string own = WordsOf(path.back());
  if (ExchangesTokens(std::span(path).first(path.size() - 1), own)) return true;
  return ContainsAny(own, kCollectives) && !ContainsAny(own, kLocal);
}

}  // namespace

bool IsCommunicationName(std::string_view name) {
  const std::string lower = Lower(name);
  return StartsWithAny(lower, kPrefixes) || ContainsAny(lower, kParts) ||
         LooksLikeCommunication(name);
}

bool IsCollectiveCall(std::string_view range) {
  size_t letters = 0;
  while (letters < range.size() && IsSmall(range[letters])) ++letters;
  const std::string_view library = range.substr(0, letters);
  std::string_view call = range.substr(letters);
  const bool by_process_group = call.size() > 1 && call[0] == ':' && call[1] != ':';
  const bool is_library =
      library.ends_with("ccl") || (by_process_group && (library == "ucc" || library == "mpi"));
  if (!is_library) return false;
  const bool by_library =
      !call.empty() && IsCapital(call[0]) && std::ranges::all_of(call, IsAlphanumeric);
  if (!by_process_group && !by_library) return false;
  const std::string words = WordsOf(call);
  return ContainsAny(words, kCollectives) || ContainsAny(words, kOtherCalls);
}

std::vector<std::string_view> PathOfFunction(std::string_view name) {
  auto path = name.starts_with("_Z") ? PathOfMangled(name) : PathOfPlain(name);
  if (path.empty()) path.push_back(name.substr(0, 0));
  return path;
}

std::string WordsOf(std::string_view identifier) {
  std::string words = " ";
  for (size_t i = 0; i < identifier.size(); ++i) {
    const char c = identifier[i];
    const bool lower_after = i + 1 < identifier.size() && IsSmall(identifier[i + 1]);
    const bool after_small = i > 0 && IsSmall(identifier[i - 1]);
    // The S of "twoShot", and of "NCCLSend".
    if ((IsCapital(c) && (after_small || lower_after)) || !IsAlphanumeric(c)) {
      if (words.back() != ' ') words += ' ';
    }
    if (IsAlphanumeric(c)) words += c;
  }
  if (words.back() != ' ') words += ' ';
  return Lower(words);
}

}  // namespace stepscope
