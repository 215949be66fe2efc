// Tests first sentences about recordings of an H100, of jobs whose trouble is known
// (tests/data/h100/README.md).
#include <gtest/gtest.h>

#include <string>

#include "tests/front_door.h"
#include "tests/paths.h"

namespace stepscope::h100_test {
namespace {

using testing::Ask;
using testing::SourceDir;

std::string Recording(const char* name) { return SourceDir() + "/tests/data/h100/" + name; }

TEST(H100, ARankThatLoadsSlowlyIsNamedThoughGlooCommunicates) {
  const auto answer = Ask({Recording("gloo_slow_input")}, {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Rank 1 is a straggler since step 5")) << answer->verdict;
}

TEST(H100, AnUnmarkedLoopOfJaxHasTheStepsThatItRan) {
  const auto answer = Ask({Recording("jax_unmarked")}, {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("mean of 8 steps")) << answer->verdict;
}

}  // namespace
}  // namespace stepscope::h100_test
