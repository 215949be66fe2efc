// Maps names to operations, and implements the formulas of nccl-tests.
#include "facts/collectives/collective_op.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace stepscope {
namespace {

using enum CollectiveOp;

// Lower case, without underscores: libraries agree on the words, not on how to write them.
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

// The first word found decides, so that "allreduce" is not taken for a reduce.
struct Word {
  std::string_view part;
  CollectiveOp op;
};
constexpr auto kWords = std::to_array<Word>({
    {"allreduce", kAllReduce},
    {"crossdevicereduce", kAllReduce},  // vLLM's own all-reduce
    {"reducescatter", kReduceScatter},
    {"allgather", kAllGather},
    {"alltoall", kAllToAll},
    {"barrier", kBarrier},
    {"sendrecv", kExchange},
    {"broadcast", kBroadcast},
});
// These are words of much else: they must be the whole name.
constexpr auto kWholeNames = std::to_array<Word>({
    {"reduce", kReduce},
    {"gather", kGather},
    {"scatter", kScatter},
    {"send", kSend},
    {"recv", kReceive},
    {"isend", kSend},
    {"irecv", kReceive},
});

CollectiveOp Find(std::string_view plain) {
  const auto word =
      std::ranges::find_if(kWords, [&](const Word& w) { return plain.contains(w.part); });
  return word == kWords.end() ? kOther : word->op;
}

}  // namespace

CollectiveOp OpOfOperation(std::string_view operation) {
  const std::string plain = Plain(operation);
  const auto whole = std::ranges::find(kWholeNames, std::string_view(plain), &Word::part);
  return whole != kWholeNames.end() ? whole->op : Find(plain);
}

CollectiveOp OpOfKernel(std::string_view kernel) {
  // Not in the arguments, which name types of their own.
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  const size_t anonymous = kernel.find(kAnonymous);
  const size_t begin = anonymous == kernel.npos ? 0 : anonymous + kAnonymous.size();
  const CollectiveOp op = Find(Plain(kernel.substr(begin, kernel.find('(', begin) - begin)));
  if (op != kOther) return op;
  for (const std::string_view prefix : {"ncclKernel_", "ncclDevKernel_"}) {
    if (!kernel.starts_with(prefix)) continue;
    const std::string_view rest = kernel.substr(prefix.size());
    return OpOfOperation(rest.substr(0, rest.find('_')));
  }
  return kOther;
}

std::string_view OpName(CollectiveOp op) {
  constexpr std::array<std::string_view, 13> kNames = {
      "allreduce", "allgather", "reduce_scatter", "barrier", "all_to_all", "exchange", "broadcast",
      "reduce",    "gather",    "scatter",        "send",    "recv",       "other"};
  return kNames[static_cast<size_t>(op)];
}

int64_t ElementBytes(std::string_view type) {
  struct Size {
    std::string_view type;
    int64_t bytes;
  };
  constexpr auto kSizes = std::to_array<Size>({
      {"Float", 4},
      {"BFloat16", 2},
      {"Half", 2},
      {"Double", 8},
      {"Long", 8},
      {"Int", 4},
      {"Short", 2},
      {"Byte", 1},
      {"Char", 1},
      {"Bool", 1},
      {"Float8_e4m3fn", 1},
      {"Float8_e5m2", 1},
      {"Float8_e4m3fnuz", 1},
      {"Float8_e5m2fnuz", 1},
      {"ComplexFloat", 8},
      {"ComplexDouble", 16},
      {"UInt16", 2},
      {"UInt32", 4},
      {"UInt64", 8},
  });
  const auto size = std::ranges::find(kSizes, type, &Size::type);
  return size == kSizes.end() ? 0 : size->bytes;
}

int64_t CollectiveBytes(CollectiveOp op, int64_t in_elements, int64_t out_elements,
                        int64_t element_bytes) {
  int64_t elements = in_elements;
  if (op == kAllGather || op == kGather) elements = out_elements;
  if (op == kBroadcast || op == kReduce) elements = std::max(in_elements, out_elements);
  int64_t bytes = 0;
  if (element_bytes <= 0 || elements < 0 || op == kBarrier) return -1;
  return __builtin_mul_overflow(elements, element_bytes, &bytes) ? -1 : bytes;
}

std::optional<double> BusFactor(CollectiveOp op, int64_t size) {
  if (op == kBroadcast || op == kReduce || IsPointToPoint(op)) return 1.0;
  if (size < 2) return std::nullopt;
  const double share = static_cast<double>(size - 1) / static_cast<double>(size);
  switch (op) {
    case kAllReduce:
      return 2 * share;
    case kAllGather:
    case kReduceScatter:
    case kAllToAll:
    case kGather:
    case kScatter:
      return share;
    default:
      return std::nullopt;
  }
}

}  // namespace stepscope
