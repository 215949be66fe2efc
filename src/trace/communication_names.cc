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

// Names are compared in lower case. How a namespace or a function of a library begins.
constexpr auto kPrefixes = std::to_array<std::string_view>({
    "nccl",           // NVIDIA: ncclKernel_, ncclDevKernel_, ncclSymDevKernel_ (symmetric memory)
    "rccl",           // AMD
    "hccl", "hcom_",  // Huawei, Habana
    "oneccl", "ccl_kernel",           // Intel
    "mscclkernel",                    // Microsoft's algorithms in NCCL and RCCL
    "nvshmem", "rocshmem", "ishmem",  // one-sided
    "userbuffers_", "kuserbuffers_",  // Transformer Engine
    "collective_subgraph_execution",  // Meta's MTIA
});
// Namespaces of libraries that do nothing else.
constexpr auto kLibraries =
    std::to_array<std::string_view>({"deep_ep", "deepep", "hybrid_ep", "mori", "uccl", "pplx",
                                     "mscclpp", "quickreduce", "symmetric_memory"});

// Words of an identifier, each with a space before it; digits may follow ("allreduce7").
// What moves data between the ranks of a group.
constexpr auto kCollectives = std::to_array<std::string_view>(
    {" all reduce", " allreduce", " all gather", " allgather", " allgatherv", " all scatter",
     " reduce scatter", " reducescatter", " all to all", " all to allv", " alltoall", " alltoallv",
     " allto all", " all2all", " a2a", " send recv", " sendrecv"});
// What else only communication between devices is called.
constexpr auto kBetweenDevices = std::to_array<std::string_view>({" collective permute",
                                                                  " collective broadcast",
                                                                  " cross device",
                                                                  " multimem",
                                                                  " nvls",
                                                                  " quick reduce",
                                                                  " lamport",
                                                                  " moe comm",
                                                                  " low latency dispatch",
                                                                  " low latency combine",
                                                                  " low latency buffer",
                                                                  " notify dispatch",
                                                                  " notify combine",
                                                                  " dispatch send",
                                                                  " dispatch recv",
                                                                  " combine send",
                                                                  " combine recv",
                                                                  " get dispatch layout",
                                                                  " put signal",
                                                                  " wait signal",
                                                                  " p2p send",
                                                                  " p2p recv",
                                                                  " halo exchange",
                                                                  " push pull halos",
                                                                  " rdma",
                                                                  " ibgda",
                                                                  " barrier kernel",
                                                                  " barrier all",
                                                                  " multi gpu barrier",
                                                                  " on stream kernel"});
// What else a library is called for, in ranges around the call.
constexpr auto kOtherCalls =
    std::to_array<std::string_view>({" broadcast", " reduce", " gather", " scatter", " send",
                                     " recv", " barrier", " coalesced", " group end"});
// What prepares the data of a collective on one device, or uses it there: the time of a product
// that also sends its result is the product's.
constexpr auto kLocal = std::to_array<std::string_view>(
    {" cast", " pack", " unpack", " permute", " unpermute", " quantize", " dequantize", " copy in",
     " copy out", " gemm", " matmul", " attention", " attn", " conv"});
// Expert parallelism: what sends tokens to the devices of their experts and back, and the
// namespaces it is in.
constexpr auto kExchanges = std::to_array<std::string_view>({" dispatch", " combine", " notify"});
constexpr auto kExchangeSpaces =
    std::to_array<std::string_view>({" internode", " intranode", " inter node", " intra node",
                                     " ep", " moe comm", " moe distribute", " expert parallel"});
// Namespaces of what crosses nodes, or the links within one, and of collectives: these steps of it.
constexpr auto kNodeSpaces =
    std::to_array<std::string_view>({" internode", " intranode", " inter node", " intra node"});
constexpr auto kStepsOfExchange = std::to_array<std::string_view>(
    {" barrier", " send", " recv", " put", " get", " push", " pull", " signal", " clean", " sync",
     " one shot", " oneshot", " two shot", " twoshot"});
