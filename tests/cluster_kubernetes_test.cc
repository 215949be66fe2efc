// Looks at manifests for Kubernetes; python/tests/cluster_k8s_test.py asks Kubernetes' own schemas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "stepscope/demo.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::cluster_kubernetes_test {
namespace {

namespace fs = std::filesystem;

class ClusterKubernetes : public ::testing::Test {
 protected:
  Outcome Run(const std::string& more, const std::string& traces = "/data/traces") const {
    return Stepscope(fmt::format("cluster k8s {} -o '{}/out' --claim logs --image a.b/c:1 {}",
                                 traces, folder_.path(), more));
  }
  std::string Manifest(const std::string& name) const {
    return Content(folder_.path() + "/out/" + name);
  }
  const ScratchFolder folder_;
};

TEST_F(ClusterKubernetes, WritesAnIndexedJobAndOneAfterIt) {
  const Outcome outcome = Run("--shards 12 --name job-7");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.contains("kubectl logs job/job-7-reduce --follow")) << outcome.out;
  const std::string map = Manifest("map.yaml"), reduce = Manifest("reduce.yaml");
  for (const char* line :
       {"  completionMode: Indexed\n", "  completions: 12\n", "  backoffLimitPerIndex: 3",
        "          image: \"a.b/c:1\"\n", "            claimName: \"logs\"\n",
        "            - \"/data/job-7/part\"\n"})
    EXPECT_TRUE(map.contains(line)) << line << map;
  EXPECT_TRUE(reduce.contains("            - \"--expect\"\n            - \"12\"\n")) << reduce;
}

TEST_F(ClusterKubernetes, WritesAJobSetWhoseReduceWaits) {
  EXPECT_EQ(Run("--shards 12 --jobset").code, 0);
  const std::string set = Manifest("jobset.yaml");
  EXPECT_TRUE(set.contains("dependsOn:\n        - name: map\n          status: Complete\n")) << set;
  EXPECT_TRUE(fs::exists(folder_.path() + "/out/reduce.yaml"));
}

// Texts cannot break out of the manifest, and are no variables.
TEST_F(ClusterKubernetes, QuotesWhatItIsGiven) {
  EXPECT_EQ(Run("--shards 2", "'/data/a \"b\": $(HOME) #c'").code, 0);
  EXPECT_TRUE(Manifest("map.yaml").contains(R"(- "/data/a \"b\": $$(HOME) #c")"))
      << Manifest("map.yaml");
}

TEST_F(ClusterKubernetes, CountsTracesThatAreHereToo) {
  const std::string traces = folder_.path() + "/traces";
  ASSERT_TRUE(WriteDemo(traces, {.ranks = 9, .layers = 2, .stacks = false}));
  EXPECT_EQ(Run("--mount '" + folder_.path() + "'", traces).code, 0);
  EXPECT_TRUE(Manifest("map.yaml").contains("completions: 2\n")) << Manifest("map.yaml");
}

TEST_F(ClusterKubernetes, RefusesWhatCannotWork) {
  ExpectError(Run(""), "cannot count the traces here", "--shards");
  ExpectError(Run("--shards 2", "traces"), "not below /data", "--mount");
  ExpectError(Run("--shards 0"), "1 to 100000 shards", "");
  for (const char* name : {"'Not ok'", "-x", "x-", "7"})
    ExpectError(Run(fmt::format("--shards 2 --name={}", name)), "Kubernetes takes no such name",
                "");
}

}  // namespace
}  // namespace stepscope::testing::cluster_kubernetes_test
