// Tests what is read of the environment.
#include "goodput/recorder/labels.h"

#include <gtest/gtest.h>

#include <map>

namespace stepscope::goodput::labels_test {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

Labels Of(const std::map<std::string, const char*>& environment) {
  return LabelsOf([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second;
  });
}

TEST(Labels, OwnOnesGoBeforeThoseOfTheScheduler) {
  EXPECT_EQ(Of({}), Labels());
  EXPECT_EQ(Of({{"STEPSCOPE_LABELS", "team=nlp, project = llm,,nothing,=x,queue="}}),
            (Labels{{"team", "nlp"}, {"project", "llm"}}));
  EXPECT_EQ(Of({{"STEPSCOPE_LABELS", "user=ann"},
                {"SLURM_JOB_USER", "root"},
                {"SLURM_CLUSTER_NAME", "c1"},
                {"SLURM_JOB_PARTITION", "gpu"}}),
            (Labels{{"user", "ann"}, {"cluster", "c1"}, {"queue", "gpu"}}));
}

TEST(Labels, JobsOfTwoTeamsStayTwo) {
  EXPECT_EQ(JobOfTeam("llm", {}), "llm");
  EXPECT_EQ(JobOfTeam("llm", {{"team", "nlp"}}), "nlp/llm");
  EXPECT_EQ(JobOfTeam("nlp/llm", {{"team", "nlp"}}), "nlp/llm");
  EXPECT_EQ(JobOfTeam("vision/llm", {{"team", "nlp"}}), "nlp/vision/llm");
}

}  // namespace
}  // namespace stepscope::goodput::labels_test