// Kinds of kernels that Inductor and XLA generate with Triton.
constexpr auto kTritonKinds =
    std::to_array<std::string_view>({" poi ", " red ", " per ", " tem ", " for ", " mm ", " bmm ",
                                     " unk ", " gemm ", " softmax ", " fused "});

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
  bool is_type = false;       // what was read is the type that it returns, if a name follows
  const auto take = [&] {
    if (end > begin) path.push_back(name.substr(begin, end - begin));
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (depth > 0 || c == '>') continue;
    if (c == '(' && !name.substr(i).starts_with(kNoName)) break;
    if (c == '[') break;  // "[clone .kd]"
    if (is_type && c != ' ') {
      path.clear();
      begin = end = i;
      is_type = false;
    }
    if (name.substr(i).starts_with(kNoName)) {
      i += kNoName.size() - 1;
      begin = end = i + 1;
    } else if (c == ' ') {
      is_type = true;
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

// True when one of `sequences` is in `words`, as whole words but for digits at its end.
bool HasWords(std::string_view words, std::span<const std::string_view> sequences) {
  return std::ranges::any_of(sequences, [&](std::string_view sequence) {
    for (size_t at = words.find(sequence); at != words.npos; at = words.find(sequence, at + 1)) {
      size_t end = at + sequence.size();
      while (IsDigit(words[end])) ++end;  // a space is last
      if (words[end] == ' ') return true;
    }
    return false;
  });
}

bool IsNumber(std::string_view word) { return std::ranges::all_of(word, IsDigit); }

// A fusion of a compiler is named after all that it computes, the operators around it too. It has
// no namespace: "aiter::allreduce_fusion" was written by hand.
bool IsCompilersFusion(std::string_view own) {
  if (own.starts_with("cpp_fused") || own.starts_with("fusion") || own.starts_with("wrapped_"))
    return true;
  const std::string words = WordsOf(own);
  if (words.starts_with(" triton ")) {
    const std::string_view kind = std::string_view(words).substr(7);
    return StartsWithAny(kind, kTritonKinds) || IsNumber(Trimmed(kind));
  }
  // "loop_all_gather_fusion", "input_reduce_fusion.3", "fused_add_all_reduce_3".
  std::string_view rest = Trimmed(words);
  bool is_numbered = false;
  for (size_t space; (space = rest.rfind(' ')) != rest.npos && IsNumber(rest.substr(space + 1));) {
    rest = rest.substr(0, space);
    is_numbered = true;
  }
  return rest.ends_with(" fusion") || (is_numbered && rest.starts_with("fused "));
}

// By the structure of the name, whoever wrote the library.
bool LooksLikeCommunication(std::span<const std::string_view> spaces, std::string_view own) {
  if (HasWords(own, kBetweenDevices)) return true;
  if (HasWords(own, kLocal)) return false;
  if (HasWords(own, kCollectives)) return true;
  const bool exchanges = HasWords(own, kExchanges), is_step = HasWords(own, kStepsOfExchange);
  if (!exchanges && !is_step) return false;
  if (exchanges && HasWords(own, kExchangeSpaces)) return true;
  return std::ranges::any_of(spaces, [&](std::string_view space) {
    const std::string words = WordsOf(space);
    if (HasWords(words, kCollectives)) return true;
    return exchanges ? HasWords(words, kExchangeSpaces) : HasWords(words, kNodeSpaces);
  });
}

// "nccl", "hccl", "mccl", "oneccl": libraries of collective communication.
bool IsNamedAfterALibrary(std::string_view identifier) {
  const std::string lower = Lower(identifier);
  if (StartsWithAny(lower, kPrefixes)) return true;
  const std::string words = WordsOf(identifier);
  const std::string_view first = std::string_view(words).substr(1, words.find(' ', 1) - 1);
  return first.size() > 3 && first.ends_with("ccl");
}

}  // namespace

bool IsCommunicationName(std::string_view name) {
  const std::vector<std::string_view> path = PathOfFunction(name);
  const auto spaces = std::span(path).first(path.size() - 1);
  // PyTorch's own operators compute.
  const bool is_pytorchs = spaces.size() > 1 && spaces[0] == "at" && spaces[1] == "native";
  if (is_pytorchs || (spaces.empty() && IsCompilersFusion(path.back()))) return false;
  if (StartsWithAny(Lower(name), kPrefixes)) return true;
  if (std::ranges::any_of(path, &IsNamedAfterALibrary)) return true;
  const std::string own = WordsOf(path.back());
  if (LooksLikeCommunication(spaces, own)) return true;
  const auto is_library = [](std::string_view space) {
    return std::ranges::find(kLibraries, space) != kLibraries.end();
  };
  return std::ranges::any_of(spaces, is_library) && !HasWords(own, kLocal);
}

bool CommunicationNames::Has(StringId name, const StringTable& names) {
  if (name >= known_.size()) known_.resize(name + size_t{1}, -1);
  int8_t& known = known_[name];
  if (known < 0) known = IsCommunicationName(names[name]) ? 1 : 0;
  return known == 1;
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
  return HasWords(words, kCollectives) || HasWords(words, kOtherCalls);
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
