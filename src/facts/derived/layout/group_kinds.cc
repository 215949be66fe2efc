// Splits descriptions into words.
#include "facts/derived/layout/group_kinds.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace stepscope {
namespace {

using DescriptionWords = std::vector<std::string>;

DescriptionWords WordsOfDescription(std::string_view text) {
  DescriptionWords words(1);
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter) {
      words.back() += static_cast<char>(c | 0x20);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

bool HasAny(const DescriptionWords& words, std::span<const std::string_view> of) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return std::ranges::find(of, word) != of.end(); });
}

constexpr auto kTensorWords = std::to_array<std::string_view>({"tp", "tensor"});
constexpr auto kPipelineWords = std::to_array<std::string_view>({"pp", "pipe", "pipeline"});
constexpr auto kDataWords = std::to_array<std::string_view>({"dp", "data", "ddp", "fsdp", "hsdp"});
constexpr auto kContextWords =
    std::to_array<std::string_view>({"cp", "context", "sp", "sequence", "ulysses"});
constexpr auto kExpertWords = std::to_array<std::string_view>({"ep", "expert", "experts", "moe"});
constexpr auto kExpertDataWords = std::to_array<std::string_view>({"edp", "efsdp"});
constexpr auto kExpertTensorWords = std::to_array<std::string_view>({"etp"});
constexpr auto kEmbeddingWords = std::to_array<std::string_view>({"embedding", "embd"});
constexpr auto kModelWords = std::to_array<std::string_view>({"model"});
constexpr auto kReplicateWords = std::to_array<std::string_view>({"replicate"});
constexpr auto kShardWords = std::to_array<std::string_view>({"shard"});

// Which ways of being parallel a description names.
struct NamedKinds {
  bool tensor, pipeline, data, context, expert;

  explicit NamedKinds(const DescriptionWords& words)
      : tensor(HasAny(words, kTensorWords)),
        pipeline(HasAny(words, kPipelineWords)),
        data(HasAny(words, kDataWords)),
        context(HasAny(words, kContextWords)),
        expert(HasAny(words, kExpertWords)) {
    // "MODEL_PARALLEL_GROUP" of Megatron-LM: all ranks of one replica.
    const bool any = tensor || pipeline || data || context || expert;
    if (!any && HasAny(words, kModelWords)) tensor = pipeline = true;
    // "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", where "model" stands for experts.
    both = expert && tensor && HasAny(words, kModelWords);
  }

  bool both = false;  // experts and their parts
  int Count() const { return tensor + pipeline + data + context; }
};

DescribedKind CombinedKind(const NamedKinds& named) {
  std::string label;
  const auto add = [&](bool is, std::string_view name) {
    if (is) label += (label.empty() ? "" : "+") + std::string(name);
  };
  add(named.data, "dp");
  add(named.pipeline, "pp");
  add(named.context, "cp");
  add(named.expert, "ep");
  add(named.tensor, "tp");
  return {ParallelKind::kCombined, label};
}

DescribedKind SingleKind(ParallelKind kind) { return {kind, std::string(ParallelKindName(kind))}; }

DescribedKind OfExperts(const NamedKinds& named) {
  if (named.Count() == 0) return SingleKind(ParallelKind::kExpert);
  if (named.Count() > 1 || named.both) return CombinedKind(named);
  if (named.data) return SingleKind(ParallelKind::kExpertData);
  return named.tensor ? SingleKind(ParallelKind::kExpertTensor) : CombinedKind(named);
}

// DeviceMesh tells replicas and shards apart by the names of its dimensions.
DescribedKind OfData(const DescriptionWords& words) {
  const bool replicas = HasAny(words, kReplicateWords), shards = HasAny(words, kShardWords);
  if (replicas != shards) return {ParallelKind::kData, replicas ? "dp_replicate" : "dp_shard"};
  return SingleKind(ParallelKind::kData);
}

}  // namespace

DescribedKind KindOfDescription(std::string_view description) {
  const DescriptionWords words = WordsOfDescription(description);
  if (HasAny(words, kEmbeddingWords)) return {ParallelKind::kEmbedding, "embedding"};
  if (HasAny(words, kExpertDataWords)) return SingleKind(ParallelKind::kExpertData);
  if (HasAny(words, kExpertTensorWords)) return SingleKind(ParallelKind::kExpertTensor);
  const NamedKinds named(words);
  if (named.expert) return OfExperts(named);
  if (named.Count() == 0) return {};
  if (named.Count() > 1) return CombinedKind(named);
  if (named.data) return OfData(words);
  if (named.pipeline) return SingleKind(ParallelKind::kPipeline);
  return SingleKind(named.context ? ParallelKind::kContext : ParallelKind::kTensor);
}

std::string_view ParallelKindName(ParallelKind kind) {
  switch (kind) {
    case ParallelKind::kAllRanks:
      return "all ranks";
    case ParallelKind::kData:
      return "dp";
    case ParallelKind::kPipeline:
      return "pp";
    case ParallelKind::kContext:
      return "cp";
    case ParallelKind::kTensor:
      return "tp";
    case ParallelKind::kExpert:
      return "ep";
    case ParallelKind::kExpertData:
      return "edp";
    case ParallelKind::kExpertTensor:
      return "etp";
    case ParallelKind::kEmbedding:
      return "embedding";
    case ParallelKind::kUnknown:
    case ParallelKind::kCombined:
      break;
  }
  return "unknown";
}

}  // namespace stepscope
