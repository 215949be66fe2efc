// Tests which kinds descriptions of process groups are of.
#include "facts/derived/layout/group_kinds.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(GroupKinds, DescriptionsOfFrameworksAreRead) {
  const std::pair<std::string_view, std::string_view> kLabels[] = {
      {"TENSOR_MODEL_PARALLEL_GROUP", "tp"},
      {"PIPELINE_MODEL_PARALLEL_GROUP", "pp"},
      {"DATA_PARALLEL_GROUP", "dp"},
      {"DATA_PARALLEL_GROUP_GLOO", "dp"},
      {"DATA_PARALLEL_GROUP_WITH_CP", "dp+cp"},
      {"CONTEXT_PARALLEL_GROUP", "cp"},
      {"MODEL_PARALLEL_GROUP", "pp+tp"},
      {"TENSOR_AND_CONTEXT_PARALLEL_GROUP", "cp+tp"},
      {"TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", "dp+cp+tp"},
      {"EXPERT_MODEL_PARALLEL_GROUP", "ep"},
      {"EXPERT_TENSOR_PARALLEL_GROUP", "etp"},
      {"EXPERT_DATA_PARALLEL_GROUP", "edp"},
      {"EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", "ep+tp"},
      {"EMBEDDING_GROUP", "embedding"},
      {"mesh_tp", "tp"},
      {"mesh_dp_shard", "dp_shard"},
      {"mesh_dp_replicate", "dp_replicate"},
      {"mesh_dp_shard_cp", "dp+cp"},
      {"tp", "tp"},
  };
  for (const auto& [description, label] : kLabels)
    EXPECT_EQ(KindOfDescription(description).label, label) << description;
}

TEST(GroupKinds, WhatSaysNothingIsUnknown) {
  for (const std::string_view text : {"", "default_pg", "undefined", "mesh_dim_0", "step", "world"})
    EXPECT_EQ(KindOfDescription(text).kind, ParallelKind::kUnknown) << text;
}

}  // namespace
}  // namespace stepscope
