// Reads what a process group is for from the description that whoever made it gave it.
//
// Sources of descriptions: PyTorch ("default_pg", "undefined" and DeviceMesh's "mesh_tp",
// torch/distributed/device_mesh.py), Megatron-LM ("TENSOR_MODEL_PARALLEL_GROUP",
// megatron/core/parallel_state.py), and names of dimensions such as torchtitan's ("dp_shard").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

enum class ParallelKind : uint8_t {
  kUnknown,
  kAllRanks,      // of the whole job, for whatever all ranks do together
  kData,          // replicas of a model, or its shards; several kinds of one job have own labels
  kPipeline,      // stages
  kContext,       // parts of a sequence
  kTensor,        // parts of a layer
  kExpert,        // different experts
  kExpertData,    // replicas of experts
  kExpertTensor,  // parts of experts
  kCombined,      // ranks that differ in several of these: "dp+cp"
  kEmbedding,     // the first and the last stage, which share an embedding
};

struct DescribedKind {
  ParallelKind kind = ParallelKind::kUnknown;
  std::string label;  // "tp", "dp_shard", "dp+cp"; empty where the kind is unknown
};

// By the words of the description; unknown where none is known, or it says nothing.
DescribedKind KindOfDescription(std::string_view description);

// "dp", "all ranks"; "unknown" of what has no name of its own.
std::string_view ParallelKindName(ParallelKind kind);

}  // namespace stepscope
