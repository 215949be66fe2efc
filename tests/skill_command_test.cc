// Tests that the skill tells assistants the truth about what commands print.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::skill_command_test {
namespace {

// What the skill shows as printed is printed.
TEST(SkillCommand, ShowsRealOutput) {
  const ScratchFolder folder;
  const Outcome printed = Shell("cd '" + folder.path() +
                                "' && stepscope demo job >&2 && stepscope demo healthy "
                                "--slow-rank -1 >&2 && stepscope brief job && stepscope table "
                                "breakdown.ranks job --columns rank,device_compute,wait && "
                                "stepscope compare healthy job");
  ASSERT_EQ(printed.code, 0) << printed.err;
  std::istringstream skill(Stepscope("skill").out);
  bool shown = false;
  size_t lines = 0;
  for (std::string line; std::getline(skill, line);) {
    if (line.starts_with("```")) {
      shown = line == "```text";
    } else if (shown) {
      EXPECT_TRUE(printed.out.contains(line + "\n")) << line;
      ++lines;
    }
  }
  EXPECT_GE(lines, 15u);
}

}  // namespace
}  // namespace stepscope::testing::skill_command_test
