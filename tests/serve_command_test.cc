// Tests the commands that serve and write the page, as a shell runs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/shell.h"

namespace stepscope::testing::serve_command_test {
namespace {

class ServeCommandTest : public ::testing::Test {
 protected:
  ServeCommandTest() { folder_.Write("rank_0.json", DocumentOfRank(0, Kernels(20))); }
  const ScratchFolder folder_;
};

// What a line of shell prints, errors too.
std::string Printed(const std::string& line) { return Shell("{ " + line + "\n} 2>&1").out; }

TEST_F(ServeCommandTest, PrintsAnAddressAndEndsAsTold) {
  for (const char* signal : {"TERM", "INT"}) {
    const std::string out =
        Printed(fmt::format("timeout --preserve-status -s {} 1 '{}' serve '{}'; echo \"code $?\"",
                            signal, Binary(), folder_.path()));
    EXPECT_TRUE(out.starts_with("Listening on http://127.0.0.1:")) << out;
    EXPECT_NE(out.find("/?token="), out.npos);
    EXPECT_TRUE(out.ends_with("\ncode 0\n")) << out;
  }
  const std::string refused =
      Printed("stepscope serve '" + folder_.path() + "' --host 0.0.0.0; echo \"code $?\"");
  EXPECT_NE(refused.find("set --token-file"), refused.npos);
  EXPECT_TRUE(refused.ends_with("code 2\n")) << refused;
}

TEST_F(ServeCommandTest, SaysWhereThereIsNothingToShow) {
  const ScratchFolder empty;
  const std::string out = Printed(fmt::format("timeout -s TERM 1 '{}' serve '{}' '{}'", Binary(),
                                              empty.path(), folder_.path()));
  EXPECT_TRUE(out.contains(empty.path() + " has no trace (.json")) << out;
  EXPECT_FALSE(out.contains(folder_.path() + " has no trace")) << out;
}

TEST_F(ServeCommandTest, SaysWhichInputOfGoodputIsMissing) {
  for (const char* command : {"serve", "report -o r.html"}) {
    const std::string start = fmt::format("stepscope {} '{}' ", command, folder_.path());
    const std::string absent = Printed(start + "--scheduler sacct.txt; echo \"code $?\"");
    EXPECT_TRUE(absent.contains("there is no such file\n  where: sacct.txt")) << absent;
    EXPECT_TRUE(absent.ends_with("code 2\n")) << absent;
    const std::string alone = Printed(start + "--chip H100; echo \"code $?\"");
    EXPECT_TRUE(alone.contains("--model")) << alone;
    EXPECT_TRUE(alone.ends_with("code 2\n")) << alone;
    const std::string no_model = Printed(start + "--model none.json; echo \"code $?\"");
    EXPECT_TRUE(no_model.contains("none.json")) << no_model;
    EXPECT_TRUE(no_model.ends_with("code 2\n")) << no_model;
  }
}

// The token of the address that `serve` prints, or what it says instead, when it is started so.
std::string TokenServed(const std::string& before, const std::string& folder,
                        const std::string& options) {
  const std::string out = Printed(
      fmt::format("{} timeout --preserve-status -s TERM 1 '{}' serve '{}' {}; echo \"code $?\"",
                  before, Binary(), folder, options));
  const size_t at = out.find("/?token=");
  return at == out.npos ? out : out.substr(at + 8, out.find('\n', at) - at - 8);
}

TEST_F(ServeCommandTest, TakesATokenInThreeWays) {
  const ScratchFolder other;
  const std::string file = "--token-file '" + other.Write("token", "of-a-file-0123456789\n") + "'";
  const std::string set = "STEPSCOPE_TOKEN=of-the-environment-0123";
  const auto served = [&](const std::string& before, const std::string& options) {
    return TokenServed(before, folder_.path(), options);
  };
  EXPECT_EQ(served("", "--token of-a-word-0123456789"), "of-a-word-0123456789");
  EXPECT_EQ(served("", file), "of-a-file-0123456789");
  EXPECT_EQ(served(set, ""), "of-the-environment-0123");
  EXPECT_EQ(served(set, "--token of-a-word-0123456789"), "of-a-word-0123456789");
  EXPECT_EQ(served(set, file), "of-a-file-0123456789");
  for (const std::string& wrong : {std::string("--token short"), std::string("--token ''"),
                                   file + " --token of-a-word-0123456789"}) {
    const std::string said = served("", wrong);
    EXPECT_TRUE(said.ends_with("code 2\n")) << said;
    EXPECT_NE(said.find("--token"), said.npos) << said;
  }
}

TEST_F(ServeCommandTest, WritesOneFile) {
  const ScratchFolder out;
  const std::string file = out.path() + "/report.html";
  const std::string said = Printed("stepscope report '" + folder_.path() + "' -o '" + file + "'");
  EXPECT_TRUE(said.starts_with(file + ": ")) << said;
  EXPECT_GT(std::filesystem::file_size(file), 10'000u);
  const std::string failed =
      Printed("stepscope report /no/such -o '" + file + "x'; echo \"code $?\"");
  EXPECT_TRUE(failed.ends_with("code 2\n")) << failed;
  EXPECT_FALSE(std::filesystem::exists(file + "x"));
}

}  // namespace
}  // namespace stepscope::testing::serve_command_test
