// Asks about a job written for a test, and reads which ranks `whatif` changes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/scratch.h"
#include "tests/support/gpu_job.h"

namespace stepscope::testing {

// The changes of ranks, as the table names them.
inline std::vector<std::string> RanksChanged(const ReportSet& answer) {
  std::vector<std::string> ranks;
  for (const Row& row : RowsOf(answer, "whatif", "changes")) {
    if (row.Text("change").starts_with("rank")) ranks.push_back(row.Text("change"));
  }
  return ranks;
}

inline ReportSet AnswerToJob(const GpuJob& job,
                             const std::vector<std::pair<std::string, std::string>>& params = {}) {
  const ScratchFolder folder;
  auto answer = Ask(job.WriteTo(folder), {.params = params});
  EXPECT_TRUE(answer);
  return answer.value_or(ReportSet{});
}

}  // namespace stepscope::testing
