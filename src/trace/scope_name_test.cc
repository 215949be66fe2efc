// Tests modules read from name scopes.
#include "trace/scope_name.h"

#include <gtest/gtest.h>

namespace stepscope::scope_name_test {
namespace {

using Modules = std::vector<std::string_view>;

TEST(ScopeName, OfFlax) {
  const ScopeName forward = ParseScopeName("jit(step)/jit(main)/jvp(Net)/Dense_0/dot_general:");
  EXPECT_EQ(forward.modules, (Modules{"Net", "Dense_0"}));
  EXPECT_FALSE(forward.backward);
  const ScopeName backward =
      ParseScopeName("jit(step)/jit(main)/transpose(jvp(Net))/Block_1/Dense_0/dot_general:");
  EXPECT_EQ(backward.modules, (Modules{"Net", "Block_1", "Dense_0"}));
  EXPECT_TRUE(backward.backward);
  EXPECT_EQ(ParseScopeName("jit(f)/while/body/Net/layers/add").modules, (Modules{"Net", "layers"}));
  EXPECT_TRUE(ParseScopeName("jit(step)/jit(main)/mul").modules.empty());
}

TEST(ScopeName, OfKeras) {
  EXPECT_EQ(ParseScopeName("StatefulPartitionedCall/model/dense/MatMul:MatMul").modules,
            (Modules{"model", "dense"}));
  const ScopeName backward = ParseScopeName("gradient_tape/model/dense/MatMul:MatMul");
  EXPECT_EQ(backward.modules, (Modules{"model", "dense"}));
  EXPECT_TRUE(backward.backward);
}

TEST(ScopeName, TakesAnyText) {
  for (const char* text : {"", "/", "//", "a", "jvp()/x", "transpose(/x", "jit(main)/", "[/]"})
    EXPECT_LE(ParseScopeName(text).modules.size(), 1u) << text;
  EXPECT_EQ(ParseScopeName("Net/reduce_sum[axes=(0, 1)]/x").modules, (Modules{"Net"}));
}

}  // namespace
}  // namespace stepscope::scope_name_test
